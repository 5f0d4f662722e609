import { base58 } from '@scure/base';
import { assert, present } from '../../../kernel/assert.ts';
import { ByteReader } from '../../../kernel/byte-reader.ts';
import type { Address } from '../../../kernel/ids.ts';

/** What an instruction may do with one account. */
export interface AccountUse {
  readonly address: Address;
  readonly signs: boolean;
  readonly writes: boolean;
}

export interface Instruction {
  readonly program: Address;
  readonly accounts: readonly AccountUse[];
  readonly data: Uint8Array;
}

export interface Message {
  readonly payer: Address;
  readonly blockhash: string;
  readonly instructions: readonly Instruction[];
}

export const KEY_BYTES = 32;
export const SIGNATURE_BYTES = 64;

/**
 * The legacy form: it names every account in full and every node reads it; the newer one only adds tables that shorten
 * long lists. Accounts stand in four groups: signers before others, and in each of these what is written before what is read.
 */
export function encodeMessage({ payer, blockhash, instructions }: Message): Uint8Array {
  const uses = mergedUses(payer, instructions);
  const groups = [
    uses.filter(({ signs, writes }) => signs && writes),
    uses.filter(({ signs, writes }) => signs && !writes),
    uses.filter(({ signs, writes }) => !signs && writes),
    uses.filter(({ signs, writes }) => !signs && !writes),
  ];
  const [written = [], read = [], , plain = []] = groups;
  const accounts = groups.flat().map(({ address }) => address);
  const place = (address: Address): number => accounts.indexOf(address);
  const calls = instructions.map(({ program, accounts: used, data }) => [
    place(program),
    ...counted(used.map(({ address }) => place(address))),
    ...counted(data),
  ]);
  return Uint8Array.from([
    ...[written.length + read.length, read.length, plain.length],
    ...length(accounts.length),
    ...accounts.flatMap((address) => [...base58.decode(address)]),
    ...base58.decode(blockhash),
    ...length(calls.length),
    ...calls.flat(),
  ]);
}

function mergedUses(payer: Address, instructions: readonly Instruction[]): readonly AccountUse[] {
  const merged = new Map<Address, AccountUse>();
  const use = ({ address, signs, writes }: AccountUse): void => {
    const known = merged.get(address);
    merged.set(address, { address, signs: signs || known?.signs === true, writes: writes || known?.writes === true });
  };
  use({ address: payer, signs: true, writes: true });
  for (const { accounts } of instructions) accounts.forEach(use);
  for (const { program } of instructions) use({ address: program, signs: false, writes: false });
  return [...merged.values()];
}

export function decodeMessage(bytes: Uint8Array): Message {
  const reader = new ByteReader(bytes);
  const [signers, readSigners, readOthers] = [reader.byte(), reader.byte(), reader.byte()];
  assert(signers >= 1 && signers < 0x80, 'not a legacy message');
  const accounts = readMany(reader, () => base58.encode(reader.take(KEY_BYTES)) as Address);
  const uses = accounts.map((address, at) => ({
    address,
    signs: at < signers,
    writes: at < signers ? at < signers - readSigners : at < accounts.length - readOthers,
  }));
  const used = (at: number): AccountUse => present(uses[at], `account ${at} of a message`);
  const blockhash = base58.encode(reader.take(KEY_BYTES));
  const instructions = readMany(reader, () => ({
    program: used(reader.byte()).address,
    accounts: readMany(reader, () => used(reader.byte())),
    data: reader.take(readLength(reader)),
  }));
  reader.end();
  return { payer: used(0).address, blockhash, instructions };
}

/** Who must sign, in the order of their signatures. */
export function signersOf(message: Message): readonly Address[] {
  const signing = mergedUses(message.payer, message.instructions).filter(({ signs }) => signs);
  return [...signing.filter(({ writes }) => writes), ...signing.filter(({ writes }) => !writes)].map(
    ({ address }) => address,
  );
}

export interface Envelope {
  readonly signatures: readonly Uint8Array[];
  readonly message: Uint8Array;
}

export function encodeEnvelope({ signatures, message }: Envelope): Uint8Array {
  return Uint8Array.from([...length(signatures.length), ...signatures.flatMap((one) => [...one]), ...message]);
}

export function decodeEnvelope(bytes: Uint8Array): Envelope {
  const reader = new ByteReader(bytes);
  return { signatures: readMany(reader, () => reader.take(SIGNATURE_BYTES)), message: reader.rest() };
}

const counted = (items: ArrayLike<number>): readonly number[] => [...length(items.length), ...Array.from(items)];

/** Seven bits a byte, the low ones first; the eighth says that more follow. */
function length(count: number): readonly number[] {
  return count < 0x80 ? [count] : [(count & 0x7f) | 0x80, ...length(count >> 7)];
}

/** A count takes at most three bytes. */
const LENGTH_BITS = 21;

const readLength = (reader: ByteReader): bigint => reader.varint(LENGTH_BITS);

const readMany = <T>(reader: ByteReader, item: () => T): T[] => reader.list(readLength(reader), item);
