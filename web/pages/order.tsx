import { createHash } from 'node:crypto';
import type { VNode } from 'preact';
import { type Client, type SwapOrder, WherryError } from '../../sdk/src/index.ts';
import { AskForCode } from '../parts/ask-for-code.tsx';
import { Contact } from '../parts/contact.tsx';
import { OrderDetails } from '../parts/order-details.tsx';
import { moodIcon } from '../server/qr.ts';
import { troubleOf } from '../server/refused.ts';
import type { Answer, Site, Visit } from '../server/site.ts';
import { money, plainName, shorten, showTime, type View } from '../server/view.ts';
import { creationKey } from '../server/wish.ts';
import { showState } from '../state/index.ts';
import { RefundBeside } from '../state/refund-beside.tsx';
import type { StateProps } from '../state/state.ts';

const RELOAD_SECONDS = 20;

export function mountOrder(site: Site): void {
  site.get('/order/:id', (visit) => owned(visit, async (order) => orderPage(visit, order)));

  site.post('/order/:id/go-on', (visit) =>
    owned(visit, async ({ orderId }, session) => {
      await visit.desk.closeDepositWait({ id: orderId }, { session }).catch(unlessConflict);
      return { to: `/order/${orderId}` };
    }),
  );
  site.post('/order/:id/refund-address', (visit) => giveAddress(visit, 'refund-address'));
  site.post('/order/:id/payout-address', (visit) => giveAddress(visit, 'payout-address'));

  site.post('/order/:id/again', (visit) =>
    owned(visit, async (order) => {
      // A bill names its receiver's sum and who earns by it: it is paid anew on its own page.
      if (visit.bill !== undefined) return { to: visit.bill };
      const created = await again(visit.desk, order);
      return { to: `/order/${created.orderId}`, ownership: { id: created.orderId, session: created.sessionId } };
    }),
  );
}

/** An id alone opens nothing: without the key the page asks for the recovery code, whether or not there is such an order. */
export async function owned(
  visit: Visit,
  work: (order: SwapOrder, session: string) => Promise<Answer>,
): Promise<Answer> {
  const { view, params, session } = visit;
  const id = params.id ?? '';
  const order = session === undefined ? undefined : await readOrder(visit.desk, id, session);
  if (order && session !== undefined) return work(order, session);
  const { words } = view;
  return {
    page: <AskForCode view={view} title={words.order.forgotten} line={words.order.forgottenHint} />,
    title: words.nav.recover,
    status: 404,
    isPrivate: true,
    isUnlisted: true,
  };
}

export async function readOrder(desk: Client, id: string, session: string): Promise<SwapOrder | undefined> {
  const read = /^(?:dep|wd)_/.test(id) ? desk.readBridge : desk.readSwap;
  return read({ id }, { session }).catch((error: unknown) => {
    if (error instanceof WherryError && error.status === 404) return undefined;
    throw error;
  });
}

/** Somebody was faster, or the order moved on: the page shows what is true now. */
function unlessConflict(error: unknown): undefined {
  if (error instanceof WherryError && error.status === 409) return undefined;
  throw error;
}

function again(desk: Client, order: SwapOrder) {
  const { fromChainId, fromToken, toChainId, toToken, toAddress, depositAmount: fromAmount, refundAddress } = order;
  const refund = refundAddress === null ? {} : { refundAddress };
  if (order.product === 'bridge') {
    const asset = order.asset as 'xmr' | 'trx' | 'zec';
    const wish = { asset, direction: order.direction ?? 'deposit', toAddress, ...refund };
    return desk.createBridge(wish, { idempotencyKey: creationKey(order.orderId, wish) });
  }
  const wish = { fromChainId, fromToken, toChainId, toToken, toAddress, fromAmount, ...refund };
  return desk.createSwap(wish, { idempotencyKey: creationKey(order.orderId, wish) });
}

function orderPage({ view, query }: Visit, order: SwapOrder, wrong?: StateProps['wrong']): Answer {
  const state = showState({ view, order, ...(wrong ? { wrong } : {}) });
  const hasForm = order.customerState.kind === 'action_required';
  const reload = query.get('reload') === '1' && !hasForm && !isOver(order) ? RELOAD_SECONDS : undefined;
  return {
    page: <OrderPage view={view} order={order} isReloading={reload !== undefined} {...(wrong ? { wrong } : {})} />,
    title: state.title,
    mood: state.mood,
    script: 'order',
    isPrivate: true,
    isUnlisted: true,
    ...(wrong ? { status: 422 } : {}),
    ...(reload === undefined ? {} : { reload }),
  };
}

/** The part that a socket renews. */
export function OrderState(props: StateProps): VNode {
  const state = showState(props);
  return (
    <div
      id="state"
      data-title={`${state.title} · ${props.view.settings.name}`}
      data-icon={moodIcon(state.mood)}
      data-over={isOver(props.order) ? '1' : undefined}
      data-mark={markOf(props.order)}
    >
      <section class="card state">{state.body}</section>
      <RefundBeside {...props} />
      <OrderDetails view={props.view} order={props.order} />
    </div>
  );
}

/** Two readings with the same mark tell the same: the second one is no news, whenever it was made. */
export function markOf({ updatedAt: _, ...told }: SwapOrder): string {
  return createHash('sha256').update(JSON.stringify(told)).digest('base64url').slice(0, 16);
}

const OVER: ReadonlySet<string> = new Set(['completed', 'refunded', 'failed']);
const isOver = ({ status, refundRecoveries }: SwapOrder): boolean =>
  OVER.has(status) && refundRecoveries.every(({ phase }) => phase === 'completed' || phase === 'blocked');

function OrderPage({ view, order, wrong, isReloading }: StateProps & { readonly isReloading: boolean }): VNode {
  const { words, base } = view;
  const path = `${base}/order/${order.orderId}`;
  return (
    <div class="narrow">
      <p class="crumb">
        {words.order.title(plainName(order.fromSymbol), plainName(order.toSymbol))}{' '}
        <bdi class="code">{shorten(order.orderId)}</bdi>
      </p>
      <live-order
        data-live={`${path}/live`}
        data-read={`${path}/state`}
        data-id={order.orderId}
        data-label={labelOf(view, order)}
        data-lost={words.errors.unreachable('{time}')}
      >
        <p class="note warning" role="status" id="lost" hidden />
        <p class="note info" id="moved" hidden>
          {words.order.changed} <a href={path}>{words.order.changedShow}</a>
        </p>
        <p class="unseen" role="status" id="news" />
        <OrderState view={view} order={order} {...(wrong ? { wrong } : {})} />
      </live-order>
      {/* An order that is over has nothing new to tell. */}
      {!isOver(order) && (
        <p class="buttons no-script">
          <a class="button quiet" href={path}>
            {words.order.reload}
          </a>
          <a class="button quiet" href={isReloading ? path : `${path}?reload=1`}>
            {isReloading ? words.order.stopReload : words.order.autoReload}
          </a>
        </p>
      )}
      <nav class="order-links" aria-label={words.order.details}>
        <a href={`${path}/recovery`}>{words.order.recovery}</a>
        <a href={`${path}/receipt`}>{words.order.receipt}</a>
        {!isOver(order) && order.status !== 'expired' && (
          <tell-me data-done={words.order.told}>
            <button type="button" class="link" hidden>
              {words.order.tell}
            </button>
          </tell-me>
        )}
      </nav>
      <details class="help-line">
        <summary>{words.order.help}</summary>
        <p>{words.order.helpLine}</p>
        <p class="code">{order.orderId}</p>
        <p>
          <Contact view={view} />
        </p>
      </details>
    </div>
  );
}

const labelOf = (view: View, order: SwapOrder): string =>
  `${order.product === 'bridge' ? plainName(order.fromSymbol) : money(order.depositAmount, order.fromDecimals, order.fromSymbol)} → ${plainName(order.toSymbol)}, ${showTime({ ...view, now: (view.now + 86_400_000) as View['now'] }, order.createdAt)}`;

type AddressKind = 'refund-address' | 'payout-address';

/** Asked twice: first whether it is right, then it is saved and cannot be changed. */
function giveAddress(visit: Visit, kind: AddressKind): Promise<Answer> {
  const { view, form, desk } = visit;
  return owned(visit, async (order, session) => {
    const given = form.text(kind);
    const chainId =
      kind === 'refund-address'
        ? (order.refundRecovery?.chainId ?? order.toChainId)
        : (order.deliveredToken?.chainId ?? order.toChainId);
    if (given === '') return orderPage(visit, order, { field: kind, text: view.words.errors.addressMissing, given });
    if (!form.has('sure')) return confirmPage(visit, order, kind, given, view.book.chain(chainId).name);
    try {
      if (kind === 'refund-address')
        await desk.saveRefundAddress({ id: order.orderId, refundAddress: given }, { session });
      else await desk.savePayoutAddress({ id: order.orderId, payoutAddress: given }, { session });
    } catch (error) {
      if (error instanceof WherryError && error.status === 409) return { to: `/order/${order.orderId}` };
      const { text } = troubleOf(view, error, { addressField: kind, address: given, chainId });
      return orderPage(visit, order, { field: kind, text, given });
    }
    return { to: `/order/${order.orderId}` };
  });
}

function confirmPage({ view }: Visit, order: SwapOrder, kind: AddressKind, given: string, chain: string): Answer {
  const { words, base } = view;
  const path = `${base}/order/${order.orderId}`;
  return {
    page: (
      <div class="narrow">
        <section class="card">
          <h1>{words.refund.confirmTitle}</h1>
          <p>{words.refund.confirmLine}</p>
          <p class="chosen">
            <span>{chain}</span>
            <bdi class="code">{given}</bdi>
          </p>
          <form method="post" action={`${path}/${kind}`} class="action">
            <input type="hidden" name={kind} value={given} />
            <input type="hidden" name="sure" value="1" />
            <p class="buttons">
              <a class="button quiet" href={path}>
                {words.refund.back}
              </a>
              <button type="submit" class="button">
                {kind === 'refund-address' ? words.refund.confirm : words.payout.confirm}
              </button>
            </p>
          </form>
        </section>
      </div>
    ),
    title: words.refund.confirmTitle,
    isPrivate: true,
    isUnlisted: true,
  };
}
