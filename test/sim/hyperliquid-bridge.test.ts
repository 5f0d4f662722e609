import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Anvil, startAnvil } from '../../sandbox/nodes/anvil.ts';
import { balanceSlot, tokenCode } from '../../sandbox/nodes/token-code.ts';
import { arbitrumHome } from '../../sandbox/simulators/hyperliquid/arbitrum.ts';
import { atoms } from '../../src/kernel/amount.ts';
import { instant } from '../../src/kernel/clock.ts';
import type { Address } from '../../src/kernel/ids.ts';
import { signMoveBody } from '../../src/world/venues/hyperliquid/codec.ts';
import { ACCOUNT, BRIDGE, FRIEND, KEY, listenTo, openVenue, USDC_ON_ARBITRUM as USDC } from './hyperliquid-bench.ts';

const word = (value: bigint | string): string => BigInt(value).toString(16).padStart(64, '0');

let anvil: Anvil;

before(async () => {
  anvil = await startAnvil({ chainId: 42161 });
  await anvil.rpc('anvil_setCode', [USDC, tokenCode('USDC', 'USD Coin')]);
  for (const holder of [ACCOUNT, BRIDGE] as Address[])
    await anvil.rpc('anvil_setStorageAt', [USDC, balanceSlot(holder), `0x${word(1_000_000_000n)}`]);
  await anvil.rpc('anvil_setBalance', [ACCOUNT, '0xde0b6b3a7640000']);
  await anvil.rpc('anvil_impersonateAccount', [ACCOUNT]);
});

after(() => anvil.stop());

async function transferToBridge(micros: bigint): Promise<void> {
  const data = `0xa9059cbb${word(BRIDGE)}${word(micros)}`;
  await anvil.rpc('eth_sendTransaction', [{ from: ACCOUNT, to: USDC, data }]);
  await anvil.rpc('evm_mine');
}

const balanceOf = async (holder: string): Promise<bigint> =>
  BigInt((await anvil.rpc('eth_call', [{ to: USDC, data: `0x70a08231${word(holder)}` }, 'latest'])) as string);

test('USDC goes over the bridge to the sender’s account, to spot, back, and out again as real USDC', async () => {
  const side = { rpcUrl: anvil.rpcUrl, usdc: USDC, bridge: BRIDGE, pollMs: 20, withdrawalDelayMs: 0 } as const;
  const { simulator, venue, clock, close } = await openVenue({ home: arbitrumHome(side) });
  const { subscribe, next, close: hangUp } = await listenTo(simulator.wsUrl);
  subscribe({ type: 'userNonFundingLedgerUpdates', user: ACCOUNT });
  assert.equal((await next('userNonFundingLedgerUpdates')).isSnapshot, true);
  const history = async () => JSON.stringify((await next('userNonFundingLedgerUpdates')).nonFundingLedgerUpdates);

  await transferToBridge(4_999_999n);
  await transferToBridge(25_000_000n);
  assert.match(await history(), /"type":"deposit","usdc":"25.0"/);
  assert.equal(await venue.unmovedDeposit(), 2_500_000_000n, 'the smaller one is lost');

  let nonce = clock.now();
  const withdraw = { move: 'withdraw', atoms: atoms(2_000_000_000n), to: FRIEND, nonce: ++nonce } as const;
  const signed = signMoveBody(withdraw, {}, KEY);
  await venue.post(signed);
  await venue.post(signed);
  assert.match(await history(), /"type":"withdraw","usdc":"19.0"/);
  await anvil.rpc('evm_mine');
  assert.equal(await balanceOf(FRIEND), 19_000_000n);
  assert.equal(await venue.unmovedDeposit(), 500_000_000n);

  await venue.post(signMoveBody({ move: 'to_trading', atoms: atoms(500_000_000n), nonce: ++nonce }, {}, KEY));
  assert.equal(await venue.unmovedDeposit(), 0n);
  const { rows } = await venue.ledger(instant(0));
  assert.deepEqual(
    rows.slice(2).map((row) => [row.kind, row.atoms, row.fee, row.nonce]),
    [
      ['deposit', 2_500_000_000n, 0n, undefined],
      ['withdraw', 1_900_000_000n, 100_000_000n, withdraw.nonce],
      ['to_trading', 500_000_000n, 0n, undefined],
    ],
  );
  await hangUp();
  await close();
});
