import { type Account, accountText } from '../../kernel/account.ts';
import type { Amount } from '../../kernel/amount.ts';
import { assert } from '../../kernel/assert.ts';
import type { Instant } from '../../kernel/clock.ts';
import {
  type Address,
  type ChainId,
  chainOf,
  type IntentId,
  intentId,
  intentParts,
  type OrderId,
  type TxHash,
} from '../../kernel/ids.ts';
import type { Part } from '../../kernel/transfer-part.ts';
import type { IntentKind } from '../../signer/request.ts';
import type { LedgerAccount } from './posting.ts';

/** Whose work it is: an order's, or the house's own. */
export type Owner = OrderId | 'treasury';

/** What a payment is for. With its owner it names the payment: asking twice for the same one makes the same one. */
export type Purpose =
  | { readonly for: 'payout'; readonly number: number }
  | { readonly for: 'refund'; readonly claim: number }
  | { readonly for: 'provider_deal'; readonly deal: number }
  /** `again` counts those before it that failed. `forHouse`: the order went on without it, and what it brings is the desk's. */
  | { readonly for: 'collection'; readonly again?: number; readonly forHouse?: boolean }
  /** `number` counts from nought; a later one is made only when the one before was refused for good. */
  | { readonly for: 'integrator_fee'; readonly integration: string; readonly number: number }
  | { readonly for: 'rebalance'; readonly number: number }
  /** What the hot account need not hold, to where only the signer's settings say. */
  | { readonly for: 'cold_sweep'; readonly number: number }
  /** What a provider is paid for stock of our own. */
  | { readonly for: 'stock_fill'; readonly number: number }
  | { readonly for: 'output_split'; readonly number: number }
  /** Signed for an order that a restored database has forgotten; `number` is the first line of it in the signer's journal. */
  | { readonly for: 'forgotten'; readonly number: number };

export type PurposeName = Purpose['for'];
export type PurposeOf<N extends PurposeName> = Extract<Purpose, { readonly for: N }>;

/** That bytes which may not be held can never take effect, and that a person was told. */
interface Mourned {
  readonly proof?: string;
}

/** That its chain knows it by another name, which is told once it is done. */
export interface Unnamed {
  readonly isUnnamed?: true;
}

/** A person who answers for something, and why. */
export interface ByHand {
  readonly by: string;
  readonly reason: string;
}

/** How far one transfer has come: its bytes are saved, then sent, then mined, then final by the chain's own rule. */
export type Progress =
  | { readonly state: 'reserved' }
  /** `raised` counts how often its chain's deadline passed without a block. */
  | ({ readonly state: 'signed'; readonly txHash: TxHash; readonly raised: number } & Mourned & Unnamed)
  | ({ readonly state: 'sent'; readonly txHash: TxHash; readonly raised: number; readonly since: Instant } & Mourned &
      Unnamed)
  /** In a block: what a customer is shown. It may still fall out, and is then sent again. */
  | ({ readonly state: 'confirmed'; readonly txHash: TxHash; readonly cost: Amount } & Mourned)
  | { readonly state: 'settled'; readonly txHash: TxHash; readonly cost: Amount; readonly byHand?: ByHand };

export type PaymentState =
  /** Its price, and whether its account can pay it, must be looked up first. */
  | { readonly state: 'due' }
  /** Coins for its network fee are on their way to the account that pays it. */
  | { readonly state: 'awaiting_gas' }
  | Progress
  /** It was not paid and never will be: refused before anything was signed, or executed and failed for good. */
  | { readonly state: 'refused'; readonly reason: string }
  /** Its bytes can never take effect and nothing may be signed in their place: a person must look. */
  | { readonly state: 'held'; readonly txHash: TxHash; readonly proof: string };

/** Of what went ahead, or is to come back: it was not made and never will be, and nothing of it is missing anywhere. */
export type GivenUp = Extract<PaymentState, { readonly state: 'refused' }>;

export interface Ahead {
  readonly amount: Amount;
  readonly progress: Progress | GivenUp;
  readonly round?: number;
  /** Not coins, but the use of so many that are staked. */
  readonly isLent?: boolean;
}

/** One payment to be made exactly once, with everything that is ever known about it. */
export interface Payment {
  readonly id: IntentId;
  readonly version: number;
  readonly owner: Owner;
  readonly purpose: Purpose;
  readonly from: Account;
  readonly amount: Amount;
  readonly to: Address;
  readonly binding: string | undefined;
  /** Where the money came from, and goes back to if it is not paid. */
  readonly source: LedgerAccount;
  /** Who bears the network cost. */
  readonly bearer: LedgerAccount;
  /** The hot account sends it, with a nonce and coins of its own, out of the deposit account that it leaves. */
  readonly isDelegated?: boolean;
  /** The deposit account that pays, as an address: coins for its fee are sent there. */
  readonly payer: { readonly address: Address; readonly index: number } | undefined;
  /** `round` counts from nought; there is another only when what was sent before did not do. */
  readonly gas: Ahead | undefined;
  /** What was lent ahead and is taken back once nothing about the payment itself can change. */
  readonly back?: { readonly amount: Amount; readonly progress: Progress | GivenUp };
  readonly state: PaymentState;
}

interface Conduct<N extends PurposeName> {
  /** What the signer is asked for; it checks each kind's destination in its own way. */
  readonly kind: IntentKind;
  /** What it goes by in names of payments, where that is not its kind. */
  readonly name?: string;
  readonly number: (purpose: PurposeOf<N>) => number;
  /** Where the money is once it is paid. */
  readonly arrives: (owner: Owner, purpose: PurposeOf<N>) => LedgerAccount;
}

const outside = (): LedgerAccount => 'world';

/** Complete by type: a new purpose must say how it is paid and where its money goes. */
const CONDUCT: { readonly [N in PurposeName]: Conduct<N> } = {
  payout: { kind: 'payout', number: ({ number }) => number, arrives: outside },
  refund: { kind: 'refund', number: ({ claim }) => claim, arrives: outside },
  provider_deal: { kind: 'fund', number: ({ deal }) => deal, arrives: outside },
  collection: {
    kind: 'sweep',
    number: ({ again = 0 }) => again,
    arrives: (owner, { forHouse }) => (forHouse ? 'treasury' : `order:${owner}`),
  },
  integrator_fee: { kind: 'fee', number: ({ number }) => number, arrives: outside },
  rebalance: { kind: 'rebalance', number: ({ number }) => number, arrives: outside },
  cold_sweep: { kind: 'cold', number: ({ number }) => number, arrives: () => 'cold' },
  stock_fill: { kind: 'fill', number: ({ number }) => number, arrives: outside },
  output_split: { kind: 'sweep', number: ({ number }) => number, arrives: () => 'treasury' },
  // Its bytes exist. Of this kind, nobody can have others signed in their place: they go to no account of ours.
  forgotten: { kind: 'rebalance', name: 'forgotten', number: ({ number }) => number, arrives: outside },
};

// The table is keyed by the very name that selects the purpose; TypeScript cannot follow that through the union.
const conductOf = (purpose: Purpose): Conduct<PurposeName> => CONDUCT[purpose.for] as Conduct<PurposeName>;

export const kindOf = (purpose: Purpose): IntentKind => conductOf(purpose).kind;

/** What the signer is asked for by one of its transfers. */
export function kindOfPart({ purpose, gas }: Pick<Payment, 'purpose' | 'gas'>, part: Part): IntentKind {
  if (part === 'main') return kindOf(purpose);
  return part === 'back' ? 'reclaim' : gas?.isLent ? 'lend' : 'gas';
}

export const numberOf = (purpose: Purpose): number => conductOf(purpose).number(purpose);
export const arrivesAt = ({ purpose, owner }: Payment): LedgerAccount => conductOf(purpose).arrives(owner, purpose);

/** What payments of that purpose go by in their names. */
export const nameFor = (purpose: PurposeName): string => CONDUCT[purpose].name ?? CONDUCT[purpose].kind;
const nameOf = (purpose: Purpose): string => nameFor(purpose.for);

export const paymentId = (owner: Owner, purpose: Purpose): IntentId =>
  intentId(owner, nameOf(purpose), numberOf(purpose));

/** What the signer knows a transfer by. */
export function intentOf(payment: Pick<Payment, 'owner' | 'purpose' | 'gas'>, part: Part): IntentId {
  const { owner, purpose, gas } = payment;
  if (part === 'back') return intentId(owner, `back_${nameOf(purpose)}`, numberOf(purpose));
  return part === 'main' ? paymentId(owner, purpose) : gasIntent(payment, gas?.round ?? 0);
}

const gasIntent = ({ owner, purpose }: Pick<Payment, 'owner' | 'purpose'>, round: number): IntentId =>
  intentId(owner, `gas${round || ''}_${nameOf(purpose)}`, numberOf(purpose));

/** The payment that a transfer belongs to: what goes ahead or comes back has a name of its own. */
export function paymentOf(intent: IntentId): IntentId {
  const { owner, kind, number } = intentParts(intent);
  return intentId(owner, kind.replace(/^(?:gas\d*|back)_/, ''), number);
}

/** Which gas it is that would be sent ahead next. */
export const nextRound = ({ gas }: Pick<Payment, 'gas'>): number => (gas ? (gas.round ?? 0) + 1 : 0);
export const nextGasIntent = (payment: Payment): IntentId => gasIntent(payment, nextRound(payment));

export interface NewPayment {
  readonly owner: Owner;
  readonly purpose: Purpose;
  readonly from: Account;
  readonly amount: Amount;
  readonly to: Address;
  readonly binding?: string | undefined;
  readonly source: LedgerAccount;
  readonly payer?: Payment['payer'];
  /** Who pays for what leaves a deposit account on its chain. */
  readonly feePayer?: 'sender' | 'hot';
}

/** Refunds, and whatever leaves a deposit account, are priced first; all else can be signed at once. */
export function newPayment(wanted: NewPayment): Payment {
  const { owner, purpose, from, amount, to, binding, source, payer, feePayer = 'hot' } = wanted;
  assert(from === 'hot' || payer, `${purpose.for} of ${owner} leaves an account without an address`);
  return {
    id: paymentId(owner, purpose),
    version: 0,
    owner,
    purpose,
    from,
    amount,
    to,
    binding,
    source,
    bearer: from === 'hot' || feePayer === 'hot' ? 'treasury' : 'gas',
    payer,
    gas: undefined,
    state: { state: purpose.for === 'refund' || from !== 'hot' ? 'due' : 'reserved' },
  };
}

/** The same payment, sent by the hot account in place of the deposit account that it leaves, or by that account itself. */
export function sentBy(payment: Payment, isDelegated: boolean): Payment {
  const { isDelegated: before = false, bearer: _, ...rest } = payment;
  if (before === isDelegated) return payment;
  return isDelegated ? { ...rest, isDelegated, bearer: 'treasury' } : { ...rest, bearer: 'gas' };
}

/** The account of the ledger that holds the money while the payment is under way. What is the desk's own already stays so. */
export function apartOf({
  id,
  from,
  purpose,
  source,
}: Pick<Payment, 'id' | 'from' | 'purpose' | 'source'>): LedgerAccount {
  if (purpose.for === 'collection' && purpose.forHouse) return source;
  return from === 'hot' ? `payment:${id}` : `deposit-payment:${id}`;
}

export const gasApartOf = (payment: Payment): LedgerAccount => `payment:${intentOf(payment, 'gas')}`;

export const chainOfPayment = ({ amount }: Pick<Payment, 'amount'>): ChainId => chainOf(amount.asset);

/** An order that went on from stock does not wait for what is fetched from its address; nobody waits for what is put away. */
export const isAwaited = ({ purpose }: Pick<Payment, 'purpose'>): boolean =>
  purpose.for === 'collection' ? !purpose.forHouse : purpose.for !== 'cold_sweep';

/** Transfers of one signing account share a lane, and are signed one at a time. */
export function laneOf(payment: Pick<Payment, 'amount' | 'from' | 'isDelegated'>, part: Part): string {
  const account = part !== 'main' || payment.isDelegated ? 'hot' : payment.from;
  return `${chainOfPayment(payment)}:${accountText(account)}`;
}

export const progressOf = (payment: Payment, part: Part): PaymentState | undefined =>
  part === 'main' ? payment.state : part === 'gas' ? payment.gas?.progress : payment.back?.progress;

/** Nothing can change in such a state any more: it was paid for good, or never will be. */
const OVER: { readonly [S in PaymentState['state']]: boolean } = {
  due: false,
  awaiting_gas: false,
  reserved: false,
  signed: false,
  sent: false,
  confirmed: false,
  settled: true,
  refused: true,
  held: false,
};

/** The states of a payment whose money has left us, final or not. */
export const ARRIVED: readonly PaymentState['state'][] = ['confirmed', 'settled'];

/** Nothing about the gas that was sent ahead can change any more. */
export const isGasOver = ({ gas }: Pick<Payment, 'gas'>): boolean => gas === undefined || OVER[gas.progress.state];

/** Nothing about the payment itself can change any more. */
export const isMainOver = ({ state }: Pick<Payment, 'state'>): boolean => OVER[state.state];

/** Nothing about it can change any more. */
export const isOver = (payment: Payment): boolean =>
  isMainOver(payment) && isGasOver(payment) && (payment.back === undefined || OVER[payment.back.progress.state]);

/** What was lent for it is to be taken back now. */
export const isBackDue = (payment: Payment): boolean =>
  isMainOver(payment) && payment.back?.progress.state === 'reserved';

/** Its money has left, as far as a customer is shown. */
export const isPaid = ({ state }: Payment): boolean => ARRIVED.includes(state.state);

/** Its bytes may take money from a deposit account at any time, and nothing of that is booked yet. */
export const isLeavingDeposit = ({ from, state }: Pick<Payment, 'from' | 'state'>): boolean =>
  from !== 'hot' && (state.state === 'signed' || state.state === 'sent');

/** The version that is under way or was mined, where anybody could find it by that name. */
export const txHashOf = ({ state }: Payment): TxHash | undefined =>
  'txHash' in state && !('isUnnamed' in state) ? state.txHash : undefined;
