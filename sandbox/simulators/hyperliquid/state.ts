import { createHash } from 'node:crypto';
import { formatUnits } from '../../../src/kernel/amount.ts';
import { fromExactJson, toExactJson } from '../../exact-json.ts';

/** The market: prices have six decimals and sizes two, so price × size is USDC in its own eight. */
export const COIN = '@260';
export const ORDER_ASSET = 10_260;
export const PRICE_DECIMALS = 6;
export const SIZE_DECIMALS = 2;
export const TOKEN_DECIMALS = 8;
/** Atoms of XMR1 in one hundredth. */
export const LOT = 1_000_000n;
/** The perpetual side counts USDC in millionths, the spot side in hundred-millionths. */
export const MICRO = 100n;
export const ONE_USDC = 100_000_000n;

/** The number of XMR1's spot market. */
export const MARKET = 260;
/** Only XMR1 is traded here; the ids of the last two are the simulator's own. */
export const TOKENS = {
  USDC: { index: 0, tokenId: '0x6d1e7cde53ba9467b783cb7c530ce054', szDecimals: 8 },
  XMR1: { index: 411, tokenId: '0xbb2057659bd378d17e2e151bb04bdcaa', szDecimals: SIZE_DECIMALS },
  TRX1: { index: 412, tokenId: '0x7c1d3f5a9be2486091d0a4c36e58f721', szDecimals: 1 },
  ZEC1: { index: 413, tokenId: '0x5e90b7d2c4a1438f86e3f0192ad7bc64', szDecimals: 3 },
} as const;

export type TokenName = keyof typeof TOKENS;
export const TOKEN_NAMES = Object.keys(TOKENS) as TokenName[];
export const noTokens = (): Record<TokenName, bigint> => ({ USDC: 0n, XMR1: 0n, TRX1: 0n, ZEC1: 0n });

export interface Account {
  readonly spot: Record<TokenName, bigint>;
  /** Millionths of a dollar. */
  perp: bigint;
  /** The highest hundred that were used, ascending. */
  nonces: number[];
}

export interface Order {
  readonly oid: number;
  /** Lower-case address; the market maker's own orders have none. */
  readonly user: string;
  readonly cloid: string | null;
  readonly side: 'B' | 'A';
  readonly px: bigint;
  readonly size: bigint;
  left: bigint;
  readonly tif: string;
  readonly at: number;
  status: string;
  statusAt: number;
}

export interface UserFill {
  readonly user: string;
  readonly wire: { readonly time: number; readonly [field: string]: unknown };
}

export interface LedgerUpdate {
  /** In whose histories it stands. */
  users: readonly string[];
  readonly height: number;
  readonly wire: { readonly time: number; readonly hash: string; readonly delta: Readonly<Record<string, unknown>> };
}

export interface Withdrawal {
  readonly user: string;
  readonly destination: string;
  /** What arrives, in millionths. */
  readonly net: bigint;
  readonly nonce: number;
  readonly at: number;
  paidBy: string | null;
}

export interface BookShape {
  readonly mid: string | number;
  readonly depthUsd: number;
  readonly spreadBps: number;
}

/** All that survives a restart. */
export interface VenueState {
  height: number;
  nextOid: number;
  nextTradeId: number;
  shape: BookShape;
  readonly accounts: Record<string, Account>;
  orders: Order[];
  readonly fills: UserFill[];
  readonly updates: LedgerUpdate[];
  readonly withdrawals: Withdrawal[];
  /** The next Arbitrum block to read, and the transfers that were credited. */
  bridgeBlock: number;
  readonly bridged: string[];
}

export interface Simulation {
  readonly state: VenueState;
  readonly now: () => number;
  /** Spot and perpetual USDC are one balance, as in the venue's unified account mode. */
  readonly unified: boolean;
  /** Accounts that hold nothing any more are forgotten with their history, as on the real venue. */
  readonly forgetsEmpty: boolean;
  /** Withdrawals wait for the bridge to pay them; without one they are final at once. */
  readonly hasBridge: boolean;
  /** Order changes since the start, for those who listen. */
  readonly orderEvents: { readonly user: string; readonly wire: unknown }[];
  /** What may have changed since that was last written down. */
  readonly touched: Touched;
}

export interface Touched {
  readonly accounts: Set<string>;
  readonly orders: Set<Order>;
  readonly withdrawals: Set<Withdrawal>;
}

export function freshState(shape: BookShape): VenueState {
  return {
    height: 1,
    nextOid: 1_000,
    nextTradeId: 500_000,
    shape,
    accounts: {},
    orders: [],
    fills: [],
    updates: [],
    withdrawals: [],
    bridgeBlock: 0,
    bridged: [],
  };
}

/** Every accepted action is a block of its own. */
export function nextBlock(state: VenueState): { readonly height: number; readonly hash: string } {
  state.height += 1;
  return { height: state.height, hash: `0x${createHash('sha256').update(`block ${state.height}`).digest('hex')}` };
}

/** The venue writes whole numbers as "12.0". */
export function decimalText(value: bigint, decimals: number): string {
  const text = formatUnits(value, decimals);
  return text.includes('.') ? text : `${text}.0`;
}

export const saveState = (state: VenueState): string => toExactJson(state);

/** What was saved before a token existed holds none of it. */
export function loadState(text: string): VenueState {
  const state = fromExactJson(text) as VenueState;
  for (const { spot } of Object.values(state.accounts)) Object.assign(spot, { ...noTokens(), ...spot });
  return state;
}

/** A token by name or by id, as control calls spell it. */
export function tokenNamed(text: string): TokenName {
  for (const name of TOKEN_NAMES) if (text === name || text.toLowerCase() === TOKENS[name].tokenId) return name;
  throw new Error(`the venue has no token ${text}`);
}
