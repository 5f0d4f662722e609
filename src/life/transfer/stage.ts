import type { Amount, Atoms } from '../../kernel/amount.ts';
import { present } from '../../kernel/assert.ts';
import type { BoundPurpose } from '../../kernel/binding.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { AssetId, ChainId, IntentId, OrderId } from '../../kernel/ids.ts';
import type { Signer } from '../../signer/request.ts';
import type { Chain } from '../../world/chains/chain.ts';
import type { ProviderOrder } from '../../world/providers/provider.ts';
import type { Screen } from '../../world/screening/screen.ts';
import type { ClaimBound } from '../order/claim-bound.ts';
import type { Claim, Order } from '../order/order.ts';
import type { Payment } from '../payment/payment.ts';
import type { PaymentBooks } from './books.ts';

/** What was agreed with a provider, and whether it is still to be paid. */
export interface AgreedDeal {
  readonly terms: Pick<ProviderOrder, 'deadline'>;
  readonly isWithdrawn?: boolean;
}

/** What transfers are made with. */
export interface TransferStage {
  readonly chain: (id: ChainId) => Chain;
  readonly signer: Signer;
  readonly screen: Screen;
  /** Where the money of a claim may go, by who sent it. */
  readonly boundOf: (order: Order, claim: Claim) => Promise<ClaimBound>;
  readonly books: PaymentBooks;
  /** What the house agreed to buy under this number. */
  readonly fill: (number: number) => Promise<AgreedDeal | undefined>;
  readonly clock: Clock;
  /** Binds how much an order is paid in all for one purpose. */
  readonly bindAmount: (order: OrderId, purpose: BoundPurpose, asset: AssetId, most: Atoms) => string;
  /** A cost in a chain's own coin as an amount of another asset, rounded up; a `Fault` where nobody names a price. */
  readonly inAsset: (cost: Amount, asset: AssetId) => Promise<Amount>;
}

/** The payment that an instruction names: an order was read with its own, those of the house are kept by themselves. */
export async function named(
  { books }: { readonly books: Pick<PaymentBooks, 'find'> },
  id: IntentId,
  order?: Order,
): Promise<Payment> {
  return order?.payments.find((one) => one.id === id) ?? present(await books.find(id), id);
}
