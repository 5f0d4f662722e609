import { parseUnits } from '../../../src/kernel/amount.ts';
import { accountOf, available, creditUsd, debitUsd, knows, Refused, record, spotSend } from './accounts.ts';
import { sendAsset } from './send-asset.ts';
import { decimalText, MICRO, type Simulation, TOKEN_NAMES, TOKENS, type TokenName, type Withdrawal } from './state.ts';

type Fields = Readonly<Record<string, unknown>>;

const MICRO_DECIMALS = 6;
const ONE_DOLLAR = 1_000_000n;

export function move(sim: Simulation, user: string, action: Fields, nonce: number): unknown {
  switch (action.type) {
    case 'spotSend':
      spotSend(sim, {
        from: user,
        to: destination(action),
        token: sentToken(action),
        atoms: positive(action, 8),
        nonce,
      });
      break;
    case 'usdSend':
      usdSend(sim, user, destination(action), positive(action, MICRO_DECIMALS));
      break;
    case 'sendAsset':
      sendAsset(sim, {
        ...{ from: user, to: destination(action), token: sentToken(action), atoms: positive(action, 8), nonce },
        ...{ sourceDex: String(action.sourceDex), destinationDex: String(action.destinationDex) },
      });
      break;
    case 'usdClassTransfer':
      changeSide(sim, user, positive(action, MICRO_DECIMALS), action.toPerp === true);
      break;
    default:
      withdraw(sim, user, destination(action), positive(action, MICRO_DECIMALS), nonce);
  }
  return { type: 'default' };
}

function usdSend(sim: Simulation, from: string, to: string, micros: bigint): void {
  if (from === to) throw new Refused('Cannot self-transfer.');
  const fee = knows(sim, to) ? 0n : ONE_DOLLAR;
  debitUsd(sim, from, micros + fee, 'Insufficient balance for transfer.');
  creditUsd(sim, to, micros);
  const usdc = decimalText(micros, MICRO_DECIMALS);
  record(sim, [from, to], {
    type: 'internalTransfer',
    usdc,
    user: from,
    destination: to,
    fee: decimalText(fee, MICRO_DECIMALS),
  });
}

function changeSide(sim: Simulation, user: string, micros: bigint, toPerp: boolean): void {
  if (sim.unified) throw new Refused('Action disabled when unified account is active');
  const account = accountOf(sim, user);
  const has = toPerp ? available(sim, user, 'USDC') : account.perp * MICRO;
  if (has < micros * MICRO) throw new Refused('Insufficient balance for transfer.');
  account.perp += toPerp ? micros : -micros;
  account.spot.USDC += (toPerp ? -micros : micros) * MICRO;
  record(sim, [user], { type: 'accountClassTransfer', usdc: decimalText(micros, MICRO_DECIMALS), toPerp });
}

/** The whole amount leaves at once; the fee comes out of it, and the history shows it when the bridge has paid. */
function withdraw(sim: Simulation, user: string, to: string, micros: bigint, nonce: number): void {
  if (micros <= ONE_DOLLAR) throw new Refused('Withdrawal amount does not cover the fee.');
  debitUsd(sim, user, micros, 'Insufficient balance for withdrawal.');
  const net = micros - ONE_DOLLAR;
  const withdrawal: Withdrawal = { user, destination: to, net, nonce, at: sim.now(), paidBy: null };
  sim.state.withdrawals.push(withdrawal);
  sim.touched.withdrawals.add(withdrawal);
  if (!sim.hasBridge) finishWithdrawal(sim, withdrawal, 'no bridge');
}

export function finishWithdrawal(sim: Simulation, withdrawal: Withdrawal, paidBy: string): void {
  withdrawal.paidBy = paidBy;
  sim.touched.withdrawals.add(withdrawal);
  record(sim, [withdrawal.user], {
    type: 'withdraw',
    usdc: decimalText(withdrawal.net, MICRO_DECIMALS),
    nonce: withdrawal.nonce,
    fee: '1.0',
  });
}

function destination(action: Fields): string {
  const text = String(action.destination);
  if (!/^0x[0-9a-fA-F]{40}$/.test(text)) throw new Refused('Invalid destination.');
  return text.toLowerCase();
}

/** Name and id must belong together. */
function sentToken(action: Fields): TokenName {
  for (const name of TOKEN_NAMES) if (action.token === `${name}:${TOKENS[name].tokenId}`) return name;
  throw new Refused(`Unknown token: ${String(action.token)}`);
}

function positive(action: Fields, decimals: number): bigint {
  const value = parseUnits(String(action.amount), decimals);
  if (value === undefined || value === 0n) throw new Refused(`Invalid amount: ${String(action.amount)}`);
  return value;
}
