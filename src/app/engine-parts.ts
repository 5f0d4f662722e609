import type { Submit } from '../engine/submit.ts';
import type { Amount } from '../kernel/amount.ts';
import type { Clock } from '../kernel/clock.ts';
import type { ChainId } from '../kernel/ids.ts';
import type { UsdMicros } from '../kernel/usd.ts';
import type { Rules } from '../life/order/rules.ts';
import type { SignerClient } from '../signer/client.ts';
import type { Chain } from '../world/chains/chain.ts';
import type { Venue } from '../world/venues/venue.ts';
import type { Config } from './config.ts';
import type { EngineBooks } from './engine-books.ts';
import type { AppLog } from './log.ts';

/** What the handlers of instructions and the rounds of an engine share. */
export interface EngineParts {
  readonly config: Config;
  readonly books: EngineBooks;
  readonly submit: Submit;
  readonly rules: Rules;
  readonly clock: Clock;
  readonly log: AppLog;
  readonly chain: (id: ChainId) => Chain;
  readonly venue: Venue;
  readonly signer: SignerClient;
  /** undefined where nobody names a price. */
  dollarsOf(of: Amount): Promise<UsdMicros | undefined>;
  /** Told of whoever brought another amount than was agreed. */
  fellShort(provider: string, deal: string): Promise<void>;
}
