import assert from 'node:assert/strict';
import { test } from 'node:test';
import { atoms } from '../../src/kernel/amount.ts';
import { present } from '../../src/kernel/assert.ts';
import { intentId } from '../../src/kernel/ids.ts';
import { payoutPrice } from '../../src/life/quote/payout-price.ts';
import type { Chain, SignedTransfer, Transfer } from '../../src/world/chains/chain.ts';
import { evmUnsigned, signEvm } from '../../src/world/chains/evm/codec.ts';
import { evmNetwork } from '../../src/world/chains/evm/networks.ts';
import type { EvmNode } from '../../src/world/chains/evm/node.ts';
import { transferTerms } from '../../src/world/chains/evm/terms.ts';
import { EVM_KEYS, evmAddress, HOT } from './signer-bench.ts';

const NETWORK = evmNetwork(1);
const ETH = present(
  NETWORK.facts.assets.find(({ native }) => native),
  'the coin',
);
const USDC = present(
  NETWORK.facts.assets.find(({ symbol }) => symbol === 'USDC'),
  'a token',
);
const PAYEE = evmAddress(`0x${'e1'.repeat(20)}`);
const PAID = atoms(8n * 10n ** 15n);
const GWEI = 10n ** 9n;

interface World {
  /** What receiving it takes at the payee's, beside the transfer. */
  readonly receiving: (value: bigint) => bigint;
  /** What every transfer takes, where the network counts in gas what it pays elsewhere. */
  readonly plain?: bigint;
}

function openChain({ receiving, plain = 21_000n }: World) {
  const hex = (value: bigint) => `0x${value.toString(16)}`;
  const node = {
    at: 'chain:1',
    quantity: (text: string) => BigInt(text),
    fault: (text: string) => new Error(text),
    nonce: async () => 5,
    balance: async () => 10n ** 20n,
    read: async () => ({ baseFeePerGas: [hex(2n * GWEI)], reward: [[hex(GWEI / 10n)]] }),
    async ask(method: string, [call]: readonly { readonly to: string; readonly value?: string }[]) {
      const { to, value = '0x0' } = call ?? { to: '' };
      return method === 'eth_estimateGas' ? hex(plain + (to === HOT ? 0n : receiving(BigInt(value)))) : '0x';
    },
  } as unknown as EvmNode;
  const terms = (transfer: Transfer, replacing?: SignedTransfer) =>
    transferTerms(node, NETWORK, NETWORK.fees, HOT, transfer, replacing);
  const balance = async () => ({ spendable: atoms(10n ** 20n), locked: atoms(0n) });
  const chain = { facts: NETWORK.facts, terms, hotAddress: HOT, stranger: HOT, balance } as unknown as Chain;
  return { chain, terms };
}

const payout = (asset = ETH): Transfer => ({ from: 'hot', asset: asset.id, atoms: PAID, to: PAYEE });

test('a payee whose code works for nothing and burns gas when it is paid is refused, and asked for another address', async () => {
  const { chain, terms } = openChain({ receiving: (value) => (value > 0n ? 1_900_000n : 2_300n) });
  const price = await payoutPrice(chain, ETH, PAYEE);
  assert.equal(price.usual, 23_300n * ((21n * GWEI) / 10n), 'what the customer is charged');
  const answer = await terms(payout());
  assert.ok(
    'refused' in answer && /it takes 1921000 gas, and 71000 is the most/.test(answer.refused),
    'what is signed',
  );
});

test('wallets, vaults and forwarders are paid as before', async () => {
  for (const gas of [0n, 2_300n, 7_000n, 26_000n, 50_000n]) {
    const answer = await openChain({ receiving: () => gas }).terms(payout());
    assert.ok('fee' in answer && answer.fee.gas === `${((21_000n + gas) * 5n) / 4n}`, `${gas}`);
  }
});

test('what a network counts in gas for another chain is no payee’s doing', async () => {
  const answer = await openChain({ plain: 900_000n, receiving: () => 7_000n }).terms(payout());
  assert.ok('fee' in answer && answer.fee.gas === `${(907_000n * 5n) / 4n}`);
  const burning = await openChain({ plain: 900_000n, receiving: () => 60_000n }).terms(payout());
  assert.ok('refused' in burning);
});

test('tokens run no code of the payee', async () => {
  const answer = await openChain({ plain: 180_000n, receiving: () => 0n }).terms(payout(USDC));
  assert.ok('fee' in answer);
});

test('bytes that are outbid use their nonce: with no more gas than is paid for', async () => {
  let burns = 0n;
  const { terms } = openChain({ receiving: () => burns });
  const first = await terms(payout());
  assert.ok('fee' in first);
  const request = { ...payout(), chainId: NETWORK.facts.id, nonce: 5, fee: first.fee };
  const { raw, txHash } = signEvm(evmUnsigned(request), EVM_KEYS.key('hot').reveal());
  burns = 5_000_000n;
  const about = { intent: intentId('treasury', 'payout', 1), chainId: NETWORK.facts.id, consumes: [], cost: atoms(0n) };
  const next = await terms(payout(), { ...about, raw, txHash });
  assert.ok(
    'fee' in next && next.fee.gas === `${(71_000n * 5n) / 4n}`,
    JSON.stringify(next, (_, it) => `${it}`),
  );
});
