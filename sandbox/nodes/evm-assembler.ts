import { assert, present } from '../../src/kernel/assert.ts';

// biome-ignore format: a table of codes.
const OPCODES: Readonly<Record<string, number>> = {
  STOP: 0x00, ADD: 0x01, MUL: 0x02, SUB: 0x03, DIV: 0x04, GT: 0x11, EQ: 0x14, ISZERO: 0x15, SHR: 0x1c, KECCAK256: 0x20,
  CALLER: 0x33, CALLVALUE: 0x34, CALLDATALOAD: 0x35, CALLDATASIZE: 0x36, CALLDATACOPY: 0x37, NUMBER: 0x43, POP: 0x50, MLOAD: 0x51, MSTORE: 0x52,
  SLOAD: 0x54, SSTORE: 0x55, JUMP: 0x56, JUMPI: 0x57, GAS: 0x5a, DUP1: 0x80, DUP2: 0x81, DUP3: 0x82, SWAP1: 0x90,
  LOG3: 0xa3, LOG4: 0xa4, CALL: 0xf1, RETURN: 0xf3, REVERT: 0xfd,
};
const JUMPDEST = 0x5b;
const PUSH0 = 0x5f;

/**
 * EVM code from words: an opcode's name, a number (pushed), `name:` (a place to jump to) or `@name` (pushes that place).
 * Enough for contracts of a page, so that no compiler is needed.
 */
export function assemble(source: string): `0x${string}` {
  const places = new Map<string, number>();
  const jumps: { readonly at: number; readonly name: string }[] = [];
  const code: number[] = [];
  for (const word of source.split(/\s+/).filter(Boolean)) {
    if (word.endsWith(':')) {
      places.set(word.slice(0, -1), code.length);
      code.push(JUMPDEST);
    } else if (word.startsWith('@')) {
      code.push(PUSH0 + 2, 0, 0);
      jumps.push({ at: code.length - 2, name: word.slice(1) });
    } else if (/^\d/.test(word)) code.push(...push(BigInt(word)));
    else code.push(present(OPCODES[word], `opcode ${word}`));
  }
  for (const { at, name } of jumps) {
    const place = present(places.get(name), `place ${name}`);
    code.splice(at, 2, place >> 8, place & 0xff);
  }
  return `0x${Buffer.from(code).toString('hex')}`;
}

function push(value: bigint): number[] {
  if (value === 0n) return [PUSH0];
  const hex = value.toString(16);
  const bytes = Buffer.from(hex.length % 2 ? `0${hex}` : hex, 'hex');
  assert(bytes.length <= 32, `more than a word: ${hex}`);
  return [PUSH0 + bytes.length, ...bytes];
}

/** Text of at most 32 bytes as a word, left-aligned. */
export function textWord(text: string): string {
  assert(Buffer.byteLength(text) <= 32, `more than a word: ${text}`);
  return `0x${Buffer.from(text).toString('hex').padEnd(64, '0')}`;
}
