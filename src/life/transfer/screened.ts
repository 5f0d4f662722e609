import { chainOf, intentParts } from '../../kernel/ids.ts';
import type { IntentKind } from '../../signer/request.ts';
import type { Refused } from '../../world/chains/chain.ts';
import type { Order } from '../order/order.ts';
import type { TransferStage } from './stage.ts';
import type { Wanted } from './wanted.ts';

/** Complete by type: whether the money goes to somebody else, who is screened once more before it does. */
const PAYS_SOMEBODY: Readonly<Record<IntentKind, boolean>> = {
  payout: true,
  refund: true,
  fee: true,
  fund: true,
  gas: false,
  sweep: false,
  rebalance: false,
  cold: false,
  fill: true,
  lend: false,
  reclaim: false,
};

/**
 * Time passes between taking an address and paying it, and lists grow meanwhile. What goes back to the very account that the
 * chain shows it came from is no dealing with that account, so a deposit that failed its own screening can be returned (3.1).
 */
export async function refusedByScreening(
  { screen, boundOf }: Pick<TransferStage, 'screen' | 'boundOf'>,
  { kind, intent, to, amount }: Wanted,
  order: Order | undefined,
): Promise<Refused | undefined> {
  if (!PAYS_SOMEBODY[kind]) return undefined;
  const claim =
    kind === 'refund' ? order?.claims.find(({ number }) => number === intentParts(intent).number) : undefined;
  const bound = order && claim ? await boundOf(order, claim) : undefined;
  if (bound && 'reason' in bound) return { refused: bound.reason };
  const isReturned = bound?.goes === 'back' && to === claim?.to?.address;
  if (isReturned || (kind === 'refund' && to === order?.sender?.address)) return undefined;
  const verdict = await screen(chainOf(amount.asset), [to]);
  return verdict === 'clear' ? undefined : { refused: 'the address did not pass screening' };
}
