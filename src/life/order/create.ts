import { zero } from '../../kernel/amount.ts';
import { type Instant, later } from '../../kernel/clock.ts';
import type { OrderId } from '../../kernel/ids.ts';
import type { ChainFacts } from '../../world/chains/chain.ts';
import type { Quote } from '../quote/quote.ts';
import type { Effect } from './effect.ts';
import type { Bridge, Destination, Generation, Order, SkippedFee } from './order.ts';
import type { Rules } from './rules.ts';

/** An order before it has its deposit address, which is taken from the pool as it is stored. */
export type Draft = Omit<Order, 'depositAddress' | 'depositIndex'>;

export interface NewOrder {
  readonly id: OrderId;
  readonly generation: Generation;
  readonly bridge?: Bridge;
  readonly quote: Quote;
  /** Of the chain the deposit comes on. */
  readonly chain: ChainFacts;
  readonly destination: Destination;
  readonly charter: string;
  readonly askedAs?: string | undefined;
  readonly refundTo: Destination | undefined;
  readonly feeSkipped?: SkippedFee | undefined;
  readonly feeTo?: Destination | undefined;
  readonly now: Instant;
}

/** What every order begins as, whatever it is for. */
export const BORN = {
  ...{ version: 0, waitClosed: false, deals: 0, strays: [], claims: [], payments: [] },
  state: { phase: 'awaiting_deposit' },
} as const satisfies Partial<Draft>;

/** A spread in a literal with many fields costs more than all that is in it. */
const { version, waitClosed, deals, strays, claims, payments, state } = BORN;

export function draftOrder(wanted: NewOrder, rules: Rules): Draft {
  const { quote, chain, now } = wanted;
  const nothing = zero(quote.from.id);
  const fee = quote.integratorFee;
  return {
    version,
    waitClosed,
    deals,
    strays,
    claims,
    payments,
    state,
    id: wanted.id,
    generation: wanted.generation,
    product: wanted.bridge ? 'bridge' : 'swap',
    bridge: wanted.bridge,
    createdAt: now,
    updatedAt: now,
    expiresAt: later(now, rules.fundingWindowMs),
    from: quote.from,
    to: quote.to,
    asked: quote.fromAmount,
    expected: quote.toAmount,
    minimum: quote.minFrom,
    // A bridge takes what comes: nobody said how much.
    deposits: wanted.bridge ? 'as_it_comes' : chain.deposits,
    collects: chain.collectsTokens,
    feePayer: chain.feePayer,
    destination: wanted.destination,
    charter: wanted.charter,
    askedAs: wanted.askedAs,
    replacement: undefined,
    fallback: undefined,
    refundTo: wanted.refundTo,
    route: quote.route,
    integratorFee: fee && {
      integrationId: fee.integrationId,
      percent: fee.percent,
      payoutAddress: fee.payoutAddress,
      to: wanted.feeTo,
    },
    feeSkipped: wanted.feeSkipped,
    funds: {
      seen: nothing,
      confirmed: nothing,
      firstSeenAt: undefined,
      txHash: undefined,
      sender: undefined,
      senders: [],
      have: 0,
      need: wanted.bridge ? chain.largeConfirmations : chain.requiredConfirmations,
    },
    sender: undefined,
    used: nothing,
    traded: undefined,
  };
}

/** What every new order asks for: to be judged when its time is up. */
export const firstEffects = (draft: Draft): readonly Effect[] => [{ effect: 'judge_deadline', due: draft.expiresAt }];
