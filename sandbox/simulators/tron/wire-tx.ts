import { utils } from 'tronweb';
import { decodeFields, encodeFields, type Field } from '../../../src/world/chains/tron/protobuf.ts';

/** What the simulated chain carries out. */
export type Ask =
  | { readonly kind: 'FreezeBalanceV2Contract'; readonly owner: string; readonly amount: bigint }
  | {
      readonly kind: 'DelegateResourceContract';
      readonly owner: string;
      readonly to: string;
      readonly amount: bigint;
      readonly lock: boolean;
    }
  | {
      readonly kind: 'UnDelegateResourceContract';
      readonly owner: string;
      readonly to: string;
      readonly amount: bigint;
    }
  | { readonly kind: 'AccountPermissionUpdateContract'; readonly owner: string; readonly actives: readonly Active[] }
  | { readonly kind: 'TransferContract'; readonly owner: string; readonly to: string; readonly amount: bigint }
  | {
      readonly kind: 'TriggerSmartContract';
      readonly owner: string;
      readonly contract: string;
      readonly value: bigint;
      readonly data: string;
    };

export interface Active {
  readonly threshold: bigint;
  readonly operations: bigint;
  readonly keys: readonly { readonly address: string; readonly weight: bigint }[];
}

/** As `core/Tron.proto` numbers them. */
export const CONTRACT_NUMBERS: Readonly<Record<Ask['kind'], number>> = {
  TransferContract: 1,
  TriggerSmartContract: 31,
  AccountPermissionUpdateContract: 46,
  FreezeBalanceV2Contract: 54,
  DelegateResourceContract: 57,
  UnDelegateResourceContract: 58,
};

export interface WireTx {
  readonly id: string;
  /** The whole transaction. */
  readonly hex: string;
  readonly rawHex: string;
  readonly signatures: readonly string[];
  readonly ask: Ask;
  /** Nought is the owner's own. */
  readonly permissionId: number;
  readonly refBlockBytes: string;
  readonly refBlockHash: string;
  readonly expiration: number;
  readonly timestamp: number;
  readonly feeLimit: bigint;
}

type Value = Readonly<Record<string, unknown>>;

interface Parsed {
  readonly contract: readonly { readonly parameter: { readonly value: Value } }[];
  readonly ref_block_bytes: string;
  readonly ref_block_hash: string;
  readonly expiration: number;
  readonly timestamp: number;
  readonly fee_limit?: number;
}

const KINDS = Object.keys(CONTRACT_NUMBERS) as Ask['kind'][];

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
    permissionId: permissionIn(raw),
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

/** The one number that the other implementation does not tell. */
function permissionIn(raw: Uint8Array): number {
  const [contract] = decodeFields(raw).flatMap(([number, value]) =>
    number === 11 && typeof value !== 'bigint' ? [value] : [],
  );
  const found = contract && decodeFields(contract).find(([number]) => number === 5)?.[1];
  return typeof found === 'bigint' ? Number(found) : 0;
}

function askOf(kind: Ask['kind'], value: Value): Ask {
  const hex = (field: string) => String(value[field] ?? '').toLowerCase();
  const sum = (field: string) => BigInt(Number(value[field] ?? 0));
  const owner = hex('owner_address');
  const isOfEnergy = value.resource === 'ENERGY';
  switch (kind) {
    case 'TransferContract':
      return { kind, owner, to: hex('to_address'), amount: sum('amount') };
    case 'TriggerSmartContract':
      return { kind, owner, contract: hex('contract_address'), value: sum('call_value'), data: hex('data') };
    case 'AccountPermissionUpdateContract':
      return { kind, owner, actives: (value.actives as readonly Value[]).map(activeOf) };
    case 'FreezeBalanceV2Contract':
      if (!isOfEnergy) break;
      return { kind, owner, amount: sum('frozen_balance') };
    case 'DelegateResourceContract':
      if (!isOfEnergy) break;
      return { kind, owner, to: hex('receiver_address'), amount: sum('balance'), lock: value.lock === true };
    case 'UnDelegateResourceContract':
      if (!isOfEnergy) break;
      return { kind, owner, to: hex('receiver_address'), amount: sum('balance') };
  }
  throw new Error('a resource that is not simulated');
}

function activeOf({ threshold, operations, keys }: Value): Active {
  return {
    threshold: BigInt(Number(threshold)),
    operations: BigInt(`0x${String(operations)}`),
    keys: (keys as readonly Value[]).map(({ address, weight }) => ({
      address: String(address).toLowerCase(),
      weight: BigInt(Number(weight)),
    })),
  };
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

function printAsk(ask: Ask): Record<string, unknown> {
  const owner = { owner_address: ask.owner };
  switch (ask.kind) {
    case 'TransferContract':
      return { amount: Number(ask.amount), ...owner, to_address: ask.to };
    case 'TriggerSmartContract': {
      const value = ask.value > 0n ? { call_value: Number(ask.value) } : {};
      return { ...value, data: ask.data, ...owner, contract_address: ask.contract };
    }
    case 'AccountPermissionUpdateContract':
      return owner;
    case 'FreezeBalanceV2Contract':
      return { ...owner, frozen_balance: Number(ask.amount), resource: 'ENERGY' };
    default:
      return { balance: Number(ask.amount), resource: 'ENERGY', receiver_address: ask.to, ...owner };
  }
}

/** The transaction as nodes print it. */
export function printTx(tx: WireTx): Record<string, unknown> {
  const { ask, feeLimit } = tx;
  const permission = tx.permissionId > 0 ? { Permission_id: tx.permissionId } : {};
  return {
    signature: tx.signatures,
    txID: tx.id,
    raw_data: {
      contract: [
        {
          parameter: { value: printAsk(ask), type_url: `type.googleapis.com/protocol.${ask.kind}` },
          ...{ type: ask.kind, ...permission },
        },
      ],
      ref_block_bytes: tx.refBlockBytes,
      ref_block_hash: tx.refBlockHash,
      expiration: tx.expiration,
      ...(feeLimit > 0n ? { fee_limit: Number(feeLimit) } : {}),
      timestamp: tx.timestamp,
    },
    raw_data_hex: tx.rawHex,
  };
}
