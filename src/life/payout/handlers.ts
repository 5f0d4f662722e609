import { amount } from '../../kernel/amount.ts';
import { present } from '../../kernel/assert.ts';
import type { Clock } from '../../kernel/clock.ts';
import { Fault } from '../../kernel/fault.ts';
import { type AssetId, type ChainId, chainOf, type IntentId } from '../../kernel/ids.ts';
import type { Signer, TransferRequest } from '../../signer/request.ts';
import type { Chain, SignedTransfer } from '../../world/chains/chain.ts';
import type { Intent } from '../order/effect.ts';
import type { Fact, IntentRef } from '../order/event.ts';
import type { Done, Job } from '../order/handling.ts';

/** What is kept of payments. A slot (nonce) once given to an intent is the same on every later try. */
export interface PayoutBooks {
  find(id: IntentId): Promise<Intent | undefined>;
  attempt(id: IntentId): Promise<SignedTransfer | undefined>;
  takeSlot(id: IntentId, chain: ChainId, account: string, atLeast: number): Promise<number>;
  returnSlot(id: IntentId): Promise<void>;
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

  const sign = async (job: Job<'sign_intent'>): Promise<Done> => {
    const intent = await load(job.effect.intent);
    const saved = await books.attempt(intent.id);
    const signed = saved ?? (await signIntent(stage, intent));
    if ('refused' in signed) return { fact: refused(intent, signed.refused, undefined, clock) };
    const fact: Fact = { fact: 'intent_signed', intent: refOf(intent), txHash: signed.txHash, at: clock.now() };
    return { fact, attempt: signed };
  };

  const send = async (job: Job<'send_intent'>): Promise<Done> => {
    const intent = await load(job.effect.intent);
    const signed = present(await books.attempt(intent.id), `signed bytes of ${intent.id}`);
    await chain(signed.chainId).broadcast(signed);
    return { fact: { fact: 'intent_sent', intent: refOf(intent), at: clock.now() } };
  };

  const confirm = async (job: Job<'confirm_intent'>): Promise<Done> => {
    const intent = await load(job.effect.intent);
    const signed = present(await books.attempt(intent.id), `signed bytes of ${intent.id}`);
    const on = chain(signed.chainId);
    const status = await on.status(signed);
    switch (status.state) {
      case 'unknown':
        await on.broadcast(signed);
        return { againInMs: patience(job.tries) };
      case 'pool':
        return { againInMs: patience(job.tries) };
      case 'dead':
        throw new Fault(
          'permanent',
          `chain:${signed.chainId}`,
          `${intent.id} can never be paid by ${signed.txHash}: ${status.proof}`,
        );
      case 'mined': {
        if (status.depth.have < status.depth.need) return { againInMs: patience(job.tries) };
        const cost = amount(coinOf(on), status.cost);
        if (!status.ok) return { fact: refused(intent, 'the chain executed it and it failed', cost, clock) };
        const { txHash } = signed;
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
): Promise<SignedTransfer | { refused: string }> {
  const { asset, atoms } = intent.amount;
  const on = chain(chainOf(asset));
  const terms = await on.terms({ from: intent.from, asset, atoms, to: intent.to });
  if ('refused' in terms) return terms;
  const account = intent.from === 'hot' ? 'hot' : `deposit:${intent.from.deposit}`;
  const slot = terms.slot === undefined ? undefined : await books.takeSlot(intent.id, on.facts.id, account, terms.slot);
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
    ...(slot === undefined ? {} : { slot }),
    fee: terms.fee,
  };
  try {
    return await signer.signTransfer(request);
  } catch (error) {
    // Refused for good: nothing was signed, so the nonce may serve the next payment.
    if (error instanceof Fault && error.kind === 'permanent') await books.returnSlot(intent.id);
    throw error;
  }
}

const refOf = (intent: Intent): IntentRef => ({ kind: intent.kind, leg: intent.leg });

function refused(intent: Intent, reason: string, cost: ReturnType<typeof amount> | undefined, clock: Clock): Fact {
  return { fact: 'intent_refused', intent: refOf(intent), reason, cost, at: clock.now() };
}

const coinOf = (chain: Chain): AssetId =>
  present(
    chain.facts.assets.find((asset) => asset.native),
    'native coin',
  ).id;

/** Often at first, then at the pace of blocks. */
const patience = (tries: number): number => (tries < 20 ? 300 : tries < 100 ? 2_000 : 15_000);
