import { later } from '../../kernel/clock.ts';
import { AwaitsApproval, Fault } from '../../kernel/fault.ts';
import type { Part } from '../../kernel/transfer-part.ts';
import type { Refused, SignedTransfer } from '../../world/chains/chain.ts';
import type { Done, Handler, Job } from '../order/handling.ts';
import { isHeld } from '../order/hold.ts';
import type { Order } from '../order/order.ts';
import type { PaymentFact } from '../payment/fact.ts';
import { intentOf, isAwaited, type Payment, type PaymentState, progressOf } from '../payment/payment.ts';
import { expectNothingElse, expectSame } from './adopted.ts';
import { type Dead, look, type Seen } from './look.ts';
import { price, priceClaim, priceFee } from './price.ts';
import { checkSettlement } from './settlement.ts';
import { signTransfer } from './sign.ts';
import { named, type TransferStage } from './stage.ts';
import { wantedOf } from './wanted.ts';

/** Every payment of every purpose leaves through these steps: price, sign and save, send what was saved, watch until it is settled. */
export function transferHandlers(stage: TransferStage) {
  const { chain, books, clock } = stage;

  const told = (
    payment: Payment,
    part: Part,
    signed: SignedTransfer | Refused | 'short',
    dead?: SignedTransfer,
  ): Done => {
    if (signed === 'short') return { fact: { fact: 'gas_short', payment: payment.id, at: clock.now() } };
    const about = { payment: payment.id, part, at: clock.now() };
    const after = dead ? { afterDead: dead.txHash } : {};
    if ('refused' in signed) return { fact: { fact: 'payment_refused', reason: signed.refused, ...about, ...after } };
    const { namesWhenDone } = chain(signed.chainId).facts;
    const unnamed = namesWhenDone ? { isUnnamed: namesWhenDone } : {};
    return { fact: { fact: 'transfer_signed', txHash: signed.txHash, ...unnamed, ...about }, attempt: signed };
  };

  /** Between two attempts there is none: the first is buried, and what the signer made in its place is not saved yet. */
  const signNext = async (payment: Payment, part: Part, order?: Order): Promise<Done> => {
    if (mayNotSign(order)) return { againInMs: HELD_MS };
    // An instruction may come late: what was refused, or settled by hand, is never signed.
    const state = progressOf(payment, part)?.state ?? 'refused';
    if (!MAY_BE_SIGNED.has(state)) return 'done';
    const wanted = wantedOf(payment, part);
    const dead = await books.lastDead(wanted.intent);
    const before = dead && { dead, isAlone: state !== 'confirmed' };
    await expectNothingElse(books, payment);
    return told(payment, part, await signTransfer(stage, { payment, wanted, before, order }), dead);
  };

  const sign = async ({ effect }: Job<'sign_transfer'>, order?: Order): Promise<Done> => {
    const { part, replaces } = effect;
    const payment = await named(stage, effect.payment, order);
    const [newest, ...older] = await books.attempts(intentOf(payment, part));
    if (!newest) return signNext(payment, part, order);
    await expectSame(books, payment, part, newest);
    if (newest.txHash !== replaces) return told(payment, part, newest);
    const { news, isMined, doubt } = await look(stage, payment, part, [newest, ...older]);
    if (news) return { fact: news };
    if (isMined) return { againInMs: MINED_MS };
    const lies = (reason: string): Done => ({ fact: stuck(stage, payment, part, newest, withDoubt(reason, doubt)) });
    const wanted = wantedOf(payment, part);
    try {
      const next = await signTransfer(stage, { payment, wanted, before: { replacing: newest }, order });
      if (next !== 'short' && 'txHash' in next && next.txHash !== newest.txHash) return told(payment, part, next);
      return lies('no higher fee was offered');
    } catch (error) {
      if (!(error instanceof Fault) || error.kind !== 'permanent') throw error;
      return lies(error.message);
    }
  };

  const send = async ({ effect }: Job<'send_transfer'>, order?: Order): Promise<Done> => {
    const payment = await named(stage, effect.payment, order);
    const { part } = effect;
    const [newest] = await books.attempts(intentOf(payment, part));
    if (!newest) return signNext(payment, part, order);
    // Whatever the node answers, the bytes are out: whoever watches them hears what it has against them.
    await chain(newest.chainId).broadcast(newest);
    return { fact: { fact: 'transfer_sent', payment: payment.id, part, at: clock.now() } };
  };

  const watch = async ({ effect, tries }: Job<'watch_transfer'>, order?: Order): Promise<Done> => {
    const payment = await named(stage, effect.payment, order);
    const { part } = effect;
    const progress = progressOf(payment, part);
    if (progress?.state === 'settled') return progress.byHand ? 'done' : watchSettled(payment, part, tries);
    const attempts = await books.attempts(intentOf(payment, part));
    const [newest] = attempts;
    if (!newest) return signNext(payment, part, order);
    const { news, isMined, dead, doubt, objection } = await look(stage, payment, part, attempts);
    if (news) return { fact: news };
    if (isMined) return { againInMs: patience(payment, part, tries) };
    if (isUnheardOf(payment, part, newest, dead !== undefined)) {
      await expectSame(books, payment, part, newest);
      return told(payment, part, newest);
    }
    if (dead) return replaceDead(payment, part, dead, order);
    // Bytes that others took the place of had their minute, and the node takes these no more than it took those.
    const isLasting = progress?.state === 'sent' && progress.raised > 0;
    const trouble = objection === undefined ? {} : { trouble: objection, isLasting };
    return overdue(stage, payment, part, newest, doubt) ?? { againInMs: patience(payment, part, tries), ...trouble };
  };

  /**
   * Final by its chain's own rule, and yet a chain may break that rule, or a node lose its last blocks: the same bytes are sent again,
   * and nothing else is ever signed for it. A transaction that somebody named is not ours to send.
   */
  const watchSettled = async (payment: Payment, part: Part, tries: number): Promise<Done> => {
    if (tries === 0) return { againInMs: SETTLED_MS };
    const attempts = await books.attempts(intentOf(payment, part));
    const { news, isMined, doubt } = await look(stage, payment, part, attempts);
    const hasFailed = news?.fact === 'transfer_settled' && !news.worked;
    if (!isMined || hasFailed) {
      const what = hasFailed ? 'was mined again and failed' : 'is not on its chain any more';
      return { againInMs: LOST_MS, trouble: withDoubt(`${payment.id} was final and ${what}`, doubt) };
    }
    return tries < SETTLED_LOOKS ? { againInMs: SETTLED_MS * 2 ** tries } : 'done';
  };

  /**
   * Only bytes whose time is over have a successor. A nonce or an output that another transaction used is no such proof: that
   * transaction may be a payment of this very intent which these books have forgotten. There the signer refuses, and a
   * person must look. Where whoever is paid is refused now, and nothing else can take effect, the money goes back.
   */
  const replaceDead = async (
    payment: Payment,
    part: Part,
    { signed: dead, proof, areOthers }: Dead,
    order: Order | undefined,
  ): Promise<Done> => {
    // The signer gives what expired bytes were to spend to others, however long their own payment waits.
    if (chain(dead.chainId).facts.stuck.remedy === 'sign_anew') await books.letGo(dead);
    if (mayNotSign(order)) return { againInMs: HELD_MS };
    const { txHash } = dead;
    const buried = (why: string): Done => ({
      fact: { fact: 'transfer_dead', payment: payment.id, part, txHash, proof: why, at: clock.now() },
    });
    if (part === 'gas' && payment.gas?.isLent) {
      await books.bury(dead, proof);
      return buried(proof);
    }
    const wanted = wantedOf(payment, part);
    const progress = progressOf(payment, part);
    try {
      const isAlone = areOthers === 'dead' && progress?.state !== 'confirmed';
      const next = await signTransfer(stage, { payment, wanted, before: { dead, isAlone }, order });
      await books.bury(dead, proof);
      return told(payment, part, next, dead);
    } catch (error) {
      if (!(error instanceof Fault) || error.kind !== 'permanent' || error instanceof AwaitsApproval) throw error;
      if (progress && 'proof' in progress) return { againInMs: HELD_MS };
      return buried(`${proof}; ${error.message}`);
    }
  };

  const pricePayment: Handler<'price_payment'> = (job, order) => price(stage, job, order);
  const payFee: Handler<'pay_fee'> = (_, order) => priceFee(stage, order);
  const priceClaimed: Handler<'price_claim'> = (job, order) => priceClaim(stage, job, order);
  return {
    price_payment: pricePayment,
    price_claim: priceClaimed,
    pay_fee: payFee,
    sign_transfer: sign,
    send_transfer: send,
    watch_transfer: watch,
    check_settlement: ({ effect }: Job<'check_settlement'>, order?: Order) => checkSettlement(stage, effect, order),
  };
}

/** Nothing new is signed for an order whose own money is gone. Bytes that live may be outbid. */
const mayNotSign = (order: Order | undefined): boolean => order !== undefined && isHeld(order);

/** Of what is held, or was shown, the signer has made other bytes where there are none: nothing is buried before that. */
const MAY_BE_SIGNED: ReadonlySet<PaymentState['state']> = new Set(['reserved', 'signed', 'sent', 'confirmed', 'held']);

/**
 * The journal told of bytes in place of those that the payment knows: whoever had them signed was killed. Of what was shown, the
 * version that was mined need not be the newest, and the proof that a person was told of may be the newest's own.
 */
function isUnheardOf(payment: Payment, part: Part, newest: SignedTransfer, isDead: boolean): boolean {
  const progress = progressOf(payment, part);
  if (!progress || !('txHash' in progress) || progress.txHash === newest.txHash) return false;
  return progress.state !== 'confirmed' || (progress.proof !== undefined && !isDead);
}

/** What is not mined by its chain's deadline is outbid where that helps; each time it gets twice as long as before. */
function overdue(
  stage: TransferStage,
  payment: Payment,
  part: Part,
  newest: SignedTransfer,
  doubt: Seen['doubt'],
): Done | undefined {
  const progress = progressOf(payment, part);
  if (progress?.state !== 'sent') return undefined;
  const { stuck: rule } = stage.chain(newest.chainId).facts;
  const waitMs = rule.afterMs * 2 ** Math.min(progress.raised, MOST_DOUBLINGS);
  if (stage.clock.now() < later(progress.since, waitMs)) return undefined;
  const reason = withDoubt(`not mined ${waitMs / 1000} s after it was sent`, doubt);
  return { fact: { ...stuck(stage, payment, part, newest, reason), replaceable: rule.remedy === 'outbid' } };
}

const withDoubt = (reason: string, doubt: Seen['doubt']): string =>
  doubt === undefined ? reason : `${reason}: ${doubt}`;

function stuck(
  { clock }: TransferStage,
  payment: Payment,
  part: Part,
  { txHash }: SignedTransfer,
  reason: string,
): PaymentFact & { readonly fact: 'transfer_stuck' } {
  return { fact: 'transfer_stuck', payment: payment.id, part, txHash, replaceable: false, reason, at: clock.now() };
}

const MOST_DOUBLINGS = 8;
/** What is in a block is not outbid. */
const MINED_MS = 2_000;
/** A person looks at what is held or dead; the chain is looked at in case it is mined after all. */
const HELD_MS = 60_000;

/** What is settled is looked at after so long, and then whenever it is twice as old: for most of an hour. */
const SETTLED_MS = 3_000;
const SETTLED_LOOKS = 10;
const LOST_MS = 5_000;

/** Often at first, then at the pace of blocks; what nobody waits for, or is in a block already, is only watched for falling out. */
function patience(payment: Payment, part: Part, tries: number): number {
  if (progressOf(payment, part)?.state === 'confirmed') return tries < 10 ? 2_000 : 10_000;
  if (!isAwaited(payment)) return tries < 100 ? 2_000 : 15_000;
  return tries < 20 ? 300 : tries < 100 ? 2_000 : 15_000;
}
