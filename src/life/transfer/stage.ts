import type { Amount } from '../../kernel/amount.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { AssetId, ChainId } from '../../kernel/ids.ts';
import type { Signer } from '../../signer/request.ts';
import type { Chain } from '../../world/chains/chain.ts';
import type { Screen } from '../../world/screening/screen.ts';
import type { PaymentBooks } from './books.ts';

/** What transfers are made with. */
export interface TransferStage {
  readonly chain: (id: ChainId) => Chain;
  readonly signer: Signer;
  readonly screen: Screen;
  readonly books: PaymentBooks;
  readonly clock: Clock;
  /** A cost in a chain's own coin as an amount of another asset, rounded up; a `Fault` where nobody names a price. */
  readonly inAsset: (cost: Amount, asset: AssetId) => Promise<Amount>;
}
