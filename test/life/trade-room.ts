import assert from 'node:assert/strict';
import { openEngineBooks } from '../../src/app/engine-books.ts';
import { type Amount, amount } from '../../src/kernel/amount.ts';
import { later } from '../../src/kernel/clock.ts';
import type { AssetId } from '../../src/kernel/ids.ts';
import { percent } from '../../src/kernel/ratio.ts';
import type { StockFill } from '../../src/life/execution/stock-levels.ts';
import { stockTrader, type TradeParts } from '../../src/life/execution/stock-trade.ts';
import { move } from '../../src/life/payment/posting.ts';
import type { SignedTrade } from '../../src/signer/request.ts';
import type { Statement } from '../../src/store/db.ts';
import { signTradeBody } from '../../src/world/venues/hyperliquid/codec.ts';
import { SEAL_KEY } from '../seal-key.ts';
import { ACCOUNT, KEY, openVenue } from '../sim/hyperliquid-bench.ts';
import { openCaseRoom } from './case-room.ts';

export const COIN = 10n ** 8n;
export const LIFE_MS = 20_000;
const HOUR_MS = 3_600_000;
const MID = 300n;
const BOOK = { mid: `${MID}`, depthUsd: 250_000, spreadBps: 10 };
const SENT_BY_OTHERS: Statement = {
  name: 'story_sent_by_others',
  text: `SELECT count(*) AS n FROM posting
    WHERE owner = 'treasury' AND from_account = 'world' AND to_account = 'treasury' AND asset = $1`,
};
const ELSEWHERE = `0x${'de'.repeat(20)}`;

export type Change = Partial<StockFill> & { readonly parts?: (parts: TradeParts) => TradeParts };

/** A desk on a simulated venue. Of XMR1 five are too few and ten are wanted, of dollars a thousand and ten thousand; each is filled from the other. */
export async function openTradeRoom() {
  const room = await openCaseRoom();
  const books = openEngineBooks(room.db, room.clock, SEAL_KEY);
  const { venue, simulator, close } = await openVenue({ now: room.clock.now, startBook: BOOK });
  // Whoever opens an account pays for it.
  simulator.credit(ELSEWHERE, 'USDC', COIN);
  const { base, quote } = venue.market;
  const treasury = (asset: typeof base) => books.ledger.balance('treasury', asset);
  let posted = 0;

  /** As if customers had brought some and taken the rest: the venue and the ledger both have so much. */
  async function stock(...wanted: readonly Amount[]): Promise<void> {
    const held = new Map((await venue.balances()).map((one) => [one.asset, one.atoms]));
    for (const { asset, atoms } of wanted) {
      const token = asset === base ? 'XMR1' : 'USDC';
      const more = atoms - (held.get(asset) ?? 0n);
      if (more > 0n) simulator.credit(ACCOUNT, token, more);
      if (more < 0n) simulator.pay({ from: ACCOUNT, to: ELSEWHERE, token, atoms: -more });
      const booked = atoms - (await treasury(asset));
      posted += 1;
      const postings =
        booked > 0n
          ? [move('world', 'treasury', amount(asset, booked))]
          : [move('treasury', 'world', amount(asset, -booked))];
      if (booked !== 0n) await room.submit.commitHouse({ key: `stock ${posted}`, postings });
    }
  }

  /** What the signer keeps, in place of its journal. */
  const journal = new Map<string, SignedTrade>();
  const signer: TradeParts['signer'] = {
    async signTrade(request) {
      const { ticket, wire } = request;
      const known = journal.get(ticket.clientId);
      assert.deepEqual(known?.request.ticket ?? ticket, ticket, 'one ticket under one name');
      const answer = signTradeBody(ticket, wire, KEY);
      journal.set(ticket.clientId, { request, answer, at: room.clock.now() });
      return answer;
    },
    signedTrade: async (clientId) => journal.get(clientId),
  };

  /** The round of one engine. */
  function engine({ parts: change = (same) => same, ...fill }: Change = {}): () => Promise<void> {
    const usual = { mostCost: percent('1'), usdPerDay: 10_000_000_000n, usdAtOnce: 10_000_000_000n, ...fill };
    const level = (asset: typeof base, from: typeof base, low: bigint, target: bigint) => ({
      ...{ asset, low: low * COIN, target: target * COIN, high: undefined, fill: { isTrade: true, from, ...usual } },
    });
    return stockTrader(
      change({
        levels: [level(base, quote, 5n, 10n), level(quote, base, 1_000n, 10_000n)],
        ...{ venue, signer, trades: books.stockTrades, ticketLifeMs: LIFE_MS, clock: room.clock },
        worth: async ({ asset, atoms }) => ((asset === base ? atoms * MID : atoms) / 100n) as never,
        books: {
          ...{ balance: books.ledger.balance, demand: books.ledger.demand, beyondLedger: async () => 0n },
          ...{ nextNonce: books.trades.nextNonce, commit: room.submit.commitHouse },
        },
      }),
    );
  }

  return {
    ...{ room, books, simulator, journal, stock, engine },
    xmr1: (coins: bigint): Amount => amount(base, coins * COIN),
    dollars: (whole: bigint): Amount => amount(quote, whole * COIN),
    has: ({ asset }: Pick<Amount, 'asset'>) => treasury(asset),
    last: () => books.stockTrades.last(),
    /** A book that was read is kept for a moment. */
    setBook(change: Partial<typeof BOOK>): void {
      simulator.setBook({ ...BOOK, ...change });
      room.wait(LIFE_MS);
    },
    /** Postings of it, as what others send is booked. */
    async sentByOthers(asset: AssetId): Promise<number> {
      const [row] = await room.db.query(SENT_BY_OTHERS, [asset]);
      return Number(row?.['n']);
    },
    /** Coins that were traded by what was signed after the first so many, lately. */
    async tradedSince(from: number): Promise<bigint> {
      const signed = new Set<string | undefined>([...journal.keys()].slice(from));
      const fills = await venue.fills(later(room.clock.now(), -HOUR_MS));
      return fills.filter(({ clientId }) => signed.has(clientId)).reduce((sum, { size }) => sum + size, 0n);
    },
    /** The ledger has what the venue has, to the atom, and nothing is set apart any more. */
    async assertBalanced(why?: string): Promise<void> {
      for (const { asset, atoms } of await venue.balances())
        assert.deepEqual([asset, await treasury(asset)], [asset, atoms], why);
    },
    async close(): Promise<void> {
      await close();
      await room.close();
    },
  };
}

export type TradeRoom = Awaited<ReturnType<typeof openTradeRoom>>;
