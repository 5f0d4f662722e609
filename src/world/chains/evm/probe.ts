import type { Address } from '../../../kernel/ids.ts';
import { evmWord } from './codec.ts';

/** Many times what an honest token needs to look up a number. */
const GAS = 1_000_000;

const push = (hex: string): string => (0x5f + hex.length / 2).toString(16) + hex;
const [MSTORE, STATICCALL, RETURNDATASIZE, EQ, AND, RETURN] = ['52', 'fa', '3d', '14', '16', 'f3'];
const BALANCE = '31';

/**
 * Code for a node to run without deploying it. It asks `balanceOf` and returns two words: whether the contract answered
 * with exactly one word, and that word. Whatever a hostile contract does (revert, burn gas, answer without end) ends in
 * an answer of fixed size, so any error that the node reports is the node's own.
 */
export function balanceProbe(contract: Address, account: Address): string {
  const ask = [push(`70a08231${'00'.repeat(28)}`), push('00'), MSTORE, push(evmWord(account)), push('04'), MSTORE];
  // STATICCALL(gas, contract, from 0, 36 bytes, answer to 96, 32 bytes of it)
  const call = [push('20'), push('60'), push('24'), push('00'), push(contract.slice(2).toLowerCase())];
  const run = [...call, push(GAS.toString(16).padStart(6, '0')), STATICCALL];
  const judge = [RETURNDATASIZE, push('20'), EQ, AND, push('40'), MSTORE];
  return `0x${[...ask, ...run, ...judge, push('40'), push('40'), RETURN].join('')}`;
}

/** Nodes let code return half as many words again, and spend ten times the gas. */
export const COINS_PER_PROBE = 500;

/** Likewise: what each of these accounts has of the network's own coin, a word each. */
export function coinsProbe(accounts: readonly Address[]): string {
  const word = (index: number): string => push((32 * index).toString(16).padStart(4, '0'));
  const look = accounts.map((account, i) => push(account.slice(2).toLowerCase()) + BALANCE + word(i) + MSTORE);
  return `0x${look.join('')}${word(accounts.length)}${push('00')}${RETURN}`;
}
