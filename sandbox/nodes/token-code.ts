import { keccak_256 } from '@noble/hashes/sha3.js';
import type { Address } from '../../src/kernel/ids.ts';
import { evmWord } from '../../src/world/chains/evm/codec.ts';
import { assemble, textWord } from './evm-assembler.ts';

/** Storage of the token: mappings by number, as a compiler would lay them out. */
const BALANCES = 0;
const ALLOWANCES = 1;
const SUPPLY = 2;
const BLACKLIST = 3;
/** Basis points of each transfer that never arrive, though the log claims all of it: what a bad token does. */
const SKIM = 4;

/** Where a transfer keeps its parties and amount while it runs. */
const FROM = 0x80;
const TO = 0xa0;
const VALUE = 0xc0;

const hash = (text: string): string => `0x${Buffer.from(keccak_256(Buffer.from(text))).toString('hex')}`;
export const selector = (signature: string): string => hash(signature).slice(0, 10);

const arg = (index: number): string => `${4 + 32 * index} CALLDATALOAD`;
const hashOfTwoWords = '64 0 KECCAK256';
/** Takes an address (or key) from the stack, leaves its slot in a mapping. */
const slotIn = (mapping: number): string => `0 MSTORE ${mapping} 32 MSTORE ${hashOfTwoWords}`;
/** Leaves the slot of what `owner` allows `spender`. */
const allowanceOf = (owner: string, spender: string): string =>
  `${owner} ${slotIn(ALLOWANCES)} 32 MSTORE ${spender} 0 MSTORE ${hashOfTwoWords}`;
/** slot, have, want → subtracts, or jumps away if there is too little. */
const take = (tooLittle: string): string => `DUP2 DUP2 GT ${tooLittle} JUMPI SWAP1 SUB SWAP1 SSTORE`;
const revertWith = (reason: string): string =>
  `0x08c379a0${'0'.repeat(56)} 0 MSTORE 32 4 MSTORE ${reason.length} 36 MSTORE ${textWord(reason)} 68 MSTORE 100 0 REVERT`;
const returnText = (text: string): string =>
  `32 0 MSTORE ${text.length} 32 MSTORE ${textWord(text)} 64 MSTORE 96 0 RETURN`;

const FUNCTIONS = {
  'transfer(address,uint256)': `CALLER ${FROM} MSTORE ${arg(0)} ${TO} MSTORE ${arg(1)} ${VALUE} MSTORE @move JUMP`,
  'transferFrom(address,address,uint256)': `
    ${arg(0)} ${FROM} MSTORE ${arg(1)} ${TO} MSTORE ${arg(2)} ${VALUE} MSTORE
    ${allowanceOf(arg(0), 'CALLER')} DUP1 SLOAD ${VALUE} MLOAD ${take('@allowance_low')} @move JUMP`,
  'approve(address,uint256)': `
    ${arg(1)} ${allowanceOf('CALLER', arg(0))} SSTORE ${arg(1)} ${VALUE} MSTORE
    ${arg(0)} CALLER ${hash('Approval(address,address,uint256)')} 32 ${VALUE} LOG3 @true JUMP`,
  'balanceOf(address)': `${arg(0)} ${slotIn(BALANCES)} SLOAD @word JUMP`,
  'allowance(address,address)': `${allowanceOf(arg(0), arg(1))} SLOAD @word JUMP`,
  'totalSupply()': `${SUPPLY} SLOAD @word JUMP`,
  // The sandbox lets anyone do what the issuer does.
  'mint(address,uint256)': `
    0 ${FROM} MSTORE ${arg(0)} ${TO} MSTORE ${arg(1)} ${VALUE} MSTORE
    ${SUPPLY} SLOAD ${arg(1)} ADD ${SUPPLY} SSTORE ${arg(1)} @credit JUMP`,
  'blacklist(address)': `1 ${arg(0)} ${slotIn(BLACKLIST)} SSTORE STOP`,
  'unBlacklist(address)': `0 ${arg(0)} ${slotIn(BLACKLIST)} SSTORE STOP`,
  'isBlacklisted(address)': `${arg(0)} ${slotIn(BLACKLIST)} SLOAD @word JUMP`,
};

const shared = (answer: string): string => `
  move:
    ${FROM} MLOAD ${slotIn(BLACKLIST)} SLOAD @blacklisted JUMPI
    ${TO} MLOAD ${slotIn(BLACKLIST)} SLOAD @blacklisted JUMPI
    ${TO} MLOAD ISZERO @zero_address JUMPI
    ${FROM} MLOAD ${slotIn(BALANCES)} DUP1 SLOAD ${VALUE} MLOAD ${take('@balance_low')}
    ${VALUE} MLOAD DUP1 ${SKIM} SLOAD MUL 10000 SWAP1 DIV SWAP1 SUB
  credit:
    ${TO} MLOAD ${slotIn(BALANCES)} DUP1 SLOAD DUP3 ADD SWAP1 SSTORE
    ${TO} MLOAD ${FROM} MLOAD ${hash('Transfer(address,address,uint256)')} 32 ${VALUE} LOG3
  true:
    ${answer}
  word:
    0 MSTORE 32 0 RETURN
  blacklisted: ${revertWith('account is blacklisted')}
  zero_address: ${revertWith('transfer to the zero address')}
  balance_low: ${revertWith('transfer amount exceeds balance')}
  allowance_low: ${revertWith('insufficient allowance')}
`;

export interface TokenTraits {
  /** 6 unless told. */
  readonly decimals?: number;
  /** Answers nothing where the standard wants `true`, as the oldest tokens do. */
  readonly isSilent?: boolean;
}

/** Code of a complete ERC-20 with a blacklist, as USDC has one. */
export function tokenCode(symbol: string, name: string, traits: TokenTraits = {}): `0x${string}` {
  const { decimals = 6, isSilent = false } = traits;
  const texts = { 'symbol()': returnText(symbol), 'name()': returnText(name), 'decimals()': `${decimals} @word JUMP` };
  const functions = Object.entries({ ...FUNCTIONS, ...texts });
  const dispatch = functions.map(([signature], at) => `DUP1 ${selector(signature)} EQ @f${at} JUMPI`).join(' ');
  const bodies = functions.map(([, body], at) => `f${at}: ${body}`).join(' ');
  return assemble(`0 CALLDATALOAD 224 SHR ${dispatch} 0 0 REVERT ${bodies} ${shared(isSilent ? 'STOP' : '1')}`);
}

/** Storage slot of an account's balance, for planting one without a transaction. */
export function balanceSlot(account: Address): string {
  const words = evmWord(account) + BALANCES.toString(16).padStart(64, '0');
  return `0x${Buffer.from(keccak_256(Buffer.from(words, 'hex'))).toString('hex')}`;
}

export const SKIM_SLOT = `0x${SKIM.toString(16).padStart(64, '0')}`;
