import { keccak_256 } from '@noble/hashes/sha3.js';
import { concatBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { assert } from '../../../kernel/assert.ts';
import { bigEndian } from './msgpack.ts';

export type FieldType = 'string' | 'bool' | 'uint64' | 'uint256' | 'bytes32' | 'address';

/** A flat EIP-712 struct; the venue uses no nested ones. */
export interface Struct {
  readonly name: string;
  readonly fields: readonly (readonly [type: FieldType, name: string])[];
}

const DOMAIN: Struct = {
  name: 'EIP712Domain',
  fields: [
    ['string', 'name'],
    ['string', 'version'],
    ['uint256', 'chainId'],
    ['address', 'verifyingContract'],
  ],
};

/** The digest that is signed: the struct's hash under the venue's domain, which is bound to no contract. */
export function typedDataDigest(
  domain: { readonly name: string; readonly chainId: number },
  struct: Struct,
  values: Readonly<Record<string, unknown>>,
): Uint8Array {
  const separator = hashStruct(DOMAIN, { ...domain, version: '1', verifyingContract: `0x${'00'.repeat(20)}` });
  return keccak_256(concatBytes(Uint8Array.of(0x19, 0x01), separator, hashStruct(struct, values)));
}

function hashStruct(struct: Struct, values: Readonly<Record<string, unknown>>): Uint8Array {
  const signature = `${struct.name}(${struct.fields.map(([type, name]) => `${type} ${name}`).join(',')})`;
  const words = struct.fields.map(([type, name]) => word(type, values[name], `${struct.name}.${name}`));
  return keccak_256(concatBytes(keccak_256(utf8ToBytes(signature)), ...words));
}

function word(type: FieldType, value: unknown, where: string): Uint8Array {
  if (type === 'string') {
    assert(typeof value === 'string', `${where} is not text`);
    return keccak_256(utf8ToBytes(value));
  }
  if (type === 'bool') {
    assert(typeof value === 'boolean', `${where} is not a boolean`);
    return bigEndian(value ? 1n : 0n, 32);
  }
  if (type === 'bytes32' || type === 'address') {
    assert(typeof value === 'string' && value.startsWith('0x'), `${where} is not hex`);
    return bigEndian(BigInt(value), 32);
  }
  assert(Number.isSafeInteger(value) && Number(value) >= 0, `${where} is not a whole number`);
  return bigEndian(BigInt(Number(value)), 32);
}
