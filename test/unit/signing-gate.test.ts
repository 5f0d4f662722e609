import assert from 'node:assert/strict';
import { test } from 'node:test';
import { guardHandlers } from '../../src/app/gates.ts';
import { guardSigner, HELD_BY, HeldByBreaker, type SignatureKind, untilHeld } from '../../src/app/signing-gate.ts';
import type { Handlers } from '../../src/engine/worker.ts';
import { atoms } from '../../src/kernel/amount.ts';
import { chainId } from '../../src/kernel/ids.ts';
import type { SignerClient } from '../../src/signer/client.ts';
import type { IntentKind } from '../../src/signer/request.ts';
import type { Breakers } from '../../src/store/gates.ts';
import type { VenueMove } from '../../src/world/venues/venue.ts';
import { ARBITRUM, intent, payout, sendHome, trade } from './signer-bench.ts';

const MONERO = chainId(0);
const openAt = (...scopes: readonly string[]): Breakers => ({
  isOpen: async (scope) => (scopes.includes(scope) ? 'a person looks' : undefined),
});

/** A signer that signs whatever it is asked for, and notes it. */
function willing() {
  const signed: string[] = [];
  const note = (what: string) => async () => void signed.push(what) as never;
  const signer = {
    signTransfer: ({ kind }: { kind: IntentKind }) => note(kind)(),
    signTrade: note('trade'),
    signMove: ({ move }: { move: VenueMove }) => note(`move:${move.move}`)(),
    split: note('split'),
  } as unknown as SignerClient;
  return { signed, signer };
}

const KINDS = Object.keys(HELD_BY) as SignatureKind[];

function ask(signer: SignerClient, kind: SignatureKind): Promise<unknown> {
  if (kind === 'trade') return signer.signTrade(trade());
  if (kind === 'split')
    return signer.split({ family: 'monero', intent: intent('split'), count: 2, atomsEach: atoms(1n) });
  if (kind.startsWith('move:')) {
    const request = sendHome();
    const move = { ...request.move, move: kind.slice('move:'.length) } as VenueMove;
    return signer.signMove({ ...request, move });
  }
  return signer.signTransfer(payout({ kind: kind as IntentKind }));
}

const gated = (signer: SignerClient, breakers: Breakers) =>
  guardSigner(signer, breakers, (family) => (family === 'monero' ? [MONERO] : []));

test('9.15: the breaker payouts holds every signature, of every kind that the signer knows', async () => {
  const { signed, signer } = willing();
  const held = gated(signer, openAt('payouts'));
  for (const kind of KINDS) await assert.rejects(ask(held, kind), HeldByBreaker, kind);
  assert.deepEqual(signed, []);
  const closed = gated(signer, openAt());
  for (const kind of KINDS) await ask(closed, kind);
  assert.deepEqual(signed, KINDS, 'with the breaker closed, or without the gate, all of them are signed');
});

test('a chain’s breaker holds what is signed on it, the venue’s what happens there', async () => {
  const heldBy = async (scope: string): Promise<readonly SignatureKind[]> => {
    const { signer } = willing();
    const held: SignatureKind[] = [];
    for (const kind of KINDS)
      await ask(gated(signer, openAt(scope)), kind).catch((error: unknown) => {
        assert.ok(error instanceof HeldByBreaker);
        held.push(kind);
      });
    return held;
  };
  const transfers = KINDS.filter((kind) => kind !== 'split' && kind !== 'trade' && !kind.startsWith('move:'));
  assert.deepEqual(await heldBy(`chain:${ARBITRUM}`), transfers);
  assert.deepEqual(await heldBy(`chain:${MONERO}`), ['split']);
  assert.deepEqual(
    await heldBy('venue'),
    KINDS.filter((kind) => kind === 'trade' || kind.startsWith('move:')),
  );
  assert.deepEqual([await heldBy('quotes'), await heldBy('chain:1')], [[], []]);
});

test('bytes after a proof of death and higher fees wait for the breaker as first bytes do, and nobody is woken', async () => {
  const { signed, signer } = willing();
  const board = new Set<string>();
  const breakers: Breakers = { isOpen: async (scope) => (board.has(scope) ? 'a person looks' : undefined) };
  const guarded = gated(signer, breakers);
  // As when a payment that is watched is proven dead, or one to be sent has no bytes yet: these sign on their way.
  const signs = async () => {
    await guarded.signTransfer(payout());
    return 'done' as const;
  };
  const handlers = guardHandlers(
    { sign_transfer: signs, send_transfer: signs, watch_transfer: signs, work_ticket: signs } as unknown as Handlers,
    breakers,
  );
  const all = () =>
    Promise.all([
      handlers.sign_transfer({ effect: { lane: `${ARBITRUM}:hot` } } as never, {} as never),
      handlers.send_transfer({} as never, {} as never),
      handlers.watch_transfer({} as never, {} as never),
    ]);
  board.add('payouts');
  assert.deepEqual(await all(), Array(3).fill({ againInMs: 2_000 }));
  assert.deepEqual(signed, []);
  board.clear();
  assert.deepEqual(await all(), ['done', 'done', 'done']);
  assert.equal(signed.length, 3);
});

test('a round that a breaker holds ends quietly; any other trouble of it is told', async () => {
  await untilHeld(async () => {
    throw new HeldByBreaker('move:withdraw', 'payouts', 'a person looks');
  });
  await assert.rejects(
    untilHeld(async () => {
      throw new Error('the venue is down');
    }),
    /the venue is down/,
  );
});
