import { Fault } from '../kernel/fault.ts';
import type { ChainId } from '../kernel/ids.ts';
import type { SignerClient } from '../signer/client.ts';
import type { IntentKind } from '../signer/request.ts';
import type { Breakers } from '../store/gates.ts';
import type { VenueMove } from '../world/venues/venue.ts';

/** Everything that the signer can be asked to sign, by what it is for. */
export type SignatureKind = IntentKind | 'split' | 'trade' | `move:${VenueMove['move']}`;

/**
 * Complete by type: which breakers hold a signature, beside that of its chain. `payouts` holds all of them, also those that leave
 * nothing with anybody: who opens it does not know yet what is wrong. What happens on the venue's book or between its
 * accounts is held by `venue` as well.
 */
export const HELD_BY: Readonly<Record<SignatureKind, readonly ('payouts' | 'venue')[]>> = {
  payout: ['payouts'],
  refund: ['payouts'],
  fee: ['payouts'],
  fund: ['payouts'],
  gas: ['payouts'],
  sweep: ['payouts'],
  rebalance: ['payouts'],
  split: ['payouts'],
  trade: ['payouts', 'venue'],
  'move:send': ['payouts', 'venue'],
  'move:withdraw': ['payouts', 'venue'],
  'move:to_trading': ['payouts', 'venue'],
  'move:to_transit': ['payouts', 'venue'],
};

/** Nothing is wrong with the world: an open breaker holds this signature, and asking again later is all there is to do. */
export class HeldByBreaker extends Fault {
  constructor(kind: SignatureKind, scope: string, reason: string) {
    super('transient', 'breaker', `${kind} is held by ${scope}: ${reason}`);
  }
}

/**
 * The gate around the signer itself, so that no way to a signature passes beside it: first bytes, bytes after a proof of death,
 * a higher fee, moves on the venue, splits of our own outputs. What was signed before is followed to its end.
 */
export function guardSigner(
  signer: SignerClient,
  breakers: Breakers,
  /** The chains of a family that splits its outputs. */
  chainsOf: (family: string) => readonly ChainId[],
): SignerClient {
  const pass = async (kind: SignatureKind, chains: readonly ChainId[]): Promise<void> => {
    for (const scope of [...HELD_BY[kind], ...chains.map((id) => `chain:${id}`)]) {
      const reason = await breakers.isOpen(scope);
      if (reason !== undefined) throw new HeldByBreaker(kind, scope, reason);
    }
  };
  return {
    ...signer,
    signTransfer: async (request) => {
      await pass(request.kind, [request.chainId]);
      return signer.signTransfer(request);
    },
    signTrade: async (request) => {
      await pass('trade', []);
      return signer.signTrade(request);
    },
    signMove: async (request) => {
      await pass(`move:${request.move.move}`, []);
      return signer.signMove(request);
    },
    split: async (request) => {
      await pass('split', chainsOf(request.family));
      return signer.split(request);
    },
  };
}

/** Work of a round that ends where a breaker holds it; the next round begins anew. */
export async function untilHeld(work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof HeldByBreaker)) throw error;
  }
}
