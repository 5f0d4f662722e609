import type { VNode } from 'preact';
import type { Client } from '../../sdk/src/index.ts';
import { Field, type Trouble, Troubles } from '../parts/field.tsx';
import { KeepAddress, nameOf, type Quoted, QuotePanel, Refund, Side } from '../parts/swap-form.tsx';
import { showAtoms } from '../server/forms.ts';
import { destinationTrouble, isAboutAddress, tooLittle, troubleOf } from '../server/refused.ts';
import type { Answer, Site, Visit } from '../server/site.ts';
import type { View } from '../server/view.ts';
import { creationKey, firstPair, readWish, requestOf, type Typed, turned, typedIn, type Wish } from '../server/wish.ts';

export function mountSwap(site: Site): void {
  site.get('/', async (visit) => {
    const { view, query } = visit;
    const asked = {
      text: (name: string) => (name === 'address' || name === 'refund' ? '' : (query.get(name) ?? '').slice(0, 100)),
      has: (name: string) => query.has(name),
      all: () => [],
    };
    const read = typedIn(asked, firstPair(view));
    return read.typed.send === '' && read.typed.receive === ''
      ? shown(visit, { typed: read.typed, fixed: 'send' })
      : quoted(visit, read);
  });

  site.post('/', async (visit) => {
    const { view, form } = visit;
    const read = typedIn(form, firstPair(view));
    if (form.has('turn')) return shown(visit, { typed: turned(read.typed), fixed: 'send' });
    // The script of the page, after another coin was chosen and before there is an amount.
    if (form.text('do') === 'keep') return shown(visit, { typed: read.typed, fixed: 'send' });
    return form.text('do') === 'create' ? create(visit, read) : quoted(visit, read);
  });

  /** What the script of the page asks for while somebody types. */
  site.post('/quote', async (visit) => {
    const { view, form } = visit;
    const answer = await quote(visit, readWish(view, typedIn(form, firstPair(view))));
    return { part: <QuotePanel view={view} {...answer} isTyping /> };
  });
}

type Read = { readonly typed: Typed; readonly fixed: 'send' | 'receive' };

async function quote({ view, desk }: Visit, wish: Wish): Promise<Quoted> {
  const chainId = wish.to?.chainId ?? 0;
  const { address } = wish.typed;
  const request = requestOf(wish, address);
  if (!request || wish.troubles.length > 0)
    return { wish, troubles: [...wish.troubles, ...(await lookAtAddress(view, desk, wish))] };
  const { toAddress, ...without } = request;
  try {
    // People see a price before they name an address.
    const found = await desk.quoteSwap(toAddress === '' ? without : request);
    const text = tooLittle(view, found);
    return { wish, quote: found, troubles: text ? [{ field: wish.fixed, text }] : [] };
  } catch (error) {
    const from = wish.from && { decimals: wish.from.decimals, symbol: wish.from.symbol };
    return {
      wish,
      troubles: [
        troubleOf(view, error, {
          addressField: 'address',
          address,
          chainId,
          amountField: wish.fixed,
          ...(from && { from }),
        }),
      ],
    };
  }
}

/** An address can be wrong before there is an amount, and is checked by whoever will pay it. */
async function lookAtAddress(view: View, desk: Client, { from, to, typed }: Wish): Promise<readonly Trouble[]> {
  if (!from || !to || typed.address === '') return [];
  const asked = { addressField: 'address', address: typed.address, chainId: to.chainId };
  const ends = { fromChainId: from.chainId, fromToken: from.token, toChainId: to.chainId, toToken: to.token };
  const found = await desk.quoteSwap({ ...ends, toAddress: typed.address }).then(
    () => undefined,
    (error: unknown) => destinationTrouble(view, error, asked),
  );
  return found ? [found] : [];
}

async function quoted(visit: Visit, read: Read): Promise<Answer> {
  const answer = await quote(visit, readWish(visit.view, read));
  return page(visit, answer, answer.troubles.length > 0 ? 422 : 200);
}

const shown = async (visit: Visit, read: Read): Promise<Answer> =>
  page(visit, { wish: { ...readWish(visit.view, read), troubles: [] }, troubles: [] }, 200);

async function create(visit: Visit, read: Read): Promise<Answer> {
  const { view, desk, form } = visit;
  const wish = readWish(view, read);
  const { address, refund } = wish.typed;
  const missing = address === '' ? [{ field: 'address', text: view.words.errors.addressMissing }] : [];
  const request = requestOf(wish, address);
  if (!request || wish.troubles.length + missing.length > 0) {
    const answer = await quote(visit, wish);
    return page(visit, { ...answer, troubles: [...answer.troubles, ...missing] }, 422);
  }
  const wanted = { ...request, ...(refund === '' ? {} : { refundAddress: refund }) };
  try {
    const { orderId, sessionId } = await desk.createSwap(wanted, {
      idempotencyKey: creationKey(form.text('key'), wanted),
    });
    return { to: `/order/${orderId}`, ownership: { id: orderId, session: sessionId } };
  } catch (error) {
    const answer = await quote(visit, wish);
    const from = wish.from && { decimals: wish.from.decimals, symbol: wish.from.symbol };
    // The quote has looked at the destination, so that an address which is refused beyond it is the other one.
    const isRefund =
      refund !== '' && isAboutAddress(error) && !answer.troubles.some(({ field }) => field === 'address');
    const asked = isRefund
      ? { addressField: 'refund', address: refund, chainId: request.fromChainId }
      : { addressField: 'address', address, chainId: request.toChainId };
    const trouble = troubleOf(view, error, { ...asked, amountField: wish.fixed, ...(from && { from }) });
    const troubles = answer.troubles.some(({ text }) => text === trouble.text)
      ? answer.troubles
      : [trouble, ...answer.troubles];
    return page(visit, { ...answer, troubles }, 422);
  }
}

/** Coins and amount, as a link names them; addresses are in no address of a page. */
function pathOf(view: View, { typed, fixed }: Wish): string {
  const first = firstPair(view);
  const fields = new URLSearchParams();
  for (const end of ['from', 'to'] as const) if (typed[end] !== first[end]) fields.set(end, typed[end]);
  if (typed[fixed] !== '') fields.set(fixed, typed[fixed]);
  return fields.size > 0 ? `/?${fields}` : '/';
}

function page(visit: Visit, answer: Quoted, status: number): Answer {
  const { view } = visit;
  const key = visit.form.text('key') || visit.newKey();
  return {
    page: <SwapPage view={view} formKey={key} {...answer} />,
    title: view.words.swap.title,
    back: pathOf(view, answer.wish),
    script: 'swap',
    status,
  };
}

function SwapPage({
  view,
  wish,
  quote,
  troubles,
  formKey,
}: Quoted & { readonly view: View; readonly formKey: string }): VNode {
  const { words, base } = view;
  const { typed, from, to, fixed } = wish;
  const send = fixed === 'receive' && quote ? showAtoms(quote.fromAmount, quote.fromDecimals) : typed.send;
  const receive =
    fixed === 'send' && quote ? showAtoms(quote.toAmount, quote.toDecimals) : fixed === 'send' ? '' : typed.receive;
  const errorOf = (field: string) => troubles.find((one) => one.field === field)?.text;
  return (
    <div class="narrow">
      <h1>{words.swap.title}</h1>
      <p class="lead">{words.swap.lead}</p>
      <Troubles title={words.errors.summary} troubles={troubles} />
      <live-quote
        data-quote={`${base}/quote`}
        data-search={words.swap.search}
        data-none={words.swap.noMatch}
        data-close={words.swap.close}
        data-unreached={words.errors.quoteUnreached}
      >
        <form method="post" action={`${base}/`} class="card swap">
          <input type="hidden" name="key" value={formKey} />
          <input type="hidden" name="shown-send" value={send} />
          <input type="hidden" name="shown-receive" value={receive} />
          <input type="hidden" name="fixed" value={fixed} />
          {/* The first button of a form is what the return key presses. */}
          <button type="submit" class="unseen" name="do" value="quote" tabIndex={-1} aria-hidden="true">
            {words.swap.showQuote}
          </button>
          <button type="submit" class="unseen" name="do" value="keep" tabIndex={-1} aria-hidden="true">
            {words.swap.showQuote}
          </button>
          <Side
            view={view}
            name="send"
            asset="from"
            amount={send}
            chosen={typed.from}
            error={errorOf('send') ?? errorOf('from')}
          />
          <div class="turn">
            <button
              type="submit"
              class="round"
              name="turn"
              value="1"
              aria-label={words.swap.turn}
              title={words.swap.turn}
            >
              <span aria-hidden="true">⇅</span>
            </button>
          </div>
          <Side
            view={view}
            name="receive"
            asset="to"
            amount={receive}
            chosen={typed.to}
            error={errorOf('receive') ?? errorOf('to')}
          />
          <QuotePanel view={view} wish={wish} {...(quote ? { quote } : {})} troubles={[]} />
          <Field
            name="address"
            label={words.swap.to(nameOf(to))}
            hint={words.swap.toHint(view.book.chain(to?.chainId ?? 0).name)}
            value={typed.address}
            error={errorOf('address')}
            isCode
          />
          <KeepAddress view={view} family={view.book.chain(to?.chainId ?? 0).family} />
          <Refund view={view} from={from} value={typed.refund} error={errorOf('refund')} />
          <p class="buttons">
            <button type="submit" class={quote ? 'button quiet no-script' : 'button no-script'} name="do" value="quote">
              {words.swap.showQuote}
            </button>
            <button type="submit" class={quote ? 'button' : 'button quiet'} name="do" value="create">
              {words.swap.create}
            </button>
          </p>
          <p class="hint centred">{words.swap.createHint}</p>
        </form>
      </live-quote>
    </div>
  );
}
