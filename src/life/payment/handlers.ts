import { type Atoms, amount } from '../../kernel/amount.ts';
import { present } from '../../kernel/assert.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import { type ChainId, chainOf, type IntentId, type TxHash } from '../../kernel/ids.ts';
import type { Signer, TransferRequest } from '../../signer/request.ts';
import { type Chain, coinOf, type Refused, type SignedTransfer } from '../../world/chains/chain.ts';
import type { Intent } from '../order/effect.ts';
import type { Fact, IntentRef } from '../order/fact.ts';
import type { Done, Job } from '../order/handling.ts';

/** What is kept of payments. A nonce once given to an intent is the same on every later try. */
export interface PayoutBooks {
  find(id: IntentId): Promise<Intent | undefined>;
  /** The bytes that may still take effect. */
  attempt(id: IntentId): Promise<SignedTransfer | undefined>;
  /** The newest that were buried, if any. */
  lastDead(id: IntentId): Promise<TxHash | undefined>;
  bury(dead: SignedTransfer, proof: string): Promise<void>;
  takeNonce(id: IntentId, chain: ChainId, account: string, atLeast: number): Promise<number>;
  returnNonce(id: IntentId): Promise<void>;
}

export interface PayoutStage {
  readonly chain: (id: ChainId) => Chain;
  readonly signer: Signer;
  readonly books: PayoutBooks;
  readonly clock: Clock;
}

/** Every payment of every kind leaves through these three steps: sign and save; send what was saved; watch the chain. */
export function payoutHandlers(stage: PayoutStage) {
  const { chain, books, clock } = stage;

  const load = async (id: IntentId): Promise<Intent> => present(await books.find(id), id);

  const told = (intent: Intent, signed: SignedTransfer | Refused): Done => {
    if ('refused' in signed) return { fact: refused(intent, signed.refused, undefined, clock) };
    const fact: Fact = { fact: 'intent_signed', intent: refOf(intent), txHash: signed.txHash, at: clock.now() };
    return { fact, attempt: signed };
  };

  /** Between two attempts there is none: the first is buried, and what the signer made in its place is not saved yet. */
  const signNext = async (intent: Intent): Promise<Done> =>
    told(intent, await signIntent(stage, intent, await books.lastDead(intent.id)));

  /**
   * Only bytes whose time is over have a successor. A nonce or an output that another transaction used is no such proof: that
   * transaction may be a payment of this very intent which these books have forgotten. There the signer refuses, and a
   * person must look.
   */
  const replaceDead = async (intent: Intent, dead: SignedTransfer, proof: string): Promise<Done> => {
    const next = await signIntent(stage, intent, dead.txHash).catch((error: unknown) => {
      if (!(error instanceof Fault) || error.kind !== 'permanent') throw error;
      const why = `${intent.id} can never be paid by ${dead.txHash}: ${proof}; ${error.message}`;
      throw new Fault('permanent', `chain:${dead.chainId}`, why, error);
    });
    await books.bury(dead, proof);
    return told(intent, next);
  };

  const sign = async (job: Job<'sign_intent'>): Promise<Done> => {
    const intent = await load(job.effect.intent);
    const saved = await books.attempt(intent.id);
    return saved ? told(intent, saved) : signNext(intent);
  };

  const send = async (job: Job<'send_intent'>): Promise<Done> => {
    const intent = await load(job.effect.intent);
    const signed = await books.attempt(intent.id);
    if (!signed) return signNext(intent);
    await chain(signed.chainId).broadcast(signed);
    return { fact: { fact: 'intent_sent', intent: refOf(intent), at: clock.now() } };
  };

  const confirm = async (job: Job<'confirm_intent'>): Promise<Done> => {
    const intent = await load(job.effect.intent);
    const signed = await books.attempt(intent.id);
    if (!signed) return signNext(intent);
    const on = chain(signed.chainId);
    const status = await on.status(signed);
    switch (status.state) {
      case 'unknown':
        await on.broadcast(signed);
        return { againInMs: patience(job.tries) };
      case 'pool':
        return { againInMs: patience(job.tries) };
      case 'dead':
        return replaceDead(intent, signed, status.proof);
      case 'mined': {
        if (status.depth.have < status.depth.need) return { againInMs: patience(job.tries) };
        const cost = amount(coinOf(on.facts).id, status.cost);
        if (!status.ok) return { fact: refused(intent, 'the chain executed it and it failed', cost, clock) };
        const { txHash = signed.txHash } = status;
        return {
          fact: { fact: 'intent_final', intent: refOf(intent), txHash, amount: intent.amount, cost, at: clock.now() },
        };
      }
    }
  };

  return { sign_intent: sign, send_intent: send, confirm_intent: confirm };
}

async function signIntent(
  { chain, signer, books }: PayoutStage,
  intent: Intent,
  dead: TxHash | undefined,
): Promise<SignedTransfer | Refused> {
  const { asset, atoms } = intent.amount;
  const on = chain(chainOf(asset));
  const terms = await on.terms({ from: intent.from, asset, atoms, to: intent.to });
  if ('refused' in terms) {
    if (dead === undefined) return terms;
    // What the signer made in place of the dead bytes may not be in these books: only a person can say that nothing lives.
    throw new Fault(
      'permanent',
      `chain:${on.facts.id}`,
      `${dead} is dead, and ${intent.to} is refused now: ${terms.refused}`,
    );
  }
  await expectGas(on, intent, terms.cost);
  const account = intent.from === 'hot' ? 'hot' : `deposit:${intent.from.deposit}`;
  const nonce =
    terms.nonce === undefined ? undefined : await books.takeNonce(intent.id, on.facts.id, account, terms.nonce);
  const request: TransferRequest = {
    intent: intent.id,
    kind: intent.kind,
    owner: intent.owner,
    chainId: on.facts.id,
    from: intent.from,
    asset,
    atoms,
    to: intent.to,
    ...(intent.toDeposit === undefined ? {} : { toDeposit: intent.toDeposit }),
    ...(intent.binding === undefined ? {} : { binding: intent.binding }),
    ...(nonce === undefined ? {} : { nonce }),
    ...(dead === undefined ? {} : { afterDead: dead }),
    fee: terms.fee,
  };
  try {
    const signed = await signer.signTransfer(request);
    // To the signer their time is not over yet: a node that is behind gave the terms.
    if (signed.txHash === dead) throw new Fault('transient', 'signer', `${intent.id} is still paid by ${dead} alone`);
    return signed;
  } catch (error) {
    // Refused for good: nothing was signed, so the nonce may serve the next payment.
    if (error instanceof Fault && error.kind === 'permanent') await books.returnNonce(intent.id);
    throw error;
  }
}

/** Bytes that their account cannot pay for would never be taken, and no others could be signed: better to wait. */
async function expectGas(on: Chain, { id, from, amount: { asset, atoms } }: Intent, cost: Atoms): Promise<void> {
  if (from === 'hot' || on.facts.feePayer === 'hot') return;
  const coin = coinOf(on.facts).id;
  const needed = asset === coin ? cost + atoms : cost;
  const { spendable } = await on.balance(from, coin);
  if (spendable < needed)
    throw new Fault(
      'transient',
      `chain:${on.facts.id}`,
      `${id} needs ${needed} of ${coin}, its account holds ${spendable}`,
    );
}

const refOf = (intent: Intent): IntentRef => ({ kind: intent.kind, leg: intent.leg });

function refused(intent: Intent, reason: string, cost: ReturnType<typeof amount> | undefined, clock: Clock): Fact {
  return { fact: 'intent_refused', intent: refOf(intent), reason, cost, at: clock.now() };
}

/** Often at first, then at the pace of blocks. */
const patience = (tries: number): number => (tries < 20 ? 300 : tries < 100 ? 2_000 : 15_000);
