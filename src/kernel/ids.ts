import { assert } from './assert.ts';
import type { Brand } from './brand.ts';

export type ChainId = Brand<number, 'ChainId'>;
/** `<chainId>:<token>`: one asset in one place; the same coin on two chains is two assets. */
export type AssetId = Brand<string, 'AssetId'>;
/** Minted only by a chain's parser: holding one is proof that it was checked, and it is in canonical spelling. */
export type Address = Brand<string, 'Address'>;
/** Canonical token id within its chain (contract, mint, or the chain's own coin). */
export type TokenId = Brand<string, 'TokenId'>;
export type TxHash = Brand<string, 'TxHash'>;
export type OrderId = Brand<string, 'OrderId'>;
export type IntentId = Brand<string, 'IntentId'>;
export type SessionId = Brand<string, 'SessionId'>;

export const chainId = (value: number): ChainId => {
  assert(Number.isSafeInteger(value) && value >= 0, `not a chain id: ${value}`);
  return value as ChainId;
};

export const txHash = (text: string): TxHash => text as TxHash;

export function assetId(chain: ChainId, token: TokenId): AssetId {
  return `${chain}:${token}` as AssetId;
}

export function chainOf(asset: AssetId): ChainId {
  return chainId(Number(asset.slice(0, asset.indexOf(':'))));
}

export function tokenOf(asset: AssetId): TokenId {
  return asset.slice(asset.indexOf(':') + 1) as TokenId;
}

const ORDER_ID = /^(sw|dep|wd)_[a-z2-7]{26,52}$/;
const UUID_V4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i;

export function parseOrderId(text: unknown): OrderId | undefined {
  return typeof text === 'string' && ORDER_ID.test(text) ? (text as OrderId) : undefined;
}

export function parseSessionId(text: unknown): SessionId | undefined {
  return typeof text === 'string' && UUID_V4.test(text) ? (text.toLowerCase() as SessionId) : undefined;
}

/** One per (owner, kind, number): asking twice for the same payment names the same intent. */
export function intentId(owner: OrderId | 'treasury', kind: string, number: number): IntentId {
  return `${owner}:${kind}:${number}` as IntentId;
}

/** What an intent is named by, taken apart again. */
export function intentParts(intent: IntentId): {
  readonly owner: OrderId | 'treasury';
  readonly kind: string;
  readonly number: number;
} {
  const [owner = '', kind = '', number = ''] = intent.split(':');
  return { owner: owner as OrderId | 'treasury', kind, number: Number(number) };
}
