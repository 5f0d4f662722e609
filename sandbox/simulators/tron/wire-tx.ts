import { utils } from 'tronweb';
import { decodeFields, encodeFields, type Field } from '../../../src/world/chains/tron/protobuf.ts';

/** One kind or the other of what the simulated chain carries out. */
export type Ask =
  | { readonly kind: 'TransferContract'; readonly owner: string; readonly to: string; readonly amount: bigint }
  | {
      readonly kind: 'TriggerSmartContract';
      readonly owner: string;
      readonly contract: string;
      readonly value: bigint;
      readonly data: string;
    };

export interface WireTx {
  readonly id: string;
  /** The whole transaction. */
  readonly hex: string;
  readonly rawHex: string;
  readonly signatures: readonly string[];
  readonly ask: Ask;
  readonly refBlockBytes: string;
  readonly refBlockHash: string;
  readonly expiration: number;
  readonly timestamp: number;
  readonly feeLimit: bigint;
}

interface Parsed {
  readonly contract: readonly { readonly parameter: { readonly value: Readonly<Record<string, string | number>> } }[];
  readonly ref_block_bytes: string;
  readonly ref_block_hash: string;
  readonly expiration: number;
  readonly timestamp: number;
  readonly fee_limit?: number;
}

const KINDS = ['TransferContract', 'TriggerSmartContract'] as const;

/** Read by another implementation than the one that the service signs with; throws on bytes that it cannot read. */
export function readTx(hex: string): WireTx {
  const outer = decodeFields(Buffer.from(hex, 'hex'));
  const parts = (number: number) =>
    outer.flatMap(([found, value]) => (found === number && typeof value !== 'bigint' ? [Buffer.from(value)] : []));
  const [raw] = parts(1);
  if (!raw) throw new Error('a transaction without raw_data');
  const rawHex = raw.toString('hex');
  const kind = KINDS.find((name) => raw.includes(`protocol.${name}`));
  if (!kind) throw new Error('a kind of contract that is not simulated');
  const parsed = utils.deserializeTx.deserializeTransaction(kind, rawHex) as unknown as Parsed;
  return {
    id: Buffer.from(utils.crypto.SHA256(raw)).toString('hex'),
    ...{ hex, rawHex },
    signatures: parts(2).map((signature) => signature.toString('hex')),
    ask: askOf(kind, parsed.contract[0]?.parameter.value ?? {}),
    refBlockBytes: parsed.ref_block_bytes.toLowerCase(),
    refBlockHash: parsed.ref_block_hash.toLowerCase(),
    expiration: parsed.expiration,
    timestamp: parsed.timestamp,
    feeLimit: BigInt(parsed.fee_limit ?? 0),
  };
}

/** The transaction of which a wallet sends the two parts on their own. */
export function wholeTx(rawHex: string, signatures: readonly string[]): string {
  const parts = signatures.map((signature): Field => [2, Buffer.from(signature, 'hex')]);
  return Buffer.from(encodeFields([[1, Buffer.from(rawHex, 'hex')], ...parts])).toString('hex');
}

function askOf(kind: Ask['kind'], value: Readonly<Record<string, string | number>>): Ask {
  const hex = (field: string) => String(value[field] ?? '').toLowerCase();
  const owner = hex('owner_address');
  if (kind === 'TransferContract') return { kind, owner, to: hex('to_address'), amount: BigInt(value.amount ?? 0) };
  return { kind, owner, contract: hex('contract_address'), value: BigInt(value.call_value ?? 0), data: hex('data') };
}

/** Whose key signed, or undefined for what is no signature. */
export function signerOf({ id, signatures }: WireTx): string | undefined {
  const [signature, ...more] = signatures;
  if (!signature || more.length > 0) return undefined;
  try {
    return utils.crypto.ecRecover(id, signature).toLowerCase();
  } catch {
    return undefined;
  }
}

/** The transaction as nodes print it. */
export function printTx(tx: WireTx): Record<string, unknown> {
  const { ask, feeLimit } = tx;
  const value =
    ask.kind === 'TransferContract'
      ? { amount: Number(ask.amount), owner_address: ask.owner, to_address: ask.to }
      : {
          ...(ask.value > 0n ? { call_value: Number(ask.value) } : {}),
          ...{ data: ask.data, owner_address: ask.owner, contract_address: ask.contract },
        };
  return {
    signature: tx.signatures,
    txID: tx.id,
    raw_data: {
      contract: [{ parameter: { value, type_url: `type.googleapis.com/protocol.${ask.kind}` }, type: ask.kind }],
      ref_block_bytes: tx.refBlockBytes,
      ref_block_hash: tx.refBlockHash,
      expiration: tx.expiration,
      ...(feeLimit > 0n ? { fee_limit: Number(feeLimit) } : {}),
      timestamp: tx.timestamp,
    },
    raw_data_hex: tx.rawHex,
  };
}
