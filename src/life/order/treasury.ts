import { intentId } from '../../kernel/ids.ts';
import type { Effect, LedgerAccount, Posting } from './effect.ts';
import type { Fact } from './fact.ts';
import { move, raiseCase, wasted } from './step.ts';

export interface TreasuryStep {
  readonly effects: readonly Effect[];
  readonly postings: readonly Posting[];
}

/** Payments of the house's own take the same three steps; what is left to say is where the money went. */
export function treasuryStep(fact: Fact): TreasuryStep | 'ignore' {
  if (!('intent' in fact)) return 'ignore';
  const id = intentId('treasury', fact.intent.kind, fact.intent.leg);
  const account: LedgerAccount = `intent:${id}`;
  switch (fact.fact) {
    case 'intent_signed':
      return { effects: [{ effect: 'send_intent', intent: id }], postings: [] };
    case 'intent_sent':
      return { effects: [{ effect: 'confirm_intent', intent: id }], postings: [] };
    case 'intent_final': {
      const cost = move('treasury', 'world', fact.cost);
      // A sweep is between accounts of our own: only its cost has left.
      const left = fact.intent.kind === 'sweep' ? [] : [move(account, 'world', fact.amount)];
      return { effects: [], postings: [...left, ...(fact.cost.atoms > 0n ? [cost] : [])] };
    }
    case 'intent_refused':
      return { effects: [raiseCase(`${id} refused: ${fact.reason}`)], postings: wasted(fact, 'treasury') };
  }
}
