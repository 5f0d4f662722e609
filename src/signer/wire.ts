import type { Account } from '../kernel/account.ts';
import type { Atoms } from '../kernel/amount.ts';
import type { Instant } from '../kernel/clock.ts';
import {
  type Address,
  type AssetId,
  type ChainId,
  type IntentId,
  type OrderId,
  parseOrderId,
  type TxHash,
} from '../kernel/ids.ts';
import { ADDRESSES_PER_CALL, MAX_ADDRESS_CHARS } from '../kernel/limits.ts';
import type { Delegated, SignedFor, SignedTransfer } from '../world/chains/chain.ts';
import type { FamilyKeys } from '../world/chains/family.ts';
import type { SignedAction, Ticket, VenueMove } from '../world/venues/venue.ts';
import type {
  IntentKind,
  MoveRequest,
  PublicKeys,
  Raised,
  SignedForRequest,
  TradeRequest,
  TransferRequest,
} from './request.ts';
import {
  atomsText,
  either,
  list,
  Malformed,
  names,
  oneOf,
  optional,
  record,
  type Shape,
  table,
  text,
  whole,
} from './shape.ts';

/** What passes the socket and what the journal keeps: one spelling for both, read back by the same shapes. */
export const toWire = (value: unknown): string =>
  JSON.stringify(value, (_, each: unknown) => (typeof each === 'bigint' ? each.toString() : each));

/** BIP-32 children above this are hardened and have no public address. */
const MAX_INDEX = 2 ** 31 - 1;

const owner: Shape<OrderId | 'treasury'> = either(
  oneOf('treasury'),
  (value) => parseOrderId(value) ?? new Malformed(''),
);
export const intent = text<IntentId>(/^[a-z0-9_]{1,64}:[a-z][a-z0-9_]{0,31}:\d{1,16}$/);
const kind: Shape<IntentKind> = oneOf(
  ...(['payout', 'refund', 'fee', 'fund', 'gas', 'sweep', 'rebalance', 'cold', 'fill', 'lend', 'reclaim'] as const),
);
const chain = whole<ChainId>();
const asset = text<AssetId>(/^\d{1,16}:[A-Za-z0-9]{1,80}$/);
const address = text<Address>(new RegExp(`^[A-Za-z0-9]{1,${MAX_ADDRESS_CHARS}}$`));
const account: Shape<Account> = either(
  oneOf('hot'),
  record<{ readonly deposit: number }>({ deposit: whole(MAX_INDEX) }),
);
const binding = text(/^[0-9a-f]{128}$/);
const charter = text(/^[\x20-\x7e]{1,2048}$/);
const raised: Shape<Raised> = record<Raised>({ most: atomsText, binding });
const hexBytes = text(/^(?:0x)?[0-9a-f]+$/);
/** A hash in hexadecimal, or a signature in base 58. */
const hash = text<TxHash>(/^(?:(?:0x)?[0-9a-f]{64}|[1-9A-HJ-NP-Za-km-z]{64,88})$/);

const delegated: Shape<Delegated> = record<Delegated>({ authorize: optional(whole()) });

export const transferRequest: Shape<TransferRequest> = record<TransferRequest>({
  intent,
  kind,
  owner,
  chainId: chain,
  from: account,
  asset,
  atoms: atomsText,
  to: address,
  delegated: optional(delegated),
  toDeposit: optional(whole(MAX_INDEX)),
  binding: optional(binding),
  charter: optional(charter),
  raised: optional(raised),
  approval: optional(binding),
  nonce: optional(whole()),
  afterDead: optional(hash),
  fee: names,
});

export const clientId: Shape<Ticket['clientId']> = text(/^0x[0-9a-f]{32}$/);

const ticket: Shape<Ticket> = record<Ticket>({
  clientId,
  side: oneOf('buy', 'sell'),
  size: atomsText,
  limit: text(/^(?:0|[1-9]\d{0,17})(?:\.\d{1,18})?$/),
  nonce: whole(),
  expiresAfter: whole<Instant>(),
});

export const tradeRequest: Shape<TradeRequest> = record<TradeRequest>({ owner, ticket, wire: names });

interface ChangeSides {
  readonly move: 'to_trading' | 'to_transit';
  readonly atoms: Atoms;
  readonly nonce: number;
}

const nonce = whole();
const venueMove: Shape<VenueMove> = either(
  record<Extract<VenueMove, { move: 'send' }>>({ move: oneOf('send'), asset, atoms: atomsText, to: address, nonce }),
  either(
    record<Extract<VenueMove, { move: 'withdraw' }>>({ move: oneOf('withdraw'), atoms: atomsText, to: address, nonce }),
    record<ChangeSides>({
      move: oneOf('to_trading', 'to_transit'),
      atoms: atomsText,
      nonce,
    }),
  ),
);

export const moveRequest: Shape<MoveRequest> = record<MoveRequest>({
  intent,
  owner,
  kind,
  move: venueMove,
  wire: names,
});

export const signedTransfer: Shape<SignedTransfer> = record<SignedTransfer>({
  intent,
  chainId: chain,
  txHash: hash,
  raw: hexBytes,
  /** No transaction that we build spends more outputs. */
  consumes: list(text(/^[\x21-\x7e]{1,256}$/), 256),
  cost: atomsText,
});

export const signedForRequest: Shape<SignedForRequest> = record<SignedForRequest>({ chainId: chain, txHash: hash });

export const signedFor: Shape<SignedFor> = record<SignedFor>({
  from: account,
  asset,
  atoms: atomsText,
  to: address,
  delegated: optional(delegated),
  cost: atomsText,
});

export const signedAction: Shape<SignedAction> = record<SignedAction>({ nonce, body: text(/^\{.*\}$/) });

const family = text(/^[a-z]{1,32}$/);
/** Addresses and public keys in whatever spelling their family has. */
const familyKeys: Shape<FamilyKeys> = (value) => {
  const read = table(
    text(/^[A-Za-z]\w{0,31}$/),
    text(new RegExp(`^[\\x21-\\x7e]{1,${MAX_ADDRESS_CHARS}}$`)),
    16,
  )(value);
  if (read instanceof Malformed) return read;
  const hot = address(read.hot);
  return hot instanceof Malformed ? hot.within('hot') : { ...read, hot };
};

export const publicKeys: Shape<PublicKeys> = table(family, familyKeys, 64);

/** Parts for payments at the same time: `count` of them, of at least `atomsEach`. */
export interface SplitRequest {
  readonly family: string;
  readonly intent: IntentId;
  readonly count: number;
  readonly atomsEach: Atoms;
}

/** More outputs than anyone pays customers at once. */
const MAX_OUTPUTS = 1024;

export const splitRequest: Shape<SplitRequest> = record<SplitRequest>({
  family,
  intent,
  count: whole(MAX_OUTPUTS),
  atomsEach: atomsText,
});

/** Deposit addresses first … first+count-1. */
export interface AddressesRequest {
  readonly family: string;
  readonly first: number;
  readonly count: number;
}

export const addressesRequest: Shape<AddressesRequest> = record<AddressesRequest>({
  family,
  first: whole(MAX_INDEX - ADDRESSES_PER_CALL),
  count: whole(ADDRESSES_PER_CALL),
});

export const addresses: Shape<{ readonly deposits: readonly Address[] }> = record({
  deposits: list(address, ADDRESSES_PER_CALL),
});

export interface BalanceRequest {
  readonly family: string;
}

export const balanceRequest: Shape<BalanceRequest> = record<BalanceRequest>({ family });

export interface Balance {
  readonly spendable: Atoms;
  readonly locked: Atoms;
}

export const balance: Shape<Balance> = record<Balance>({ spendable: atomsText, locked: atomsText });
