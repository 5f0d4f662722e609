import { type Atoms, atoms } from '../kernel/amount.ts';
import type { Instant } from '../kernel/clock.ts';
import { type Address, type AssetId, chainOf } from '../kernel/ids.ts';
import type { Db, Statement } from './db.ts';

/** Told whenever a question is left, with the number of its chain. */
export const PRICE_ASKED = 'wherry_price';

const FIND: Statement = {
  name: 'payout_price_find',
  text: 'SELECT usual, opening, answered_at FROM payout_price WHERE asset = $1 AND address = $2',
};
const ASK: Statement = {
  name: 'payout_price_ask',
  text: `WITH asked AS (
      INSERT INTO payout_price (asset, address, asked_at) VALUES ($1, $2, $3)
      ON CONFLICT (asset, address) DO UPDATE SET asked_at = greatest(payout_price.asked_at, excluded.asked_at) RETURNING 1)
    SELECT pg_notify('${PRICE_ASKED}', $4) FROM asked`,
};
const ASKED: Statement = {
  name: 'payout_price_asked',
  text: `SELECT asset, address FROM payout_price WHERE (answered_at IS NULL OR answered_at < asked_at) AND asked_at > $1
      AND asset = ANY ($2)
    ORDER BY asked_at LIMIT 32`,
};
const ANSWER: Statement = {
  name: 'payout_price_answer',
  text: `INSERT INTO payout_price (asset, address, asked_at, answered_at, usual, opening) VALUES ($1, $2, $3, $3, $4, $5)
    ON CONFLICT (asset, address) DO UPDATE SET answered_at = greatest(excluded.answered_at, payout_price.asked_at),
      usual = excluded.usual, opening = excluded.opening`,
};
const FORGET: Statement = {
  name: 'payout_price_forget',
  text: `DELETE FROM payout_price WHERE address <> '' AND asked_at < $1`,
};

/** Nobody asks for this payee in particular. */
const ANYBODY = '';

/** In the coin of the asset's chain: the payment itself, and an account that is opened for it. */
interface Price {
  readonly usual: Atoms;
  readonly opening: Atoms;
}

export interface AnsweredPrice extends Price {
  readonly at: Instant;
}

/** What paying an address costs: questions of those who quote, and the engine's answers. */
export function openPayoutPrices(db: Db) {
  return {
    async find(asset: AssetId, to: Address | undefined): Promise<AnsweredPrice | undefined> {
      const [row] = await db.query(FIND, [asset, to ?? ANYBODY]);
      if (row?.answered_at == null) return undefined;
      const of = (value: unknown) => atoms(BigInt(value as string));
      return { usual: of(row.usual), opening: of(row.opening), at: Number(row.answered_at) as Instant };
    },

    async ask(asset: AssetId, to: Address, at: Instant): Promise<void> {
      await db.query(ASK, [asset, to, at, String(chainOf(asset))]);
    },

    /** The oldest questions about these assets since then that nobody has answered. */
    async asked(
      assets: readonly AssetId[],
      since: Instant,
    ): Promise<readonly { readonly asset: AssetId; readonly to: Address }[]> {
      const rows = await db.query(ASKED, [since, assets]);
      return rows.map((row) => ({ asset: row.asset as AssetId, to: row.address as Address }));
    },

    async answer(asset: AssetId, to: Address | undefined, { usual, opening }: Price, at: Instant): Promise<void> {
      await db.query(ANSWER, [asset, to ?? ANYBODY, at, usual.toString(), opening.toString()]);
    },

    async forget(before: Instant): Promise<void> {
      await db.query(FORGET, [before]);
    },
  };
}
