import { accountOf, available, creditUsd, debitUsd, knows, Refused, record } from './accounts.ts';
import { decimalText, MICRO, ONE_USDC, type Simulation, TOKEN_DECIMALS, type TokenName } from './state.ts';

const PERP = '';
const SPOT = 'spot';

export interface AssetSend {
  readonly from: string;
  readonly to: string;
  /** "" for the perpetual side, "spot" for the other; further markets have sides of their own, which are not modelled. */
  readonly sourceDex: string;
  readonly destinationDex: string;
  readonly token: TokenName;
  readonly atoms: bigint;
  readonly nonce: number;
}

/** Sends from either side of one account to either side of another; the perpetual side holds USDC alone, in millionths. */
export function sendAsset(sim: Simulation, send: AssetSend): void {
  const { from, to, sourceDex, destinationDex, token, atoms, nonce } = send;
  if (from === to && sourceDex === destinationDex) throw new Refused('Cannot self-transfer.');
  const fee = knows(sim, to) ? 0n : ONE_USDC;
  for (const side of [sourceDex, destinationDex]) expectSide(side, send);
  if (sourceDex === PERP) debitUsd(sim, from, (atoms + fee) / MICRO, 'Insufficient balance for transfer.');
  else takeFromSpot(sim, send, fee);
  if (destinationDex === PERP) creditUsd(sim, to, atoms / MICRO);
  else accountOf(sim, to).spot[token] += atoms;
  const amount = decimalText(atoms, TOKEN_DECIMALS);
  record(sim, from === to ? [from] : [from, to], {
    ...{ type: 'send', user: from, destination: to, sourceDex, destinationDex, token, amount },
    usdcValue: token === 'USDC' ? amount : '0.0',
    fee: decimalText(fee, TOKEN_DECIMALS),
    ...{ nativeTokenFee: '0.0', nonce, feeToken: fee > 0n ? 'USDC' : '' },
  });
}

function expectSide(side: string, { token, atoms }: AssetSend): void {
  if (side !== PERP && side !== SPOT) throw new Refused(`Invalid perp DEX: ${side}`);
  if (side === PERP && (token !== 'USDC' || atoms % MICRO > 0n)) throw new Refused('Invalid collateral token.');
}

function takeFromSpot(sim: Simulation, { from, token, atoms }: AssetSend, fee: bigint): void {
  if (available(sim, from, token) < atoms || available(sim, from, 'USDC') < fee + (token === 'USDC' ? atoms : 0n))
    throw new Refused('Insufficient balance for token transfer.');
  const { spot } = accountOf(sim, from);
  spot[token] -= atoms;
  spot.USDC -= fee;
}
