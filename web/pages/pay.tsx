import { type Client, type Token, WherryError } from '../../sdk/src/index.ts';
import { AssetSelect } from '../parts/asset-select.tsx';
import { type Bill, BillHead, billPath, billTitle } from '../parts/bill.tsx';
import { QuoteLines } from '../parts/fee-lines.tsx';
import { type Trouble, Troubles } from '../parts/field.tsx';
import { Facts } from '../parts/notice.tsx';
import { Refund } from '../parts/swap-form.tsx';
import { tokenKey } from '../server/desk.ts';
import { readAmount, showAtoms } from '../server/forms.ts';
import { isAboutAddress, troubleOf } from '../server/refused.ts';
import type { Answer, Site, Visit } from '../server/site.ts';
import { money, plainName } from '../server/view.ts';
import { creationKey, firstPayment } from '../server/wish.ts';

/** A bill, and the integration whose link brought it. */
interface ReferredBill extends Bill {
  readonly ref: string;
}

const FIELDS = ['to', 'amount', 'address', 'name', 'ref'] as const;
/** The public name of an integration; a key is never one. */
const REF = /^int_\w{1,60}$/;

export function mountPay(site: Site): void {
  site.get('/pay', async (visit) => {
    const bill = billOf(visit, (name) => (visit.query.get(name) ?? '').trim().slice(0, 500));
    return bill ? payPage(visit, bill, '', []) : broken(visit);
  });

  site.post('/pay', async (visit) => {
    const { form, view } = visit;
    const bill = billOf(visit, (name) => form.text(name));
    if (!bill) return broken(visit);
    const from = view.book.token(form.text('from'));
    if (!from?.deposit)
      return payPage(visit, bill, form.text('from'), [{ field: 'from', text: view.words.errors.assetMissing }]);
    if (form.text('do') !== 'create') return payPage(visit, bill, form.text('from'), []);
    const refund = form.text('refund');
    const wish = { ...requestOf(bill, from), ...(refund === '' ? {} : { refundAddress: refund }) };
    try {
      const idempotencyKey = creationKey(form.text('key'), wish);
      const { orderId, sessionId } = await referred(visit, bill, (desk) => desk.createSwap(wish, { idempotencyKey }));
      const ownership = { id: orderId, session: sessionId };
      return { to: `/order/${orderId}`, ownership, bill: billPath(bill, bill.ref) };
    } catch (error) {
      // The bill itself was quoted before: an address that is refused now is the refund's.
      const isRefund = refund !== '' && isAboutAddress(error);
      const trouble = troubleOf(view, error, {
        ...(isRefund
          ? { addressField: 'refund', address: refund, chainId: from.chainId }
          : { addressField: 'from', address: bill.address, chainId: bill.to.chainId }),
        amountField: 'from',
        from,
      });
      return payPage(visit, bill, form.text('from'), [trouble]);
    }
  });
}

function billOf({ view }: Visit, field: (name: (typeof FIELDS)[number]) => string): ReferredBill | undefined {
  const to = view.book.token(field('to'));
  const read = to && readAmount(field('amount'), to.decimals);
  const [address, name] = [field('address'), field('name')];
  if (!to?.payout || !read || !('atoms' in read) || address === '') return undefined;
  const ref = REF.test(field('ref')) ? field('ref') : '';
  return { to, atoms: read.atoms, address, name: plainName(name), ref };
}

/** A link outlives the integration that made it: the bill can be paid all the same, and then nobody earns a fee. */
async function referred<T>(visit: Visit, { ref }: ReferredBill, ask: (desk: Client) => Promise<T>): Promise<T> {
  if (ref === '') return ask(visit.desk);
  try {
    return await ask(visit.deskBy(ref));
  } catch (error) {
    if (error instanceof WherryError && error.code === 'invalid_key') return ask(visit.desk);
    throw error;
  }
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

async function payPage(visit: Visit, bill: ReferredBill, chosen: string, given: readonly Trouble[]): Promise<Answer> {
  const { view, form } = visit;
  const { words, base, book } = view;
  const from = chosen === '' ? firstPayment(view, bill.to) : book.token(chosen);
  const key = from ? tokenKey(from) : chosen;
  const troubles = [...given];
  const quote =
    from && chosen !== '' && given.length === 0
      ? await referred(visit, bill, (desk) => desk.quoteSwap(requestOf(bill, from))).catch((error: unknown) => {
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
  const errorOf = (name: string) => troubles.find(({ field }) => field === name)?.text;
  return {
    title: billTitle(view, bill),
    back: billPath(bill, bill.ref),
    script: 'swap',
    isUnlisted: true,
    status: troubles.length > 0 ? 422 : 200,
    page: (
      <div class="narrow">
        <BillHead view={view} bill={bill} level="h1" />
        <Troubles title={words.errors.summary} troubles={troubles} />
        <form method="post" action={`${base}/pay`} class="card">
          <input type="hidden" name="key" value={form.text('key') || visit.newKey()} />
          <input type="hidden" name="to" value={`${bill.to.chainId}:${bill.to.token}`} />
          <input type="hidden" name="amount" value={showAtoms(bill.atoms, bill.to.decimals)} />
          <input type="hidden" name="address" value={bill.address} />
          <input type="hidden" name="name" value={bill.name} />
          {bill.ref !== '' && <input type="hidden" name="ref" value={bill.ref} />}
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
          <Refund view={view} from={from} value={form.text('refund')} error={errorOf('refund')} />
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
