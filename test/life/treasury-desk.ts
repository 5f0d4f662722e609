import assert from 'node:assert/strict';
import { type Atoms, amount, atoms } from '../../src/kernel/amount.ts';
import { type Instant, instant } from '../../src/kernel/clock.ts';
import { type Address, type AssetId, chainId, txHash } from '../../src/kernel/ids.ts';
import { type Case, subjectOf } from '../../src/life/case/case.ts';
import { type OpenMove, type Treasury, type TreasuryBooks, treasurer } from '../../src/life/execution/treasury.ts';
import { apartOf } from '../../src/life/payment/payment.ts';
import type { Posting } from '../../src/life/payment/posting.ts';
import type { Signer } from '../../src/signer/request.ts';
import type { LedgerRow, Venue, VenueMove } from '../../src/world/venues/venue.ts';

export const HOME = '42161:USDC' as AssetId;
export const AWAY = '1337:USDC' as AssetId;
export const XMR1 = '1337:XMR1' as AssetId;
export const TRX1 = '1337:TRX1' as AssetId;
export const DEPOSIT_ACCOUNT = 'deposit account' as Address;
/** What the bridge takes each way. */
const BRIDGE_MS = 20_000;
const WITHDRAWAL_FEE = 1_00000000n;
/** The venue counts two decimals more than its home chain. */
const GRAIN = 100n;

export const dollars = (whole: number): bigint => BigInt(whole) * 1_000_000n;
const away = (home: bigint): bigint => home * GRAIN;

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
  const raised: Case[] = [];

  const balances = new Map<string, bigint>();
  const credited = new Map<string, Instant>();
  const postings: { readonly at: number; readonly posting: Posting }[] = [];
  const moves: (OpenMove & { isSettled: boolean })[] = [];
  const rebalances: { readonly at: number; readonly atoms: bigint; isOpen: boolean }[] = [];

  const post = (posting: Posting): void => {
    const { from, to, amount: value } = posting;
    const change = (account: string, by: bigint) => {
      const key = `${account} ${value.asset}`;
      if (account !== 'world') balances.set(key, (balances.get(key) ?? 0n) + by);
    };
    change(from, -value.atoms);
    change(to, value.atoms);
    postings.push({ at: now, posting });
  };
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
    ledger: async (since: Instant) => rows.filter(({ at }) => at >= since),
    async post({ body, nonce }: { body: string; nonce: number }) {
      if (nonces.has(nonce)) return;
      nonces.add(nonce);
      const move = JSON.parse(body) as VenueMove & { atoms: string };
      carryOut({ ...move, atoms: atoms(BigInt(move.atoms)) });
    },
  } as unknown as Venue;

  const sum = (values: readonly bigint[]): Atoms => atoms(values.reduce((total, value) => total + value, 0n));
  const books: TreasuryBooks = {
    creditedAt: async (key) => credited.get(key),
    balance: async (account, asset) => atoms(balances.get(`${account} ${asset}`) ?? 0n),
    demand: async () => atoms(0n),
    sent: async (asset, since) =>
      asset === HOME
        ? sum(rebalances.filter(({ at }) => at > since).map((one) => one.atoms))
        : sum(moves.filter((one) => one.kind === 'withdraw' && one.createdAt > since).map((one) => one.atoms)),
    came: async (asset, since) =>
      sum(
        postings
          .filter(({ at, posting }) => at > since && posting.from === 'world' && posting.amount.asset === asset)
          .map(({ posting }) => posting.amount.atoms),
      ),
    async commit({ key, postings: made }) {
      if (credited.has(key)) return;
      credited.set(key, instant(now));
      for (const one of made) post(one);
    },
    async open({ payment, effects, postings: made }) {
      const { amount: value, id } = payment;
      const [first] = effects;
      assert.ok(effects.length === 1 && first?.effect === 'sign_transfer' && first.payment === id);
      for (const one of made) post(one);
      const rebalance = { at: now, atoms: value.atoms, isOpen: true };
      rebalances.push(rebalance);
      log.push(`fill ${value.atoms / dollars(1)}`);
      after(BRIDGE_MS, () => {
        rebalance.isOpen = false;
        post({ from: apartOf(payment), to: 'world', amount: value });
        perp += away(value.atoms);
        row('deposit', away(value.atoms));
      });
    },
    raiseCase: async (about) => {
      raised.push(about);
      cases.push(`${about.case} ${subjectOf(about)}`);
    },
    ours: async (addresses) => new Set(addresses.filter((address) => address === DEPOSIT_ACCOUNT)),
    nextNonce: async () => now + moves.length,
    openMoves: async () => moves.filter(({ isSettled }) => !isSettled),
    async saveMove(kind, _, value, signed) {
      moves.push({ kind, atoms: value, signed, createdAt: instant(now), isSettled: false });
    },
    async settleMove(nonce) {
      for (const one of moves) if (one.signed.nonce === nonce) one.isSettled = true;
    },
    openRebalances: async () => rebalances.filter(({ isOpen }) => isOpen).length,
    lastRebalance: async () => rebalances.length,
  };

  const signer = {
    publicKeys: async () => ({ evmHot: 'hot' as Address }),
    signMove: async ({ move }: { move: VenueMove }) => ({
      nonce: move.nonce,
      body: JSON.stringify({ ...move, atoms: move.atoms.toString() }),
    }),
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

  return {
    /** What was done, in whole dollars. */
    log,
    cases,
    raised,
    inflow,
    row,
    listed,
    hold: (asset: AssetId, value: bigint) => void spot.set(asset, value),
    async pass(seconds: number): Promise<void> {
      for (let i = 0; i < seconds; i += 1) {
        now += 1_000;
        const due = events.filter(({ at }) => at <= now);
        for (const one of due) {
          events.splice(events.indexOf(one), 1);
          one.happen();
        }
        await tend();
      }
    },
    /** Nobody looks for so long, and then another process does. */
    restartAfter(seconds: number): void {
      now += seconds * 1_000;
      tend = treasurer(treasury);
    },
    /** By the books. */
    booked: (asset: AssetId): bigint => balances.get(`treasury ${asset}`) ?? 0n,
    /** By the venue itself, in the home chain's atoms. */
    onVenue: () => ({ spot: (spot.get(AWAY) ?? 0n) / GRAIN, unmoved: perp / GRAIN }),
  };
}
