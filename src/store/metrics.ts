import type { Instant } from '../kernel/clock.ts';
import type { Db, Statement } from './db.ts';

const SAVE: Statement = {
  name: 'metrics_save',
  text: `INSERT INTO process_metrics (worker, metrics, at) VALUES ($1, $2::jsonb, $3)
    ON CONFLICT (worker) DO UPDATE SET metrics = excluded.metrics, at = excluded.at`,
};
const RECENT: Statement = { name: 'metrics_recent', text: 'SELECT metrics FROM process_metrics WHERE at > $1' };
const FORGET: Statement = { name: 'metrics_forget', text: 'DELETE FROM process_metrics WHERE at < $1' };

/** Processes without a port of their own leave their numbers here; the operator's port shows the sum. */
export function openMetricsBook(db: Db) {
  return {
    async save(worker: number, metrics: unknown, at: Instant): Promise<void> {
      await db.query(SAVE, [worker, JSON.stringify(metrics), at]);
    },
    async recent(since: Instant): Promise<readonly unknown[]> {
      return (await db.query(RECENT, [since])).map((row) => row.metrics);
    },
    async forget(before: Instant): Promise<void> {
      await db.query(FORGET, [before]);
    },
  };
}
