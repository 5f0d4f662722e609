import { keccak_256 } from '@noble/hashes/sha3.js';
import { assert, present } from '../../../kernel/assert.ts';
import type { Address } from '../../../kernel/ids.ts';
import { type EvmDecoded, fromHex, parseEvmAddress, toHex } from './codec.ts';

/**
 * The code that stands in for deposit addresses (EIP-7702). The hot account calls a deposit address with a token and an amount
 * (`sweepCall`), and the address sends it that much of that token. To everybody else, and to a call without data, the address is what
 * it was: a plain account that takes coins and does nothing. There is no owner, no storage, no upgrade and no other destination:
 * the caller who is obeyed is in the code, and he is who is paid.
 *
 *   caller == hot and there is data, else stop
 *   call token: transfer(caller, amount)
 *   it worked, and answered nothing or the word 1, else revert
 *   return the word 1
 */
// biome-ignore format: one step in each line.
const code = (hot: Address): string => [
  '33', `73${hot.slice(2).toLowerCase()}`, '14',   // CALLER, PUSH20 hot, EQ
  '36', '15', '15', '16',                          // CALLDATASIZE, ISZERO, ISZERO, AND
  '601f', '57', '00',                              // PUSH1 work, JUMPI, STOP
  '5b',                                            // work: JUMPDEST (0x1f)
  '63a9059cbb', '5f', '52',                        // PUSH4 transfer(address,uint256), PUSH0, MSTORE: bytes 0x1c to 0x20
  '33', '6020', '52',                              // CALLER, PUSH1 0x20, MSTORE
  '6020', '35', '6040', '52',                      // PUSH1 0x20, CALLDATALOAD (amount), PUSH1 0x40, MSTORE
  '6020', '5f', '6044', '601c', '5f',              // one word of the answer to 0, 0x44 bytes of data from 0x1c, no coins,
  '5f', '35', '5a', 'f1',                          // to CALLDATALOAD 0 (token), with all GAS: CALL
  '3d', '15', '5f', '51', '6001', '14', '17',      // RETURNDATASIZE, ISZERO, the word at 0 == 1, OR
  '16',                                            // AND it worked
  '604c', '57', '5f', '5f', 'fd',                  // PUSH1 done, JUMPI, REVERT
  '5b',                                            // done: JUMPDEST (0x4c)
  '6001', '5f', '52', '6020', '5f', 'f3',          // return the word 1
].join('');

export const sweeperCode = (hot: Address): string => `0x${code(hot)}`;

/** Places what follows it: copies that to memory and returns it. */
const COPIED_FROM = '09';
function initCode(hot: Address): string {
  const length = (code(hot).length / 2).toString(16).padStart(2, '0');
  return `60${length}8060${COPIED_FROM}5f395ff3${code(hot)}`;
}

/** Exists on every network at the same address; it creates what it is sent after a salt. https://github.com/Arachnid/deterministic-deployment-proxy */
export const DEPLOYER = present(parseEvmAddress('0x4e59b44847b379578588920cA78FbF26c0B4956C'), 'deployer');
const SALT = '00'.repeat(32);

/** What anybody sends to the deployer, once on each network, to place the sweeper of this hot account. */
export const placingCall = (hot: Address): string => `0x${SALT}${initCode(hot)}`;

/** Where the sweeper is on every network, once it was placed: nothing else can be there (EIP-1014). */
export function sweeperAddress(hot: Address): Address {
  const created = toHex(keccak_256(fromHex(`0x${initCode(hot)}`))).slice(2);
  const digest = keccak_256(fromHex(`0xff${DEPLOYER.slice(2)}${SALT}${created}`));
  return present(parseEvmAddress(toHex(digest.slice(-20))), 'sweeper');
}

/** What the code of an account is whom this code stands in for. */
export const delegationTo = (sweeper: Address): string => `0xef0100${sweeper.slice(2).toLowerCase()}`;

/** The word that the sweeper answers. */
export const SWEPT = `0x${'1'.padStart(64, '0')}`;

/** That these bytes have our own deposit account pay our own hot account, bound to our own code and on this chain alone. */
export function expectSweep(decoded: EvmDecoded, hot: Address): void {
  const { authorization, bound, from, payer } = decoded;
  assert(from === hot && payer !== hot, `a sweep of ${payer} by ${from}`);
  if (!authorization) return;
  const isOurs = authorization.code === sweeperAddress(hot) && authorization.chainId === decoded.chainId;
  assert(isOurs && bound === payer, `${bound} is bound to ${authorization.code} on chain ${authorization.chainId}`);
}
