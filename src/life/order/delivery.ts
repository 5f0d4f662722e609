import type { Amount } from '../../kernel/amount.ts';
import type { Instant } from '../../kernel/clock.ts';
import type { Address, ChainId, TxHash } from '../../kernel/ids.ts';

/** What a provider says that it sent to an account of ours, for one deal. */
export interface Delivery {
  readonly deal: string;
  readonly chain: ChainId;
  readonly account: Address;
  readonly told: Amount;
  readonly txHash: TxHash | undefined;
  readonly since: Instant;
}
