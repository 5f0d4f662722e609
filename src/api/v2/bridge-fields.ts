import type { Static } from '@sinclair/typebox';
import { amount, rescale, subtract } from '../../kernel/amount.ts';
import type { Order } from '../../life/order/order.ts';
import { actualOutput } from '../../life/order/view/v2-customer.ts';
import type { ApiDeps } from '../deps.ts';
import type { SwapOrder } from './schema.ts';

type Fields = Partial<Static<typeof SwapOrder>>;

/** What an order shows beside the common envelope when it is a bridge (D35, D39). */
export function bridgeFields(order: Order, { catalog }: ApiDeps): Fields {
  const { bridge, from, depositAddress } = order;
  if (!bridge) return {};
  const forms = catalog.chain(from.chainId)?.addressForms?.(depositAddress);
  return {
    destination: (order.replacement ?? order.destination).address,
    minimumDepositAmount: order.minimum.atoms.toString(),
    ...(bridge.direction === 'withdraw' ? { [`${bridge.asset}1DepositAddress`]: depositAddress } : {}),
    ...(bridge.direction === 'deposit' && forms ? { depositAddressForms: { ...forms } } : {}),
    ...settlement(order),
  };
}

/** A paid bridge shows what went in, what came out, and what was kept, in the coin that came out. */
function settlement(order: Order): Fields {
  const out = actualOutput(order);
  if (!out) return {};
  const { from, to, used } = order;
  const gross = amount(to.id, rescale(used.atoms, from.decimals, to.decimals, 'down'));
  const settled = (atoms: bigint, { decimals, symbol }: Order['from']) => ({
    ...{ amount: atoms.toString(), decimals, symbol },
  });
  const fee = settled(subtract(gross, out).atoms, to);
  return { bridgeSettlement: { input: settled(used.atoms, from), output: settled(out.atoms, to), fee } };
}
