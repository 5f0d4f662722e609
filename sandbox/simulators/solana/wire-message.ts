import { base58 } from '@scure/base';
import { present } from '../../../src/kernel/assert.ts';
import { ByteReader } from '../../../src/kernel/byte-reader.ts';
import type { Address } from '../../../src/kernel/ids.ts';
import { decodeEnvelope, KEY_BYTES, type Message } from '../../../src/world/chains/solana/message-codec.ts';

export interface CompiledInstruction {
  /** Places among the keys. */
  readonly program: number;
  readonly accounts: readonly number[];
  readonly data: Uint8Array;
}

/** The keys stand in the order of the message, by which balances and instructions name accounts. */
export interface WireMessage {
  readonly version: 'legacy' | 0;
  readonly signers: number;
  readonly readSigners: number;
  readonly readOthers: number;
  readonly keys: readonly Address[];
  readonly blockhash: string;
  readonly instructions: readonly CompiledInstruction[];
}

/** A transaction as it was sent. */
export interface WireTx extends WireMessage {
  readonly signatures: readonly Uint8Array[];
  /** The bytes that are signed. */
  readonly signed: Uint8Array;
}

export class Malformed extends Error {
  override readonly name = 'Malformed';
}

const VERSIONED = 0x80;
/** A count takes at most three bytes. */
const LENGTH_BITS = 21;

/** Throws `Malformed` for what is none. */
export function readWire(bytes: Uint8Array): WireTx {
  return orMalformed(() => {
    const { signatures, message } = decodeEnvelope(bytes);
    return { ...read(message), signatures, signed: message };
  });
}

export const readMessage = (bytes: Uint8Array): WireMessage => orMalformed(() => read(bytes));

function orMalformed<T>(reading: () => T): T {
  try {
    return reading();
  } catch (error) {
    throw new Malformed(`failed to deserialize: ${(error as Error).message}`);
  }
}

/** Both forms of a message; tables that shorten the list of its accounts are not simulated. */
function read(bytes: Uint8Array): WireMessage {
  const reader = new ByteReader(bytes);
  const many = <T>(item: () => T): T[] => reader.list(reader.varint(LENGTH_BITS), item);
  const first = reader.byte();
  const version = first < VERSIONED ? 'legacy' : first - VERSIONED;
  if (version !== 'legacy' && version !== 0) throw new Malformed(`version ${version}`);
  const [signers, readSigners, readOthers] = [version === 0 ? reader.byte() : first, reader.byte(), reader.byte()];
  const keys = many(() => base58.encode(reader.take(KEY_BYTES)) as Address);
  const blockhash = base58.encode(reader.take(KEY_BYTES));
  const instructions = many(() => ({
    program: reader.byte(),
    accounts: many(() => reader.byte()),
    data: reader.take(reader.varint(LENGTH_BITS)),
  }));
  if (version === 0 && reader.byte() !== 0) throw new Malformed('address lookup tables');
  reader.end();
  const places = instructions.flatMap(({ program, accounts }) => [program, ...accounts]);
  if (signers < 1 || signers > keys.length || places.some((at) => at >= keys.length)) throw new Malformed('accounts');
  return { version, signers, readSigners, readOthers, keys, blockhash, instructions };
}

export const isWritten = ({ signers, readSigners, readOthers, keys }: WireMessage, at: number): boolean =>
  at < signers ? at < signers - readSigners : at < keys.length - readOthers;

/** With its accounts by name. */
export function messageOf(wire: WireMessage): Message {
  const use = (at: number) => ({
    address: present(wire.keys[at], 'an account of a message'),
    signs: at < wire.signers,
    writes: isWritten(wire, at),
  });
  return {
    payer: use(0).address,
    blockhash: wire.blockhash,
    instructions: wire.instructions.map(({ program, accounts, data }) => ({
      program: use(program).address,
      accounts: accounts.map(use),
      data,
    })),
  };
}
