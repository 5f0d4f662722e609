import type { Atoms } from '../../kernel/amount.ts';
import type { Instant } from '../../kernel/clock.ts';
import type { Address, AssetId, OrderId, TxHash } from '../../kernel/ids.ts';

/** What of a sighting was told to its order. */
export type ToldSighting = Pick<KeptSighting, 'key' | 'state' | 'blockHash'>;

/** A sighting as it is kept. `gone`: the chain or the pool took it back. */
export interface KeptSighting {
  readonly key: string;
  readonly orderId: OrderId | undefined;
  /** The version of its order in the moment in which this was read. */
  readonly orderVersion?: number;
  readonly address: Address;
  readonly asset: AssetId;
  readonly atoms: Atoms;
  readonly credited: Atoms;
  readonly txHash: TxHash;
  readonly height: number | undefined;
  readonly blockHash: string | undefined;
  readonly sender: Address | undefined;
  readonly firstSeenAt: Instant;
  readonly state: 'pool' | 'mined' | 'final' | 'gone';
  /** A mining reward: it stands, and cannot be carried out. */
  readonly isReward: boolean;
  readonly changed: boolean;
  /** An engine has asked the chain about exactly this; false where a row only says so. */
  readonly isProven: boolean;
}
