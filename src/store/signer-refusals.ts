import type { Clock, Instant } from '../kernel/clock.ts';
import type { Db, Statement } from './db.ts';

/** PORT. What the signer refused because it contradicts what it knows. */
export interface SignerRefusals {
  /** Counts the same refusal of the same request once. */
  note(intent: string, refused: string): Promise<void>;
  /** undefined: none since then. */
  since(
    at: Instant,
  ): Promise<
    { readonly count: number; readonly last: { readonly intent: string; readonly refused: string } } | undefined
  >;
}

const NOTE: Statement = {
  name: 'signer_refusal_note',
  text: 'INSERT INTO signer_refusal (intent, refused, at) VALUES ($1, $2, $3) ON CONFLICT (intent, refused) DO NOTHING',
};
const SINCE: Statement = {
  name: 'signer_refusals_since',
  text: `SELECT intent, refused, count(*) OVER () AS count FROM signer_refusal WHERE at > $1 ORDER BY at DESC LIMIT 1`,
};

export function openSignerRefusals(db: Db, clock: Clock): SignerRefusals {
  return {
    async note(intent, refused) {
      await db.query(NOTE, [intent, refused, clock.now()]);
    },
    async since(at) {
      const [row] = await db.query(SINCE, [at]);
      return (
        row && { count: Number(row.count), last: { intent: row.intent as string, refused: row.refused as string } }
      );
    },
  };
}
