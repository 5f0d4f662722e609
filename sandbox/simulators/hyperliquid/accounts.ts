import { forget } from './changes.ts';
import {
  type Account,
  decimalText,
  LOT,
  MICRO,
  nextBlock,
  noTokens,
  ONE_USDC,
  type Simulation,
  TOKEN_DECIMALS,
  type TokenName,
} from './state.ts';

const DAY_MS = 86_400_000;
const NONCES_KEPT = 100;

/** What the venue answers when it will not do something. */
export class Refused extends Error {
  override readonly name = 'Refused';
}

export const knows = (sim: Simulation, user: string): boolean => sim.state.accounts[user] !== undefined;

export function accountOf(sim: Simulation, user: string): Account {
  sim.touched.accounts.add(user);
  sim.state.accounts[user] ??= { spot: noTokens(), perp: 0n, nonces: [] };
  return sim.state.accounts[user];
}

const HELD_BY: Partial<Record<TokenName, 'B' | 'A'>> = { USDC: 'B', XMR1: 'A' };

/** Resting orders hold what they would pay. */
export function held(sim: Simulation, user: string, token: TokenName): bigint {
  const side = HELD_BY[token];
  return sim.state.orders
    .filter((order) => order.user === user && order.status === 'open' && order.side === side)
    .reduce((sum, order) => sum + order.left * (side === 'B' ? order.px : LOT), 0n);
}

export const available = (sim: Simulation, user: string, token: TokenName): bigint =>
  (sim.state.accounts[user]?.spot[token] ?? 0n) - held(sim, user, token);

export const perpBalance = (sim: Simulation, user: string): bigint =>
  sim.unified ? 0n : (sim.state.accounts[user]?.perp ?? 0n);

export function creditUsd(sim: Simulation, user: string, micros: bigint): void {
  const account = accountOf(sim, user);
  if (sim.unified) account.spot.USDC += micros * MICRO;
  else account.perp += micros;
}

/** Takes from the side that the bridge and perpetual transfers draw on. */
export function debitUsd(sim: Simulation, user: string, micros: bigint, refusal: string): void {
  const account = accountOf(sim, user);
  const has = sim.unified ? available(sim, user, 'USDC') / MICRO : account.perp;
  if (has < micros) throw new Refused(refusal);
  if (sim.unified) account.spot.USDC -= micros * MICRO;
  else account.perp -= micros;
}

export function useNonce(sim: Simulation, user: string, nonce: number): void {
  const now = sim.now();
  const account = accountOf(sim, user);
  if (nonce <= now - 2 * DAY_MS || nonce >= now + DAY_MS)
    throw new Refused(`Invalid nonce: ${nonce} is not within two days before and one day after ${now}`);
  if (account.nonces.includes(nonce)) throw new Refused(`Invalid nonce: duplicate nonce ${nonce}`);
  const lowest = account.nonces[0] ?? 0;
  if (account.nonces.length === NONCES_KEPT && nonce < lowest)
    throw new Refused(`Invalid nonce: ${nonce} is below the lowest kept nonce ${lowest}`);
  account.nonces = [...account.nonces, nonce].sort((a, b) => a - b).slice(-NONCES_KEPT);
}

export interface SpotSend {
  readonly from: string;
  readonly to: string;
  readonly token: TokenName;
  readonly atoms: bigint;
  readonly nonce: number;
}

/** Sends spot tokens; whoever sends to an address that is new here pays one USDC to open it. */
export function spotSend(sim: Simulation, send: SpotSend): { readonly txHash: string } {
  const { from, to, token, atoms } = send;
  if (from === to) throw new Refused('Cannot self-transfer.');
  const fee = knows(sim, to) ? 0n : ONE_USDC;
  if (available(sim, from, token) < atoms) throw new Refused('Insufficient balance for token transfer.');
  if (available(sim, from, 'USDC') < fee + (token === 'USDC' ? atoms : 0n))
    throw new Refused('Insufficient USDC balance for token transfer gas.');
  const sender = accountOf(sim, from);
  sender.spot[token] -= atoms;
  sender.spot.USDC -= fee;
  accountOf(sim, to).spot[token] += atoms;
  const amount = decimalText(atoms, TOKEN_DECIMALS);
  const sent = record(sim, [from, to], {
    type: 'spotTransfer',
    token,
    amount,
    usdcValue: token === 'USDC' ? amount : '0.0',
    user: from,
    destination: to,
    fee: decimalText(fee, TOKEN_DECIMALS),
    nativeTokenFee: '0.0',
    nonce: send.nonce,
    feeToken: 'USDC',
  });
  if (sim.forgetsEmpty) forgetIfEmpty(sim, from);
  return sent;
}

function forgetIfEmpty({ state }: Simulation, user: string): void {
  const { spot, perp } = state.accounts[user] ?? { spot: {}, perp: 0n };
  if (perp > 0n || Object.values(spot).some((held) => held > 0n)) return;
  forget(state, user);
}

/** Writes one line into the history of everyone concerned. */
export function record(
  sim: Simulation,
  users: readonly string[],
  delta: Readonly<Record<string, unknown>>,
): { readonly txHash: string } {
  const { height, hash } = nextBlock(sim.state);
  sim.state.updates.push({ users, height, wire: { time: sim.now(), hash, delta } });
  return { txHash: hash };
}
