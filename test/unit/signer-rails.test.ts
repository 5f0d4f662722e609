import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { atoms } from '../../src/kernel/amount.ts';
import { txHash } from '../../src/kernel/ids.ts';
import type { TransferRail } from '../../src/signer/rail.ts';
import { evmRail } from '../../src/signer/rails/evm.ts';
import type { TransferRequest } from '../../src/signer/request.ts';
import type { SignedTransfer } from '../../src/world/chains/chain.ts';
import {
  ALICE,
  ARBITRUM,
  EVM_KEYS,
  HOT,
  intent,
  MALLORY,
  ORDER,
  openBench,
  own,
  payout,
  temporaryFolder,
} from './signer-bench.ts';

const honest = evmRail([ARBITRUM], EVM_KEYS);

test('a rail that signs something else is found out, and nothing is kept', async (t) => {
  const file = join(temporaryFolder(t), 'journal');
  const lies: ((request: TransferRequest) => TransferRequest)[] = [
    (request) => ({ ...request, to: MALLORY }),
    (request) => ({ ...request, atoms: atoms(request.atoms + 1n) }),
    (request) => ({ ...request, nonce: 8 }),
    (request) => ({ ...request, from: { deposit: 5 } }),
  ];
  for (const lie of lies) {
    const discarded: string[] = [];
    const rail: TransferRail = {
      ...honest,
      sign: (request) => honest.sign(lie(request)),
      giveBack: async (tokens) => void discarded.push(...tokens),
    };
    const { core, journal } = openBench(file, [rail]);
    const answer = await core.transfer(payout());
    assert.equal('refused' in answer && answer.refused, 'signed_otherwise');
    assert.equal(discarded.length, 1);
    journal.close();
  }
  assert.equal(readFileSync(file, 'utf8'), '');
});

/** A wallet that chooses outputs by itself, as Monero's does: each signature differs, and there are no nonces. */
/** What one payment joins is written with a plus. */
function walletRail(outputs: string[], cost = 1n): TransferRail & { readonly discarded: string[] } {
  const discarded: string[] = [];
  let built = 0;
  const build = ({ intent, chainId }: TransferRequest): SignedTransfer | undefined => {
    const output = outputs.shift();
    built += 1;
    const hash = txHash(built.toString(16).padStart(64, '0'));
    return output === undefined
      ? undefined
      : { intent, chainId, txHash: hash, raw: 'ab', consumes: output.split('+'), cost: atoms(cost) };
  };
  return {
    ...honest,
    discarded,
    hasNonces: false,
    objection: () => undefined,
    outbids: () => false,
    sign: async (request) => build(request) ?? assert.fail('no outputs'),
    split: async (request) => build(request),
    tell: async (_, { chainId, asset, to, atoms: value }) => ({
      chainId,
      from: HOT,
      asset,
      to,
      atoms: value,
      nonce: undefined,
    }),
    giveBack: async (tokens) => void discarded.push(...tokens),
  };
}

function slotless(leg: number): TransferRequest {
  const { nonce: _, ...rest } = payout({ intent: intent(`${ORDER}:payout:${leg}`) });
  return rest;
}

test('where a wallet chooses the outputs, a repeat gives the first bytes, and no output serves two payments', async (t) => {
  const rail = walletRail(['one', 'one', 'two']);
  const file = join(temporaryFolder(t), 'journal');
  const { core, journal } = openBench(file, [rail]);
  const first = await core.transfer(slotless(1));
  assert.deepEqual(await core.transfer(slotless(1)), first);
  await assert.rejects(core.transfer(slotless(2)), { name: 'Fault', kind: 'transient', message: /one serves/ });
  assert.deepEqual(rail.discarded, [], 'the output belongs to the first payment and must stay set aside');
  const second = await core.transfer(slotless(2));
  assert.deepEqual('consumes' in second && second.consumes, ['two']);
  journal.close();
  const again = openBench(file, [walletRail([])]);
  assert.deepEqual(await again.core.transfer(slotless(1)), first);
});

test('where a wallet joins an output that serves another payment with a free one, the free one alone is given back', async (t) => {
  const rail = walletRail(['one', 'one+two', 'two']);
  const { core } = openBench(join(temporaryFolder(t), 'journal'), [rail]);
  await core.transfer(slotless(1));
  await assert.rejects(core.transfer(slotless(2)), { name: 'Fault', kind: 'transient', message: /one serves/ });
  assert.deepEqual(rail.discarded, ['two']);
  const second = await core.transfer(slotless(2));
  assert.deepEqual('consumes' in second && second.consumes, ['two']);
  assert.deepEqual(rail.discarded, ['two'], 'what is kept stays set aside');
});

test('where nobody can tell what the bytes say, or they cannot be written down, their outputs are given back', async (t) => {
  const wallet = walletRail(['one', 'two']);
  let tell: TransferRail['tell'] = () => Promise.reject(new Error('no transaction'));
  const rail: TransferRail = { ...wallet, tell: (...asked) => tell(...asked) };
  const { core, journal } = openBench(join(temporaryFolder(t), 'journal'), [rail]);
  await assert.rejects(core.transfer(slotless(1)), /no transaction/);
  assert.deepEqual(wallet.discarded, ['one']);
  tell = (...asked) => {
    journal.close();
    return wallet.tell(...asked);
  };
  await assert.rejects(core.transfer(slotless(1)));
  assert.deepEqual(wallet.discarded, ['one', 'two']);
});

test('bytes that cost too much are thrown away and their outputs given back', async (t) => {
  const rail = walletRail(['one'], 10n ** 17n);
  const { core } = openBench(join(temporaryFolder(t), 'journal'), [rail]);
  const answer = await core.transfer(slotless(1));
  assert.equal('refused' in answer && answer.refused, 'cost_over_cap');
  assert.deepEqual(rail.discarded, ['one']);
});

test('a split goes to ourselves, is signed once, and is nothing while there are outputs enough', async (t) => {
  const { core } = openBench(join(temporaryFolder(t), 'journal'), [walletRail(['one'])]);
  const { nonce: _, ...split } = own({ kind: 'rebalance', to: HOT });
  const once = await core.split(split);
  assert.ok(once && 'raw' in once);
  assert.deepEqual(await core.split(split), once);
  assert.equal(await core.split({ ...split, intent: intent('treasury:rebalance:1') }), undefined);
  const astray = await core.split({ ...split, intent: intent('treasury:rebalance:2'), to: ALICE });
  assert.equal(astray && 'refused' in astray && astray.refused, 'not_our_account');
  const plain = openBench(join(temporaryFolder(t), 'journal'), [honest]);
  const refused = await plain.core.split(own({ kind: 'rebalance', to: HOT }));
  assert.equal(refused && 'refused' in refused && refused.refused, 'unknown_chain');
});
