import { type ReplicaReads, readReplica } from '../engine/replica-reads.ts';
import { startRounds } from '../engine/rounds.ts';
import type { Running } from '../engine/worker.ts';
import { type Db, openDb } from '../store/db.ts';
import { type Orders, openOrders } from '../store/orders.ts';
import { openStanding } from '../store/replica.ts';
import type { Config } from './config.ts';
import type { AppLog } from './log.ts';
import type { Metrics } from './metrics.ts';

const EVERY_MS = 1_000;

export interface ReplicaOf {
  readonly db: Db;
  readonly orders: Pick<Orders, 'findAll'>;
  readonly metrics: Pick<Metrics, 'replica'>;
  readonly log: AppLog;
}

/** Orders that are read from the replica of the settings; undefined where they name none. */
export function openReplica(
  { databaseReplica, databaseConnections }: Pick<Config, 'databaseReplica' | 'databaseConnections'>,
  { db, orders, metrics: { replica: shown }, log }: ReplicaOf,
): { readonly reads: ReplicaReads; watch(): Running } | undefined {
  if (databaseReplica === undefined) return undefined;
  const replica = openDb(databaseReplica, databaseConnections);
  const reads = readReplica({
    primary: orders,
    replica: openOrders(replica),
    standings: openStanding(db, replica),
    served: (by, n) => shown.reads.inc({ by }, n),
  });
  return {
    reads,
    /** Begins when the feed is heard: what was written before that must be on the replica first. */
    watch() {
      const rounds = startRounds('replica', EVERY_MS, log, async () => {
        const standing = await reads.look();
        shown.used.set(standing?.isUsed ? 1 : 0);
        if (standing) shown.behind.set(standing.behind);
        return false;
      });
      return {
        stop: async () => {
          await rounds.stop();
          await replica.close();
        },
      };
    },
  };
}
