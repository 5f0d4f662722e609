import type { Config } from '../../src/app/config.ts';
import type { Rules } from '../../src/life/order/rules.ts';
import type { Db } from '../../src/store/db.ts';
import type { Outbound } from '../../src/world/outbound/http.ts';
import type { World } from './world.ts';

/** A bug that is planted in the desk: it bends what an engine says to others or they to it, its settings, or the database. */
export interface Bug {
  readonly name: string;
  /** Which check finds it. */
  readonly foundBy: string;
  readonly plant?: (world: World) => {
    readonly outbound?: (real: Outbound) => Outbound;
    readonly signerOutbound?: (real: Outbound) => Outbound;
    readonly database?: (real: Db) => Db;
  };
  readonly rules?: Partial<Rules>;
  readonly config?: (config: Config) => Config;
  readonly prepare?: (db: Db) => Promise<void>;
  readonly skipsRestore?: boolean;
}
