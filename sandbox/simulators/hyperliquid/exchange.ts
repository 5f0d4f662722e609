import { knows, Refused, useNonce } from './accounts.ts';
import { move } from './moves.ts';
import { cancelOrders, placeOrders } from './orders.ts';
import { readSigned, type SignedRequest } from './signatures.ts';
import type { Simulation } from './state.ts';

/** Carries out a signed action; undefined for what cannot be deserialized. Errors are answers like any other. */
export async function exchange(sim: Simulation, body: unknown): Promise<unknown> {
  const request = await readSigned(body);
  if (!request) return undefined;
  try {
    admit(sim, request);
    return { status: 'ok', response: perform(sim, request) };
  } catch (error) {
    if (error instanceof Refused) return { status: 'err', response: error.message };
    throw error;
  }
}

/** Nothing that is refused here has any effect, not even on the nonce. */
function admit(sim: Simulation, request: SignedRequest): void {
  const { signer } = request;
  if (!knows(sim, signer))
    throw new Refused(
      request.isUserSigned
        ? `Must deposit before performing actions. User: ${signer}`
        : `User or API Wallet ${signer} does not exist.`,
    );
  if (request.expiresAfter !== undefined && sim.now() > request.expiresAfter)
    throw new Refused(`Action expired: expiresAfter ${request.expiresAfter} is before ${sim.now()}`);
  useNonce(sim, signer, request.nonce);
}

function perform(sim: Simulation, { action, signer, nonce }: SignedRequest): unknown {
  switch (action.type) {
    case 'order':
      return placeOrders(sim, signer, action);
    case 'cancel':
    case 'cancelByCloid':
      return cancelOrders(sim, signer, action);
    case 'noop':
      return { type: 'default' };
    default:
      return move(sim, signer, action, nonce);
  }
}
