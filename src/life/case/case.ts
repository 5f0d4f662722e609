import type { Address, AssetId, ChainId, IntentId, OrderId, TxHash } from '../../kernel/ids.ts';
import type { Part } from '../../kernel/transfer-part.ts';

/** What needs a person, as a value: everything that is said or done about it is looked up by its kind. */
export type Case =
  | { readonly case: 'deposit_orphaned'; readonly asset: AssetId; readonly atoms: bigint; readonly usd: string }
  | { readonly case: 'deposit_unjudged'; readonly chain: ChainId; readonly address: Address; readonly reason: string }
  | { readonly case: 'claims_full' }
  | { readonly case: 'collection_refused'; readonly reason: string }
  /** The order went on from stock, and the deposit that is the desk's since cannot be fetched. */
  | { readonly case: 'advance_not_collected'; readonly reason: string }
  | { readonly case: 'both_payouts_refused'; readonly reason: string }
  | { readonly case: 'refund_refused'; readonly claim: number; readonly reason: string }
  | { readonly case: 'unlisted_refund'; readonly claim: number; readonly asset: AssetId }
  | { readonly case: 'refund_unasked'; readonly claim: number }
  | { readonly case: 'deal_unpaid_late'; readonly deal: number; readonly reason: string }
  | { readonly case: 'fee_refused'; readonly reason: string }
  | { readonly case: 'house_payment_refused'; readonly payment: IntentId; readonly reason: string }
  | { readonly case: 'payment_undone'; readonly payment: IntentId; readonly txHash: TxHash }
  /** Nobody sends these bytes: what they would pay was given back. */
  | {
      readonly case: 'signed_after_refusal';
      readonly payment: IntentId;
      readonly chain: ChainId;
      readonly txHash: TxHash;
    }
  | (OfTransfer & { readonly case: 'payment_dead'; readonly proof: string })
  | (OfTransfer & { readonly case: 'payment_stuck'; readonly reason: string })
  | (OfTransfer & { readonly case: 'settlement_refused'; readonly reason: string })
  | { readonly case: 'provider_failed'; readonly provider: string; readonly deal: string; readonly reason: string }
  | { readonly case: 'provider_delivered_other'; readonly provider: string; readonly asset: AssetId }
  | {
      readonly case: 'provider_delivered_less';
      readonly provider: string;
      readonly deal: string;
      readonly asset: AssetId;
      readonly atoms: bigint;
    }
  /** By so much: the order did not get it. */
  | {
      readonly case: 'provider_delivered_more';
      readonly provider: string;
      readonly deal: string;
      readonly asset: AssetId;
      readonly atoms: bigint;
    }
  | { readonly case: 'nothing_left_after_fees' }
  | { readonly case: 'reward_received'; readonly asset: AssetId; readonly atoms: bigint }
  | { readonly case: 'inventory_short'; readonly asset: AssetId }
  /** The free stock is below its level, though nobody waits yet. */
  | {
      readonly case: 'stock_low';
      readonly asset: AssetId;
      readonly atoms: bigint;
      readonly low: bigint;
      readonly target: bigint;
    }
  | { readonly case: 'instruction_failed'; readonly instruction: string; readonly reason: string }
  | { readonly case: 'venue_row_unexpected'; readonly row: string }
  | { readonly case: 'venue_move_unseen'; readonly move: string; readonly nonce: number }
  | { readonly case: 'round_failed'; readonly round: string; readonly reason: string }
  /** The desk has opened a breaker by itself; `trip` names what for. */
  | { readonly case: 'breaker_tripped'; readonly trip: string; readonly scope: string; readonly reason: string }
  | {
      readonly case: 'drift';
      readonly asset: AssetId;
      readonly atoms: bigint;
      /** On this deposit address: that of an order, or its own name where no order has it. Left out of the hot account's. */
      readonly deposit?: { readonly place: string; readonly address: Address };
    }
  /** The desk's clock and somebody else's differ by so much; ahead is positive. */
  | { readonly case: 'clock_skew'; readonly against: string; readonly seconds: number }
  /** Two nodes of a chain say different things about a deposit or a payment of ours, which waits until they agree. */
  | {
      readonly case: 'nodes_disagree';
      readonly chain: ChainId;
      readonly about: string;
      readonly first: string;
      readonly second: string;
    }
  /** The chain's node has not kept the states of these blocks: coins that contracts sent in them were not looked for. */
  | { readonly case: 'states_missing'; readonly chain: ChainId; readonly first: number; readonly last: number }
  /** What is paid above `at` is not seen yet. */
  | { readonly case: 'scanner_behind'; readonly chain: ChainId; readonly at: number; readonly tip: number }
  /** The signer's journal knows more than this database: it is from the past. */
  | { readonly case: 'database_behind'; readonly reason: string }
  /** The signer cannot write its journal, and so signs nothing. */
  | { readonly case: 'journal_unwritable'; readonly reason: string }
  | { readonly case: 'order_forgotten'; readonly order: OrderId; readonly signed: readonly string[] }
  /** On a deposit address of ours, at a place where the desk can neither credit nor move it. */
  | {
      readonly case: 'deposit_out_of_reach';
      readonly asset: AssetId;
      readonly atoms: bigint;
      readonly address: Address;
      readonly txHash: TxHash;
      readonly sender?: Address;
      readonly why?: string;
    }
  | {
      readonly case: 'deposit_without_order';
      readonly asset: AssetId;
      readonly atoms: bigint;
      readonly address: Address;
      readonly txHash: TxHash;
    }
  | { readonly case: 'webhook_disabled'; readonly webhook: string }
  /** A payment above the value from which on a second person must say yes; `text` is what they sign. */
  | { readonly case: 'approval_awaited'; readonly payment: IntentId; readonly text: string };

/** One of the two transfers of a payment, by the bytes that it is about. */
interface OfTransfer {
  readonly payment: IntentId;
  readonly part: Part;
  readonly txHash: TxHash;
}

export type CaseKind = Case['case'];
export type CaseOf<K extends CaseKind> = Extract<Case, { readonly case: K }>;

/** Which cases of an owner are meant: all of a kind, or the one about this subject. */
export interface CaseRef {
  readonly case: CaseKind;
  readonly subject?: string;
}

type Subjects = { readonly [K in CaseKind]: (one: CaseOf<K>) => string };

/** What tells two open cases of one kind and owner apart; raising the same one again changes nothing. */
const SUBJECTS: Subjects = {
  deposit_orphaned: () => '',
  deposit_unjudged: ({ chain, address }) => onChain(chain, address),
  claims_full: () => '',
  collection_refused: () => '',
  advance_not_collected: () => '',
  both_payouts_refused: () => '',
  refund_refused: ({ claim }) => `${claim}`,
  unlisted_refund: ({ claim }) => `${claim}`,
  refund_unasked: ({ claim }) => `${claim}`,
  deal_unpaid_late: ({ deal }) => `${deal}`,
  fee_refused: () => '',
  house_payment_refused: ({ payment }) => payment,
  payment_undone: ({ payment }) => payment,
  signed_after_refusal: ({ payment, txHash }) => `${payment} ${txHash}`,
  payment_dead: ({ payment, part }) => transferSubject(payment, part),
  payment_stuck: ({ payment, part }) => transferSubject(payment, part),
  settlement_refused: ({ payment, part }) => transferSubject(payment, part),
  provider_failed: ({ deal }) => deal,
  provider_delivered_other: ({ provider }) => provider,
  provider_delivered_less: ({ deal }) => deal,
  provider_delivered_more: ({ deal }) => deal,
  nothing_left_after_fees: () => '',
  reward_received: ({ asset }) => asset,
  inventory_short: ({ asset }) => asset,
  stock_low: ({ asset }) => asset,
  instruction_failed: ({ instruction }) => instruction,
  venue_row_unexpected: ({ row }) => row,
  venue_move_unseen: ({ nonce }) => `${nonce}`,
  clock_skew: ({ against }) => against,
  nodes_disagree: ({ chain, about }) => onChain(chain, about),
  states_missing: ({ chain }) => `${chain}`,
  scanner_behind: ({ chain }) => `${chain}`,
  database_behind: () => '',
  journal_unwritable: () => '',
  order_forgotten: ({ order }) => order,
  deposit_out_of_reach: ({ txHash, address, asset }) => `${txHash}:${address}:${asset}`,
  deposit_without_order: ({ txHash, address, asset }) => `${txHash}:${address}:${asset}`,
  webhook_disabled: ({ webhook }) => webhook,
  approval_awaited: ({ payment }) => payment,
  round_failed: ({ round }) => round,
  breaker_tripped: ({ trip }) => trip,
  drift: ({ asset, deposit }) => driftSubject(asset, deposit?.place),
};

/** What a case about an asset that is missing is known by: at that place, or on the hot account. */
export const driftSubject = (asset: AssetId, place?: string): string =>
  place === undefined ? asset : `${asset}@${place}`;

/** What a case about something on a chain is known by. */
export const onChain = (chain: ChainId, about: string): string => `${chain}:${about}`;

/** What a case about one transfer of a payment is known by. */
export const transferSubject = (payment: IntentId, part: Part): string =>
  part === 'main' ? payment : `${payment}:gas`;

/** Whether the case is among those that are named. */
export const isNamedIn = (one: Case, refs: readonly CaseRef[]): boolean =>
  refs.some((ref) => ref.case === one.case && (ref.subject === undefined || ref.subject === subjectOf(one)));

export function subjectOf(one: Case): string {
  // The table is keyed by the very kind that selects the case; TypeScript cannot follow that through the union.
  return (SUBJECTS[one.case] as (one: Case) => string)(one);
}
