import { amount } from '../../kernel/amount.ts';
import type { Part } from '../../kernel/transfer-part.ts';
import { type AttemptStatus, type Chain, coinOf, type SignedTransfer } from '../../world/chains/chain.ts';
import type { PaymentFact } from '../payment/fact.ts';
import { chainOfPayment, type Payment, progressOf } from '../payment/payment.ts';
import type { TransferStage } from './stage.ts';

export interface Dead {
  readonly signed: SignedTransfer;
  readonly proof: string;
  /** Whether one of those before them may still be mined. */
  readonly areOthers: 'dead' | 'living';
}

export interface Seen {
  readonly news: PaymentFact | undefined;
  readonly isMined: boolean;
  readonly dead: Dead | undefined;
  /** What the node says against the newest bytes, which it does not know. */
  readonly objection?: string | undefined;
  /** Why nobody can tell what became of it, where anybody says so. */
  readonly doubt?: string | undefined;
}

/** A person reads it. */
const OBJECTION_CHARS = 300;

/** What the chain shows of the versions of one transfer, of which at most one can be mined. Those that it forgot are sent again. */
export async function look(
  stage: TransferStage,
  payment: Payment,
  part: Part,
  attempts: readonly SignedTransfer[],
): Promise<Seen> {
  const on = stage.chain(attempts[0]?.chainId ?? chainOfPayment(payment));
  let dead: Pick<Dead, 'signed' | 'proof'> | undefined;
  let areOthers: Dead['areOthers'] = 'dead';
  let doubt: Seen['doubt'];
  let objection: Seen['objection'];
  for (const signed of attempts) {
    const status = await on.status(signed);
    if (status.state === 'mined')
      return { news: newsOf(stage, on, payment, part, signed, status), isMined: true, dead: undefined };
    if (status.state === 'unknown') {
      doubt ??= status.reason;
      const words = await on.broadcast(signed);
      // Of those that were outbid a node may well say that dearer ones are in their place.
      if (signed === attempts[0]) objection = words?.slice(0, OBJECTION_CHARS);
    }
    if (status.state !== 'dead') areOthers = 'living';
    else if (signed === attempts[0]) dead = { signed, proof: status.proof };
  }
  const seen = dead && { ...dead, areOthers };
  return { news: undefined, isMined: false, dead: seen, objection, doubt: doubt ?? objection };
}

/** A failure is believed when it is final and not before: a reorganisation may make the same bytes work. */
function newsOf(
  { clock }: TransferStage,
  on: Chain,
  payment: Payment,
  part: Part,
  signed: SignedTransfer,
  status: Extract<AttemptStatus, { state: 'mined' }>,
): PaymentFact | undefined {
  const { txHash = signed.txHash, depth, ok: worked, settled } = status;
  const cost = amount(coinOf(on.facts).id, status.cost);
  const about = { payment: payment.id, part, txHash, cost, at: clock.now() };
  if (settled) return { fact: 'transfer_settled', worked, ...about };
  const isShown = progressOf(payment, part)?.state === 'confirmed';
  return worked && !isShown && depth.have >= depth.need ? { fact: 'transfer_confirmed', ...about } : undefined;
}
