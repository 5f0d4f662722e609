import type { VNode } from 'preact';
import type { Operations } from '../../sdk/src/index.ts';
import { Field, type Trouble, Troubles } from '../parts/field.tsx';
import { Facts } from '../parts/notice.tsx';
import { isSenderless, VENUE_CHAIN } from '../server/desk.ts';
import { looksLikeOne, readPasted } from '../server/forms.ts';
import { isAboutAddress, troubleOf } from '../server/refused.ts';
import type { Answer, Site, Visit } from '../server/site.ts';
import type { View } from '../server/view.ts';
import { creationKey } from '../server/wish.ts';

type Terms = Operations['readBridgeTerms']['reply'];
type Direction = 'deposit' | 'withdraw';
type Asset = Operations['createBridge']['input']['asset'];

const ASSETS: readonly Asset[] = ['xmr', 'trx', 'zec'];
const DIRECTIONS: readonly Direction[] = ['deposit', 'withdraw'];

interface Chosen {
  readonly asset: Asset;
  readonly direction: Direction;
}

export function mountBridge(site: Site): void {
  site.get('/bridge', async (visit) => bridgePage(visit, chosenIn(visit.query), []));

  site.post('/bridge', async (visit) => {
    const { form, view, desk } = visit;
    const chosen = chosenIn({ get: (name) => form.text(name) });
    if (!chosen) return bridgePage(visit, undefined, []);
    const toAddress = readPasted(form.text('address')).address;
    const refund = readPasted(form.text('refund')).address;
    if (toAddress === '')
      return bridgePage(visit, chosen, [{ field: 'address', text: view.words.errors.addressMissing }]);
    const wish = { ...chosen, toAddress, ...(refund === '' ? {} : { refundAddress: refund }) };
    try {
      const { orderId, sessionId } = await desk.createBridge(wish, {
        idempotencyKey: creationKey(form.text('key'), wish),
      });
      return { to: `/order/${orderId}`, ownership: { id: orderId, session: sessionId } };
    } catch (error) {
      const native = nativeChain(view, chosen.asset);
      const isRefund = refund !== '' && isAboutAddress(error) && !looksLikeOne(refund, view.book.chain(native).family);
      const asked = isRefund
        ? { addressField: 'refund', address: refund, chainId: native }
        : {
            addressField: 'address',
            address: toAddress,
            chainId: chosen.direction === 'deposit' ? VENUE_CHAIN : native,
          };
      return bridgePage(visit, chosen, [troubleOf(view, error, asked)]);
    }
  });
}

function chosenIn(fields: { get(name: string): string | null }): Chosen | undefined {
  const asset = ASSETS.find((one) => one === fields.get('asset'));
  const direction = DIRECTIONS.find((one) => one === fields.get('direction'));
  return asset && direction ? { asset, direction } : undefined;
}

const nativeChain = ({ book }: View, asset: Asset): number =>
  book.tokens.find((token) => token.native && token.symbol.toLowerCase() === asset)?.chainId ?? -1;

/** Nobody is shown a page on which nothing can be filled in. */
function firstOn({ assets }: Terms): Chosen | undefined {
  const choices = ASSETS.flatMap((asset) => DIRECTIONS.map((direction) => ({ asset, direction })));
  return choices.find(({ asset, direction }) => assets.some((row) => row.asset === asset && row[direction]));
}

async function bridgePage(visit: Visit, asked: Chosen | undefined, troubles: readonly Trouble[]): Promise<Answer> {
  const { view, desk, form } = visit;
  const terms = await desk.readBridgeTerms();
  const chosen = asked ?? firstOn(terms);
  const { words } = view;
  return {
    title: words.bridge.title,
    script: 'swap',
    status: troubles.length > 0 ? 422 : 200,
    page: (
      <div class="narrow">
        <h1>{words.bridge.title}</h1>
        <p class="lead">{words.bridge.lead(view.book.chain(VENUE_CHAIN).name)}</p>
        <Troubles title={words.errors.summary} troubles={troubles} />
        <Choices view={view} terms={terms} chosen={chosen} />
        {chosen && (
          <Chosen
            view={view}
            terms={terms}
            chosen={chosen}
            troubles={troubles}
            formKey={form.text('key') || visit.newKey()}
            address={form.text('address')}
            refund={form.text('refund')}
          />
        )}
      </div>
    ),
  };
}

/** Every coin and direction the desk knows; what is off is shown with its reason and leads nowhere. */
function Choices({
  view,
  terms,
  chosen,
}: {
  readonly view: View;
  readonly terms: Terms;
  readonly chosen: Chosen | undefined;
}): VNode {
  const { words, base } = view;
  return (
    <ul class="choices-list">
      {terms.assets.flatMap((row) =>
        DIRECTIONS.map((direction) => {
          const text = words.bridge[direction](row.native, row.wrapped);
          const isChosen = chosen?.asset === row.asset && chosen.direction === direction;
          return (
            <li>
              {row[direction] ? (
                <a
                  class="choice"
                  href={`${base}/bridge?asset=${row.asset}&direction=${direction}`}
                  aria-current={isChosen ? 'true' : undefined}
                >
                  {text}
                </a>
              ) : (
                <span class="choice off">
                  {text} <small>{words.bridge.off}</small>
                </span>
              )}
            </li>
          );
        }),
      )}
    </ul>
  );
}

interface ChosenProps {
  readonly view: View;
  readonly terms: Terms;
  readonly chosen: Chosen;
  readonly troubles: readonly Trouble[];
  readonly formKey: string;
  readonly address: string;
  readonly refund: string;
}

function Chosen({ view, terms, chosen, troubles, formKey, address, refund }: ChosenProps): VNode | null {
  const { words, base, book } = view;
  const { asset, direction } = chosen;
  const row = terms.assets.find((one) => one.asset === asset);
  if (!row) return null;
  if (!row[direction]) return <p class="note warning">{words.bridge.offLine}</p>;
  const isDeposit = direction === 'deposit';
  const flat = terms.fees.withdrawalFlat[asset];
  const rate = isDeposit ? terms.fees.depositFeeRate : terms.fees.withdrawalFeeRate;
  const errorOf = (field: string) => troubles.find((one) => one.field === field)?.text;
  const where = book.chain(isDeposit ? VENUE_CHAIN : nativeChain(view, asset)).name;
  const sent = isDeposit ? row.native : row.wrapped;
  return (
    <form method="post" action={`${base}/bridge`} class="card">
      <input type="hidden" name="key" value={formKey} />
      <input type="hidden" name="asset" value={asset} />
      <input type="hidden" name="direction" value={direction} />
      <h2>{words.bridge[direction](row.native, row.wrapped)}</h2>
      <Facts
        look="brief"
        rows={[
          [
            words.bridge.fee,
            words.bridge.feeLine(percentOf(rate), isDeposit || flat === undefined ? '' : `${flat} ${row.native}`),
          ],
          [words.bridge.minimum, `${terms.minimums[asset]} ${sent}`],
          isDeposit && [words.bridge.confirmations, `${row.requiredConfirmations}`],
        ]}
      />
      <Field name="address" label={words.bridge.to(where)} value={address} error={errorOf('address')} isCode required />
      {isDeposit && isSenderless(book.chain(nativeChain(view, asset))) && (
        <Field
          name="refund"
          label={words.swap.refund(row.native)}
          hint={words.swap.refundHint(book.chain(nativeChain(view, asset)).name)}
          value={refund}
          error={errorOf('refund')}
          isCode
        />
      )}
      <p class="buttons">
        <button type="submit" class="button">
          {words.bridge.create}
        </button>
      </p>
    </form>
  );
}

/** A fraction as the contract gives it, in percent, by moving its point and not by reckoning. */
function percentOf(fraction: number): string {
  const [whole = '0', decimals = ''] = fraction
    .toLocaleString('en', { maximumFractionDigits: 12, useGrouping: false })
    .split('.');
  const moved = decimals.padEnd(2, '0');
  const text = `${whole}${moved.slice(0, 2)}`.replace(/^0+(?=\d)/, '');
  const rest = moved.slice(2).replace(/0+$/, '');
  return rest === '' ? text : `${text}.${rest}`;
}
