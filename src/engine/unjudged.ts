import { type Instant, later } from '../kernel/clock.ts';
import { Fault, NodesDisagree } from '../kernel/fault.ts';
import type { Address, ChainId, OrderId } from '../kernel/ids.ts';
import { onChain } from '../life/case/case.ts';
import type { Owner } from '../life/payment/payment.ts';
import type { RoundReports } from './reported-round.ts';

/** What a round of a scanner came to, address by address. */
interface Judged {
  readonly judged: readonly Address[];
  readonly troubles: readonly {
    readonly address: Address;
    readonly orderId: OrderId | undefined;
    readonly error: Error;
  }[];
}

interface Unjudged {
  readonly owner: Owner;
  readonly since: Instant;
  readonly rounds: number;
  readonly isRaised: boolean;
}

/** A moment's trouble with the database is no case. */
const ROUNDS_IN_A_ROW = 3;

/**
 * Raises a case for each address of one chain that cannot be judged, round after round, and closes it when it can. That one
 * order is in trouble is no trouble of the chain: the round itself has not failed.
 */
export function unjudgedReports(chain: ChainId, { cases, clock, caseAfterMs }: RoundReports) {
  let open: Map<Address, Unjudged> | undefined;

  /** What the process before this one left. */
  async function inherited(): Promise<Map<Address, Unjudged>> {
    const left = new Map<Address, Unjudged>();
    for (const { owner, about, since } of await cases.list())
      if (about.case === 'deposit_unjudged' && about.chain === chain)
        left.set(about.address, { owner, since, rounds: ROUNDS_IN_A_ROW, isRaised: true });
    return left;
  }

  return async ({ judged, troubles }: Judged): Promise<void> => {
    open ??= await inherited();
    const now = clock.now();
    for (const { address, orderId, error } of troubles) {
      // Whoever asked two nodes tells that they disagree, once for each thing that waits.
      if (error instanceof NodesDisagree) continue;
      const owner = orderId ?? 'treasury';
      const before = open.get(address) ?? { owner, since: now, rounds: 0, isRaised: false };
      const rounds = before.rounds + 1;
      const isKnown = error instanceof Fault && error.kind !== 'permanent';
      const isLasting = isKnown ? now >= later(before.since, caseAfterMs) : rounds >= ROUNDS_IN_A_ROW;
      if (isLasting && !before.isRaised)
        await cases.raise(owner, { case: 'deposit_unjudged', chain, address, reason: error.message.slice(0, 500) });
      open.set(address, { ...before, rounds, isRaised: before.isRaised || isLasting });
    }
    for (const address of judged) {
      const before = open.get(address);
      if (!before) continue;
      const subject = onChain(chain, address);
      if (before.isRaised) await cases.over(before.owner, { case: 'deposit_unjudged', subject });
      open.delete(address);
    }
  };
}
