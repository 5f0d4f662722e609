import type { Clock } from '../../kernel/clock.ts';
import type { ChainId } from '../../kernel/ids.ts';
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
}
