import { amount } from '../../kernel/amount.ts';
import type { Clock } from '../../kernel/clock.ts';
import { type Address, type AssetId, type ChainId, chainOf, type OrderId } from '../../kernel/ids.ts';
import { type Account, type Chain, coinOf, type Terms } from '../../world/chains/chain.ts';
import type { Screen } from '../../world/screening/screen.ts';
import type { Handler } from '../order/handling.ts';
import type { Destination, Order } from '../order/order.ts';

export interface DepositStage {
  readonly chain: (id: ChainId) => Chain;
  readonly screen: Screen;
  /** Binds the sender as a place to refund to. */
  readonly bindRefund: (order: OrderId, asset: AssetId, address: Address) => Destination;
  readonly clock: Clock;
}

/** Gas prices move between pricing and sending; what is too much stays on the address for next time. */
const GAS_MARGIN = 2n;

/** Coins on the deposit address that are the customer's own and pay for nothing. */
function owedCoins(order: Order, native: AssetId): bigint {
  return order.claims
    .filter((claim) => claim.amount.asset === native && claim.from !== 'hot' && claim.stage !== 'completed')
    .reduce((total, claim) => total + claim.amount.atoms, 0n);
}

/** What the account must still get before it can pay for its transfer without touching coins that go elsewhere. */
async function missingCoins(on: Chain, from: Account, coin: AssetId, { cost }: Terms, gone: bigint): Promise<bigint> {
  // Where the hot account pays the fee, the terms ask only for what the chain would miss here afterwards.
  if (on.facts.feePayer === 'hot') return cost;
  const { spendable } = await on.balance(from, coin);
  const missing = cost * GAS_MARGIN + gone - spendable;
  return missing > 0n ? missing : 0n;
}

export function depositHandlers({ chain, screen, bindRefund, clock }: DepositStage) {
  const judgeDeadline: Handler<'judge_deadline'> = async () => ({ fact: { fact: 'deadline_passed', at: clock.now() } });

  const screenDeposit: Handler<'screen_deposit'> = async (_, order) => {
    const { sender, senders } = order.funds;
    const verdict = senders.length > 0 ? await screen(chainOf(order.from.id), senders) : 'clear';
    const bound = sender && bindRefund(order.id, order.from.id, sender);
    return { fact: { fact: 'deposit_screened', clear: verdict === 'clear', sender: bound, at: clock.now() } };
  };

  const priceGas: Handler<'price_gas'> = async ({ effect }, order) => {
    const on = chain(chainOf(effect.amount.asset));
    const native = coinOf(on.facts).id;
    const at = clock.now();
    if (effect.from === 'hot') {
      return {
        fact: { fact: 'gas_priced', forWhat: effect.forWhat, needed: amount(native, 0n), hot: on.hotAddress, at },
      };
    }
    const claim = order.claims.find((one) => effect.forWhat.kind === 'refund' && one.leg === effect.forWhat.leg);
    const to = claim?.to?.address ?? on.hotAddress;
    const terms = await on.terms({ from: effect.from, asset: effect.amount.asset, atoms: effect.amount.atoms, to });
    if ('refused' in terms) {
      return { fact: { fact: 'intent_refused', intent: effect.forWhat, reason: terms.refused, cost: undefined, at } };
    }
    // Coins that are refunded are among the owed ones; those that are collected are not.
    const collected = effect.amount.asset === native && !claim ? effect.amount.atoms : 0n;
    const gone = owedCoins(order, native) + collected;
    const needed = amount(native, await missingCoins(on, effect.from, native, terms, gone));
    return { fact: { fact: 'gas_priced', forWhat: effect.forWhat, needed, hot: on.hotAddress, at } };
  };

  return { judge_deadline: judgeDeadline, screen_deposit: screenDeposit, price_gas: priceGas };
}
