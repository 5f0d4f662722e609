import type { Token } from '../../sdk/src/index.ts';
import { AssetSelect } from '../parts/asset-select.tsx';
import { QuoteLines } from '../parts/fee-lines.tsx';
import { Field, type Trouble, Troubles } from '../parts/field.tsx';
import { Facts } from '../parts/notice.tsx';
import { readAmount, showAtoms } from '../server/forms.ts';
import { troubleOf } from '../server/refused.ts';
import type { Answer, Site, Visit } from '../server/site.ts';
import { money, plainName } from '../server/view.ts';
import { creationKey, firstPair } from '../server/wish.ts';

/** What a payment link fixes: the receiver's side, to the last atom. */
interface Bill {
  readonly to: Token;
  readonly atoms: bigint;
  readonly address: string;
  readonly name: string;
}

const FIELDS = ['to', 'amount', 'address', 'name'] as const;

export function mountPay(site: Site): void {
  site.get('/pay', async (visit) => {
    const bill = billOf(visit, (name) => (visit.query.get(name) ?? '').trim().slice(0, 500));
    return bill ? payPage(visit, bill, '', []) : broken(visit);
  });

  site.post('/pay', async (visit) => {
    const { form, view, desk } = visit;
    const bill = billOf(visit, (name) => form.text(name));
    if (!bill) return broken(visit);
    const from = view.book.token(form.text('from'));
    if (!from?.deposit)
      return payPage(visit, bill, form.text('from'), [{ field: 'from', text: view.words.errors.assetMissing }]);
    if (form.text('do') !== 'create') return payPage(visit, bill, form.text('from'), []);
    const refund = form.text('refund');
    const wish = { ...requestOf(bill, from), ...(refund === '' ? {} : { refundAddress: refund }) };
    try {
      const { orderId, sessionId } = await desk.createSwap(wish, {
        idempotencyKey: creationKey(form.text('key'), wish),
      });
      return { to: `/order/${orderId}`, proof: { id: orderId, session: sessionId } };
    } catch (error) {
      const trouble = troubleOf(view, error, {
        addressField: 'from',
        address: bill.address,
        chainId: bill.to.chainId,
        amountField: 'from',
        from,
      });
      return payPage(visit, bill, form.text('from'), [trouble]);
    }
  });
}

function billOf({ view }: Visit, field: (name: (typeof FIELDS)[number]) => string): Bill | undefined {
  const to = view.book.token(field('to'));
  const read = to && readAmount(field('amount'), to.decimals);
  const [address, name] = [field('address'), field('name')];
  if (!to?.payout || !read || !('atoms' in read) || address === '') return undefined;
  return { to, atoms: read.atoms, address, name: plainName(name) };
}

const requestOf = ({ to, atoms, address }: Bill, from: Token) => ({
  fromChainId: from.chainId,
  fromToken: from.token,
  toChainId: to.chainId,
  toToken: to.token,
  toAddress: address,
  toAmount: `${atoms}`,
});

function broken({ view }: Visit): Answer {
  const { words } = view;
  return {
    title: words.errors.notFoundTitle,
    status: 400,
    page: (
      <div class="narrow">
        <section class="card">
          <h1>{words.errors.notFoundTitle}</h1>
          <p>{words.pay.broken}</p>
        </section>
      </div>
    ),
  };
}

async function payPage(visit: Visit, bill: Bill, chosen: string, given: readonly Trouble[]): Promise<Answer> {
  const { view, desk, form } = visit;
  const { words, base, book } = view;
  const key = chosen || firstPair(view).from;
  const from = book.token(key);
  const troubles = [...given];
  const quote =
    from && chosen !== '' && given.length === 0
      ? await desk.quoteSwap(requestOf(bill, from)).catch((error: unknown) => {
          troubles.push(
            troubleOf(view, error, {
              addressField: 'from',
              address: bill.address,
              chainId: bill.to.chainId,
              amountField: 'from',
              from,
            }),
          );
          return undefined;
        })
      : undefined;
  const chain = book.chain(bill.to.chainId).name;
  const isSenderless = from !== undefined && ['monero', 'zcash'].includes(book.chain(from.chainId).family);
  const title = words.pay.title(bill.name || words.pay.someone);
  return {
    title,
    script: 'swap',
    isUnlisted: true,
    status: troubles.length > 0 ? 422 : 200,
    page: (
      <div class="narrow">
        <h1>{title}</h1>
        <p class="lead">{words.pay.gets(money(bill.atoms, bill.to.decimals, bill.to.symbol), chain)}</p>
        <Troubles title={words.errors.summary} troubles={troubles} />
        <form method="post" action={`${base}/pay`} class="card">
          <input type="hidden" name="key" value={form.text('key') || visit.newKey()} />
          <input type="hidden" name="to" value={`${bill.to.chainId}:${bill.to.token}`} />
          <input type="hidden" name="amount" value={showAtoms(bill.atoms, bill.to.decimals)} />
          <input type="hidden" name="address" value={bill.address} />
          <input type="hidden" name="name" value={bill.name} />
          <Facts rows={[[words.pay.to, <bdi class="code">{bill.address}</bdi>]]} />
          <p class="note info">{words.pay.locked}</p>
          <div class="field">
            <label for="from">{words.pay.send}</label>
            <AssetSelect view={view} name="from" chosen={key} label={words.pay.send} />
          </div>
          {quote && (
            <section class="quote" aria-label={words.quote.title}>
              <p class="figure">{words.quote.about(money(quote.fromAmount, quote.fromDecimals, quote.fromSymbol))}</p>
              <QuoteLines view={view} quote={quote} />
            </section>
          )}
          {isSenderless && (
            <Field
              name="refund"
              label={words.swap.refund(plainName(from.symbol))}
              hint={words.swap.refundHint(book.chain(from.chainId).name)}
              value={form.text('refund')}
              isCode
            />
          )}
          <p class="buttons">
            <button type="submit" class={quote ? 'button quiet' : 'button'} name="do" value="quote">
              {words.swap.showQuote}
            </button>
            {quote && (
              <button type="submit" class="button" name="do" value="create">
                {words.swap.create}
              </button>
            )}
          </p>
        </form>
      </div>
    ),
  };
}
