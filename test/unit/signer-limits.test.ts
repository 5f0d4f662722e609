import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { atoms } from '../../src/kernel/amount.ts';
import { bindDestination } from '../../src/kernel/binding.ts';
import { chainId } from '../../src/kernel/ids.ts';
import { ratio } from '../../src/kernel/ratio.ts';
import type { Limits } from '../../src/signer/limits.ts';
import { DAY_MS } from '../../src/signer/memory.ts';
import { evmRail } from '../../src/signer/rails/evm.ts';
import type { TransferRequest } from '../../src/signer/request.ts';
import * as bench from './signer-bench.ts';

const { ARBITRUM, EVM_KEYS, LIMITS, openBench, own, payout, intent, temporaryFolder, trade } = bench;

const named = (answer: object): unknown => ('refused' in answer ? answer.refused : 'signed');
const leg = (n: number, change: Partial<TransferRequest> = {}): TransferRequest =>
  payout({ intent: intent(`${bench.ORDER}:payout:${n}`), nonce: n, atoms: atoms(1n), ...change });

/** Nearly the most that one transfer may cost: of three in a day, the fourth is too many. */
const DEAR = { gas: '99000', maxFeePerGas: '100000000000', maxPriorityFeePerGas: '1000000' };

test('network fees are limited in any 24 hours, whoever pays them and whatever for', async (t) => {
  const { core, clock } = openBench(join(temporaryFolder(t), 'journal'));
  const sweep = (n: number) =>
    own({
      ...{ kind: 'sweep', intent: intent(`treasury:sweep:${n}`), from: { deposit: n }, to: bench.HOT, nonce: 0 },
      fee: DEAR,
    });
  for (const n of [1, 2, 3]) assert.equal(named(await core.transfer(sweep(n))), 'signed');
  assert.equal(named(await core.transfer(sweep(4))), 'over_daily_cost');
  assert.equal(named(await core.transfer(leg(5))), 'signed', 'what is left is enough for an ordinary payment');
  clock.advance(DAY_MS + 1);
  assert.equal(named(await core.transfer(sweep(4))), 'signed');
});

test('of a payment that is outbid again and again, only the dearest version counts as a cost', async (t) => {
  const { core } = openBench(join(temporaryFolder(t), 'journal'));
  const price = (gwei: bigint) => ({
    ...{ gas: '90000', maxFeePerGas: `${gwei * 10n ** 9n}`, maxPriorityFeePerGas: `${gwei * 10n ** 6n}` },
  });
  for (let gwei = 10n; gwei < 110n; gwei = (gwei * 9n) / 8n + 1n)
    assert.equal(named(await core.transfer(leg(1, { fee: price(gwei) }))), 'signed', `${gwei}`);
  assert.equal(named(await core.transfer(leg(2, { fee: price(100n) }))), 'signed');
  assert.equal(named(await core.transfer(leg(3, { fee: price(100n) }))), 'signed');
  assert.equal(named(await core.transfer(leg(4, { fee: price(100n) }))), 'over_daily_cost');
});

test('accounts that sign at the same time cannot pass one limit together', async (t) => {
  const { core } = openBench(join(temporaryFolder(t), 'journal'));
  const answers = await Promise.all(
    [1, 2, 3, 4, 5, 6].map((n) =>
      core.transfer(
        own({
          ...{ kind: 'sweep', intent: intent(`treasury:sweep:${n}`), from: { deposit: n }, to: bench.HOT, nonce: 0 },
          fee: DEAR,
        }),
      ),
    ),
  );
  assert.equal(answers.filter((answer) => named(answer) === 'signed').length, 3);
});

test('gas for deposit addresses is limited in any 24 hours', async (t) => {
  const { core } = openBench(join(temporaryFolder(t), 'journal'));
  const gas = (n: number) =>
    own({
      ...{ kind: 'gas', intent: intent(`treasury:gas:${n}`), asset: bench.ETH, atoms: atoms(10n ** 16n), nonce: n },
      ...{ to: evmRail([], EVM_KEYS).addressOf({ deposit: n }) as typeof bench.HOT, toDeposit: n },
    });
  for (const n of [1, 2, 3]) assert.equal(named(await core.transfer(gas(n))), 'signed');
  assert.equal(named(await core.transfer(gas(4))), 'over_daily_limit');
});

test('a sale counts by what is sold: a low limit price does not make it small', async (t) => {
  const { core } = openBench(join(temporaryFolder(t), 'journal'));
  const sell = (n: number, size: bigint) =>
    trade({
      clientId: `0x${`${n}`.padStart(32, '0')}`,
      nonce: 1_700_000_000_000 + n,
      side: 'sell',
      size: atoms(size),
      limit: '50',
    });
  assert.equal(named(await core.trade(sell(1, 1_000_000_000n))), 'signed');
  assert.equal(named(await core.trade(sell(2, 500_000_001n))), 'over_daily_limit');
  assert.equal(named(await core.trade(sell(3, 500_000_000n))), 'signed');
  assert.equal(named(await core.trade(trade({ nonce: 1_700_000_000_009 }))), 'signed', 'buying has a limit of its own');
});

test('all assets on all chains together have a limit in dollars, by the floors that the settings give them', async (t) => {
  const other = chainId(8453);
  const there = payout().asset.replace(/^\d+/, `${other}`) as typeof bench.USDC;
  const limits: Limits = {
    ...LIMITS,
    assets: { ...LIMITS.assets, [there]: { ...bench.NO_LIMIT, floor: ratio(1n, 1n) } },
    usdPerDay: atoms(2_000_000_000n),
    chains: { ...LIMITS.chains, [other]: bench.FREE_CHAIN },
  };
  const { core } = openBench(join(temporaryFolder(t), 'journal'), [evmRail([ARBITRUM, other], EVM_KEYS)], limits);
  const on = (chain: typeof other, n: number, value: bigint) => {
    const asset = chain === other ? there : bench.USDC;
    const { binding } = payout({ asset });
    return leg(n, { chainId: chain, asset, atoms: atoms(value), ...(binding ? { binding } : {}) });
  };
  const [first, second] = await Promise.all([
    core.transfer(on(ARBITRUM, 1, 1_000_000_000n)),
    core.transfer(on(other, 1_001, 1_000_000_001n)),
  ]);
  assert.deepEqual([named(first), named(second)].sort(), ['over_daily_limit', 'signed'], inspect([first, second]));
});

test('whoever sends money in and has it back uses up no limit of those who are paid', async (t) => {
  const file = join(temporaryFolder(t), 'journal');
  const { core, journal } = openBench(file);
  const refund = (n: number, from: TransferRequest['from'], change: Partial<TransferRequest> = {}) => {
    const about = { kind: 'refund', intent: intent(`${bench.ORDER}:refund:${n}`), from, nonce: n } as const;
    const binding = bindDestination(bench.API, bench.ORDER, 'refund', bench.USDC, bench.ALICE);
    return payout({ ...about, atoms: atoms(750_000_000n), binding, ...change });
  };
  const given = bench.charter(bench.ORDER, bench.USDC, bench.ALICE, atoms(1n));
  for (const n of [1, 2]) assert.equal(named(await core.transfer(refund(n, { deposit: n }))), 'signed');
  assert.equal(named(await core.transfer(refund(3, { deposit: 3 }))), 'over_daily_limit', 'they have the same limit');
  for (const n of [4, 5])
    assert.equal(named(await core.transfer(leg(n, { atoms: atoms(750_000_000n) }))), 'signed', 'an honest payout');
  assert.equal(
    named(await core.transfer(refund(6, 'hot'))),
    'over_daily_limit',
    'what the hot account gives back is its own',
  );
  journal.close();
  const again = openBench(file);
  for (const from of [{ deposit: 7 }, 'hot'] as const)
    assert.equal(named(await again.core.transfer(refund(7, from))), 'over_daily_limit', 'a journal knows it again');

  const engine = { usdPerTransfer: 'unlimited', usdPerDay: atoms(750_000_000n) } as const;
  const narrow = openBench(join(temporaryFolder(t), 'journal'), undefined, { ...LIMITS, engine });
  const late = refund(1, { deposit: 1 }, { charter: given });
  const next = { ...refund(2, { deposit: 2 }, { charter: given }), raised: bench.raised(late) };
  assert.equal(named(await narrow.core.transfer({ ...late, raised: bench.raised(late) })), 'signed');
  assert.equal(named(await narrow.core.transfer(next)), 'over_engine_limit');
  const deal = bench.fund({ atoms: atoms(750_000_000n) });
  assert.equal(
    named(await narrow.core.transfer(deal)),
    'signed',
    'nor does what came too late keep a provider from being paid',
  );
});
