import assert from 'node:assert/strict';
import { amount, atoms } from '../../src/kernel/amount.ts';
import { type Instant, instant } from '../../src/kernel/clock.ts';
import { type Address, type AssetId, chainId, txHash } from '../../src/kernel/ids.ts';
import { type Case, subjectOf } from '../../src/life/case/case.ts';
import { type Treasury, type TreasuryBooks, treasurer } from '../../src/life/execution/treasury.ts';
import { apartOf } from '../../src/life/payment/payment.ts';
import type { OpenMove } from '../../src/life/payment/venue-move.ts';
import type { Signer } from '../../src/signer/request.ts';
import type { LedgerPage, LedgerRow, Venue, VenueMove } from '../../src/world/venues/venue.ts';
import { memoryLedger } from './memory-ledger.ts';

export const HOME = '42161:USDC' as AssetId;
export const AWAY = '1337:USDC' as AssetId;
export const XMR1 = '1337:XMR1' as AssetId;
export const TRX1 = '1337:TRX1' as AssetId;
export const DEPOSIT_ACCOUNT = 'deposit account' as Address;
/** What the bridge takes each way. */
const BRIDGE_MS = 20_000;
/** A payment is mined before the venue has seen it. */
const PAID_MS = 5_000;
const WITHDRAWAL_FEE = 1_00000000n;
/** The venue counts two decimals more than its home chain. */
const GRAIN = 100n;
const PAGE = 500;
const NONCE_LIFE_MS = 2 * 86_400_000;

export const dollars = (whole: number): bigint => BigInt(whole) * 1_000_000n;
const away = (home: bigint): bigint => home * GRAIN;
const sum = (parts: readonly { readonly atoms: bigint }[]) => atoms(parts.reduce((all, one) => all + one.atoms, 0n));

export interface Stock {
  readonly hot: bigint;
  readonly venue: bigint;
  /** On the venue's other side, where bridged money arrives. */
  readonly unmoved?: bigint;
}

/** A treasury between two places, with time that passes second by second. Money is in the home chain's atoms. */
export function treasuryDesk(stock: Stock) {
  let now = 1_800_000_000_000;
  const clock = { now: () => instant(now) };
  const spot = new Map<AssetId, bigint>([[AWAY, away(stock.venue)]]);
  let perp = away(stock.unmoved ?? 0n);
  const listed: AssetId[] = [AWAY, XMR1];
  const rows: LedgerRow[] = [];
  const nonces = new Set<number>();
  const events: { readonly at: number; happen(): void }[] = [];
  const log: string[] = [];
  const cases: string[] = [];
  const over: string[] = [];
  const raised: Case[] = [];

  const { held, covers, post, postings } = memoryLedger();
  const credited = new Map<string, Instant>();
  const moves: (OpenMove & { isSettled: boolean; isDead: boolean; settledAt?: number })[] = [];
  let lookedTo: Instant | undefined;
  let given = 0;
  let questions = 0;
  /** Whether the venue loses what is posted, and why the signer signs nothing. */
  const troubles: { deaf: boolean; refusal: Error | undefined } = { deaf: false, refusal: undefined };
  const closedByHand = new Set<string>();
  const rebalances: {
    readonly at: number;
    readonly atoms: bigint;
    leftAt: number | undefined;
    row: string | undefined;
  }[] = [];
  const opened = new Set<string>();
  /** Withdrawals whose coins have come. */
  const arrived = new Set<number>();

  const inflow = (asset: AssetId, value: bigint) =>
    post({ from: 'world', to: 'treasury', amount: amount(asset, value) });
  const row = (kind: LedgerRow['kind'], value: bigint, more: Partial<LedgerRow> = {}): void => {
    const key = `${rows.length}:${kind}`;
    const fixed = { key, kind, asset: AWAY, atoms: atoms(value), fee: atoms(0n), txHash: txHash(`0x${rows.length}`) };
    rows.push({ ...fixed, counterparty: undefined, nonce: undefined, at: instant(now), ...more });
  };
  const after = (ms: number, happen: () => void) => events.push({ at: now + ms, happen });

  const carryOut = (move: VenueMove): void => {
    if (move.move === 'send') throw new Error('the treasury sends nothing');
    log.push(`${move.move} ${move.atoms / away(dollars(1))}`);
    if (move.move === 'withdraw') {
      perp -= move.atoms;
      const net = move.atoms - WITHDRAWAL_FEE;
      after(BRIDGE_MS, () => {
        row('withdraw', net, { fee: atoms(WITHDRAWAL_FEE), nonce: move.nonce });
        arrived.add(move.nonce);
        inflow(HOME, net / GRAIN);
      });
      return;
    }
    const toSpot = move.move === 'to_trading' ? move.atoms : -move.atoms;
    perp -= toSpot;
    spot.set(AWAY, (spot.get(AWAY) ?? 0n) + toSpot);
    row(move.move, move.atoms);
  };

  const venue = {
    chainId: chainId(1337),
    get rules() {
      return { facts: { assets: listed.map((id) => ({ id })) } };
    },
    market: { base: XMR1, quote: AWAY, quoteDecimals: 8 },
    funding: { asset: HOME, address: 'bridge' as Address },
    balances: async () => listed.map((asset) => amount(asset, spot.get(asset) ?? 0n)),
    unmovedDeposit: async () => atoms(perp),
    account: 'hot' as Address,
    nonceLifeMs: NONCE_LIFE_MS,
    async ledger(since: Instant): Promise<LedgerPage> {
      questions += 1;
      const later = rows.filter(({ at }) => at >= since);
      const told = later.slice(0, PAGE);
      const last = told.at(-1)?.at ?? since;
      const isEnd = later.length <= PAGE;
      const isStuck = !isEnd && last === since;
      const next = isStuck ? instant(since + 1) : last;
      return { rows: told, next, isEnd, passedOver: isStuck ? since : undefined };
    },
    async post({ body, nonce }: { body: string; nonce: number }) {
      if (troubles.deaf || nonces.has(nonce) || nonce < now - NONCE_LIFE_MS) return;
      nonces.add(nonce);
      const move = JSON.parse(body) as VenueMove & { atoms: string };
      carryOut({ ...move, atoms: atoms(BigInt(move.atoms)) });
    },
  } as unknown as Venue;

  const books: TreasuryBooks = {
    creditedAt: async (key) => credited.get(key),
    balance: async (account, asset) => atoms(held(account, asset)),
    demand: async () => atoms(0n),
    onWayHome: async (_, since) =>
      sum(
        moves.filter(
          (one) => one.kind === 'withdraw' && !one.isDead && !arrived.has(one.nonce) && (one.settledAt ?? now) > since,
        ),
      ),
    onWayToVenue: async (_, since) =>
      sum(rebalances.filter(({ leftAt = now, row: came }) => came === undefined && leftAt > since)),
    async keepDeposited(key, came, earliest, latest) {
      const fits = ({ at, atoms: value, row: other }: (typeof rebalances)[number]) =>
        other === undefined && value === came.atoms && at >= earliest && at <= latest;
      const found = rebalances.some((one) => one.row === key) ? undefined : rebalances.find(fits);
      if (found) found.row = key;
    },
    async commit({ key, postings: made }) {
      if (credited.has(key)) return 'seen';
      const short = made.find((one) => !covers(one));
      if (short) return { shortOf: short.amount.asset };
      credited.set(key, instant(now));
      for (const one of made) post(one);
      return 'ok';
    },
    async open({ payment, effects, postings: made }) {
      const { amount: value, id } = payment;
      if (opened.has(id)) return;
      opened.add(id);
      const [first] = effects;
      assert.ok(effects.length === 1 && first?.effect === 'sign_transfer' && first.payment === id);
      for (const one of made) post(one);
      const rebalance: (typeof rebalances)[number] = { at: now, atoms: value.atoms, leftAt: undefined, row: undefined };
      rebalances.push(rebalance);
      log.push(`fill ${value.atoms / dollars(1)}`);
      after(PAID_MS, () => {
        rebalance.leftAt = now;
        post({ from: apartOf(payment), to: 'world', amount: value });
      });
      after(BRIDGE_MS, () => {
        perp += away(value.atoms);
        row('deposit', away(value.atoms));
      });
    },
    raiseCase: async (about) => {
      raised.push(about);
      cases.push(`${about.case} ${subjectOf(about)}`);
    },
    ours: async (addresses) => new Set(addresses.filter((address) => address === DEPOSIT_ACCOUNT)),
    nextNonce: async () => {
      given += 1;
      return now + given;
    },
    openMoves: async () => moves.filter(({ isSettled }) => !isSettled),
    lastMove: async () => Math.max(0, ...moves.map(({ nonce }) => nonce)),
    async noteMove(kind, _, value, nonce, last) {
      if (moves.some((one) => !one.isSettled || one.nonce > last)) return false;
      const fresh = { isSettled: false, isDead: false, createdAt: instant(now) };
      moves.push({ kind, atoms: value, nonce, body: undefined, ...fresh });
      return true;
    },
    async signMove({ nonce, body }) {
      for (const [index, one] of moves.entries()) if (one.nonce === nonce) moves[index] = { ...one, body };
    },
    async settleMove(nonce, isDead) {
      for (const one of moves)
        if (one.nonce === nonce && (!one.isSettled || (one.isDead && !isDead)))
          Object.assign(one, { isSettled: true, isDead, settledAt: now });
    },
    caseOver: async (about) => void over.push(`${about.case} ${about.subject}`),
    isClosedByHand: async ({ case: kind, subject }) => closedByHand.has(`${kind} ${subject}`),
    lookedTo: async () => lookedTo,
    saveLooked: async (at) => {
      lookedTo = at;
    },
    openRebalances: async () => rebalances.filter(({ leftAt }) => leftAt === undefined).length,
    lastRebalance: async () => rebalances.length,
  };

  const signer = {
    publicKeys: async () => ({ evmHot: 'hot' as Address }),
    async signMove({ move }: { move: VenueMove }) {
      if (troubles.refusal) throw troubles.refusal;
      log.push(...(troubles.deaf ? [`signed ${move.move}`] : []));
      return { nonce: move.nonce, body: JSON.stringify({ ...move, atoms: move.atoms.toString() }) };
    },
  } as unknown as Signer;
  const settings = {
    venueLow: dollars(500_000),
    venueHigh: dollars(1_500_000),
    hotLow: dollars(500_000),
    least: dollars(100),
  };
  const treasury: Treasury = { venue, signer, books, homeDecimals: 6, settings, clock };
  let tend = treasurer(treasury);
  inflow(HOME, stock.hot);
  // What came before the hour counts as nobody's transfer.
  now += 2 * 3_600_000;

  const pass = async (seconds: number, look: () => Promise<void>): Promise<void> => {
    for (let i = 0; i < seconds; i += 1) {
      now += 1_000;
      const due = events.filter(({ at }) => at <= now);
      for (const one of due) {
        events.splice(events.indexOf(one), 1);
        one.happen();
      }
      await look();
    }
  };

  const desk = {
    /** What was done, in whole dollars. */
    log,
    cases,
    /** Cases that closed by themselves. */
    over,
    closedByHand,
    troubles,
    moves,
    postings: () => postings,
    questions: () => questions,
    /** Time that passes without anybody looking. */
    sleep: (seconds: number): void => {
      now += seconds * 1_000;
    },
    now: () => now,
    /** Signed, saved and not set apart. */
    adopt(kind: OpenMove['kind'], value: bigint): void {
      const [nonce, body] = [now, JSON.stringify({ move: kind, atoms: value.toString(), nonce: now })];
      const open = { createdAt: instant(now), isSettled: false, isDead: false };
      moves.push({ kind, atoms: atoms(value), nonce, body, ...open });
      spot.set(AWAY, (spot.get(AWAY) ?? 0n) - value);
      perp += value;
    },
    /** By an order, as far as the books allow it. */
    reserve: (value: bigint) =>
      books.commit({
        key: `reserve ${now}`,
        postings: [{ from: 'treasury', to: 'order:one', amount: amount(AWAY, value) }],
      }),
    raised,
    inflow,
    row,
    listed,
    /** Somebody else's, onto the side that does not trade, in the venue's atoms. */
    gives(value: bigint): void {
      perp += value;
      row('transit_in', value, { counterparty: 'stranger' as Address });
    },
    hold: (asset: AssetId, value: bigint) => void spot.set(asset, value),
    pass: (seconds: number) => pass(seconds, tend),
    /** For stories with leaders of their own. */
    treasury,
    passWith: pass,
    /** Nobody looks for so long, and then another process does. */
    restartAfter(seconds: number) {
      now += seconds * 1_000;
      tend = treasurer(treasury);
      return desk;
    },
    /** By the books. */
    booked: (asset: AssetId): bigint => held('treasury', asset),
    /** By the venue itself, on both sides, in its own atoms. */
    heldThere: () => (spot.get(AWAY) ?? 0n) + perp,
    /** The same in the home chain's. */
    onVenue: () => ({ spot: (spot.get(AWAY) ?? 0n) / GRAIN, unmoved: perp / GRAIN }),
  };
  return desk;
}
