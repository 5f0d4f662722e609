import { readApprovalText } from '../kernel/binding.ts';
import type { Clock } from '../kernel/clock.ts';
import { type ChainId, type IntentId, type OrderId, txHash } from '../kernel/ids.ts';
import { type Refusal, refuse } from '../kernel/refusal.ts';
import type { Part } from '../kernel/transfer-part.ts';
import { type Case, isNamedIn } from '../life/case/case.ts';
import { casesOver, KEPT_UNTIL_OVER } from '../life/order/cases-over.ts';
import type { Effect } from '../life/order/effect.ts';
import type { GivingBack } from '../life/order/fact.ts';
import { refusedForHouse } from '../life/order/machine/collect.ts';
import { paymentCasesOver } from '../life/payment/cases-over.ts';
import { type ByHand, chainOfPayment, laneOf, type Owner, type Payment, progressOf } from '../life/payment/payment.ts';
import type { OpenCase } from '../store/cases.ts';
import type { Outbox } from '../store/outbox.ts';
import type { Payments } from '../store/payments.ts';
import type { Stuck } from '../world/chains/chain.ts';
import type { Submit } from './submit.ts';

/** What a person can have done about a case. Each leaves an instruction or a fact; nothing here talks to the world. */
export interface CaseDesk {
  /** Everything of that owner that is in trouble is due now. */
  retry(open: OpenCase): Promise<Done>;
  /** The same bytes once more. */
  sendAgain(open: OpenCase): Promise<Done>;
  /** Bytes with a higher fee are asked for now. */
  raiseFee(open: OpenCase): Promise<Done>;
  /** What could not be collected, or given back to one address, is owed to the customer. */
  giveBack(open: OpenCase, byHand: ByHand): Promise<Done>;
  /** The engine asks the chain whether that transaction paid it, and believes the chain alone. */
  settle(open: OpenCase, paidBy: string, byHand: ByHand): Promise<Done>;
  /** A lasting difference between ledger and chain is booked, if the engine still sees it. */
  adopt(open: OpenCase, byHand: ByHand): Promise<Done>;
  /** The second yes to a payment, which the signer checks; anybody may hand it in. */
  approve(open: OpenCase, approval: string, byHand: ByHand): Promise<Done>;
  /** Whether a person may take it off the list: not while it is the only way to money that is owed. */
  mayClose(open: OpenCase): Promise<boolean>;
  /** Whether a higher fee can help the payment that the case is about. */
  canOutbid(about: Case): Promise<boolean>;
}

export type Done = { readonly asked: string } | Refusal;

export interface CaseDeskParts {
  readonly outbox: Outbox;
  readonly payments: Payments;
  readonly submit: Submit;
  readonly clock: Clock;
  readonly remedyOf: (chain: ChainId) => Stuck['remedy'];
}

const unfit = (why: string): Refusal => refuse('action_not_available', why);
const NOT_WAITING = unfit('This payment does not wait for a block any more; read its order again.');

export function openCaseDesk({ outbox, payments, submit, clock, remedyOf }: CaseDeskParts): CaseDesk {
  const instruct = async (open: OpenCase, effect: Effect): Promise<void> => {
    const now = clock.now();
    await outbox.add(open.owner, [{ key: `case:${open.id}:${effect.effect}:${now}`, effect }], now);
  };

  /** The transfer that the case is about, while its bytes may still be mined. */
  const waiting = async ({ about }: OpenCase) => {
    const named = transferIn(about);
    const payment = named && (await payments.find(named.payment));
    const state = payment && progressOf(payment, named.part);
    return payment && state?.state === 'sent' ? { payment, part: named.part, sent: state.txHash } : undefined;
  };

  const payFeeAgain = async ({ id }: OpenCase, order: OrderId): Promise<Done> => {
    const fact = { fact: 'fee_retried', at: clock.now() } as const;
    const taken = await submit.submit(order, `${fact.fact}:${id}:${fact.at}`, fact);
    return taken === 'taken' ? { asked: 'the fee is to be paid again' } : unfit('The fee is on its way already.');
  };

  /** It plans a payment, which only an engine may. */
  const collectAgain = async (open: OpenCase, id: OrderId): Promise<Done> => {
    const order = await submit.find(id);
    if (!order || !refusedForHouse(order)) return unfit('The deposit is on its way already.');
    await instruct(open, { effect: 'collect_again' });
    return { asked: 'the deposit is to be collected again' };
  };

  const canOutbid = (payment: Payment): boolean => remedyOf(chainOfPayment(payment)) === 'outbid';

  return {
    async retry(open) {
      const { owner, about } = open;
      if (about.case === 'fee_refused' && isOrder(owner)) return payFeeAgain(open, owner);
      if (about.case === 'advance_not_collected' && isOrder(owner)) return collectAgain(open, owner);
      const woken = await outbox.wakeTroubledOf(owner, clock.now());
      return woken > 0
        ? { asked: `${woken} instructions are due now` }
        : unfit('Nothing of it is in trouble any more.');
    },

    async sendAgain(open) {
      const transfer = await waiting(open);
      if (!transfer) return NOT_WAITING;
      const { payment, part, sent } = transfer;
      await instruct(open, { effect: 'send_transfer', payment: payment.id, part });
      return { asked: `${sent} is sent again` };
    },

    async raiseFee(open) {
      const transfer = await waiting(open);
      if (!transfer) return NOT_WAITING;
      const { payment, part, sent } = transfer;
      if (!canOutbid(payment)) return unfit('On its chain nothing that was sent can be outbid.');
      const lane = laneOf(payment, part);
      await instruct(open, { effect: 'sign_transfer', payment: payment.id, part, lane, replaces: sent });
      return { asked: `${sent} is to be outbid` };
    },

    async giveBack({ id, owner, about }, byHand) {
      const what = givenBack(about);
      if (what === undefined || !isOrder(owner)) return unfit('There is nothing to give back in this case.');
      const fact = { fact: 'give_back_decided', what, byHand, at: clock.now() } as const;
      const taken = await submit.submit(owner, `give_back:${id}:${fact.at}`, fact);
      if (taken === 'taken') return { asked: `it is owed to the customer of ${owner}` };
      return unfit('The order has moved on; read it again.');
    },

    async settle(open, paidBy, byHand) {
      const named = transferIn(open.about);
      if (!named) return unfit('This case is not about a payment that was signed.');
      const { payment, part } = named;
      await instruct(open, { effect: 'check_settlement', payment, part, txHash: txHash(paidBy), byHand });
      return { asked: `the chain is asked whether ${paidBy} paid ${payment}` };
    },

    async adopt({ id, owner, about, since }, byHand) {
      if (about.case !== 'drift' || about.deposit)
        return unfit('There is no difference of the hot account to book here.');
      const { asset, atoms } = about;
      // However often it is asked for, it is booked once.
      const key = `case:${id}:adopt_drift:${since}`;
      await outbox.add(owner, [{ key, effect: { effect: 'adopt_drift', asset, atoms, byHand } }], clock.now());
      return { asked: `${atoms} atoms of ${asset} are booked as the treasury's, if the account still shows them` };
    },

    async approve({ owner, about }, approval, byHand) {
      if (about.case !== 'approval_awaited') return unfit('This case does not wait for a second yes.');
      if (!SIGNATURE.test(approval))
        return refuse('invalid_request', 'approval is what `wherry approve` printed: 128 hexadecimal digits.');
      // What goes ahead of a payment has a name of its own, which its text says.
      const intent = readApprovalText(about.text)?.intent ?? about.payment;
      await payments.approve(intent, approval, byHand, clock.now());
      await outbox.wakeTroubledOf(owner, clock.now());
      return { asked: `the signer is asked again to pay ${about.payment}` };
    },

    async mayClose({ owner, about }) {
      if (!KEPT_UNTIL_OVER.has(about.case)) return true;
      if (isOrder(owner)) {
        const order = await submit.find(owner);
        return order === undefined || isNamedIn(about, casesOver(order));
      }
      const named = transferIn(about);
      const payment = named && (await payments.find(named.payment));
      return payment === undefined || isNamedIn(about, paymentCasesOver(payment));
    },

    async canOutbid(about) {
      const named = transferIn(about);
      const payment = named && (await payments.find(named.payment));
      return payment !== undefined && canOutbid(payment);
    },
  };
}

const SIGNATURE = /^[0-9a-f]{128}$/;

const isOrder = (owner: Owner): owner is OrderId => owner !== 'treasury';

function transferIn(about: Case): { readonly payment: IntentId; readonly part: Part } | undefined {
  return 'part' in about ? about : undefined;
}

function givenBack(about: Case): GivingBack | undefined {
  if (about.case === 'collection_refused') return 'deposit';
  return about.case === 'refund_refused' || about.case === 'unlisted_refund' ? { claim: about.claim } : undefined;
}
