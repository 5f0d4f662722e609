import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ExchangeClient, HttpTransport } from '@nktkas/hyperliquid';
import { privateKeyToAccount } from 'viem/accounts';
import { TOKENS } from '../../sandbox/simulators/hyperliquid/state.ts';
import { present } from '../../src/kernel/assert.ts';
import { instant } from '../../src/kernel/clock.ts';
import { type Address, type AssetId, chainId } from '../../src/kernel/ids.ts';
import { httpOutbound } from '../../src/world/outbound/http.ts';
import { openHyperliquid } from '../../src/world/venues/hyperliquid/hyperliquid.ts';
import { USDC_ON_ARBITRUM } from './hyperliquid-bench.ts';
import { assetOf, HOT, ONE, openVenueChainBench, RAIL } from './hyperliquid-chain-bench.ts';

const DEPOSIT = present(RAIL.addressOf({ deposit: 3 }), 'deposit address');
const USDC = `USDC:${TOKENS.USDC.tokenId}`;
const watched = async (candidates: readonly Address[]) => new Set(candidates.filter((one) => one === DEPOSIT));

/** A customer whose USDC is on the perpetual side, on another implementation's client. */
async function customer() {
  const bench = await openVenueChainBench();
  const wallet = privateKeyToAccount(`0x${'17'.repeat(32)}`);
  bench.simulator.credit(wallet.address, 'USDC', 100n * ONE);
  let nonce = 1_800_000_000_000;
  const exchange = new ExchangeClient({
    ...{ transport: new HttpTransport({ apiUrl: bench.simulator.url }), wallet, signatureChainId: '0xa4b1' as const },
    nonceManager: async () => {
      nonce += 1;
      return nonce;
    },
  });
  await exchange.usdClassTransfer({ amount: '50', toPerp: true });
  const { cursor } = await bench.chain.scan(undefined, watched);
  const send = (sourceDex: string, destinationDex: string, amount: string, destination: Address = DEPOSIT) =>
    exchange.sendAsset({ destination, sourceDex, destinationDex, token: USDC, amount });
  const found = async () => {
    await bench.mine(1);
    return (await bench.chain.scan(cursor, watched)).sightings;
  };
  return { ...bench, exchange, sender: wallet.address as string as Address, send, found };
}

test('USDC from the perpetual side of a customer is a deposit like any other', async () => {
  const { chain, send, found, sender, close } = await customer();
  await send('', 'spot', '20');
  await send('spot', 'spot', '5');
  const sightings = await found();
  assert.deepEqual(
    sightings.map((one) => [one.asset, one.atoms, one.sender]),
    [
      [assetOf('USDC'), 20n * ONE, sender],
      [assetOf('USDC'), 5n * ONE, sender],
    ],
  );
  assert.equal((await chain.standing(sightings)).length, 2);
  await close();
});

test('USDC that comes to the perpetual side of a deposit account is told with its sender, by whichever way it came', async () => {
  const { exchange, chain, mine, send, found, sender, close } = await customer();
  await send('spot', 'spot', '1');
  await exchange.usdSend({ destination: DEPOSIT, amount: '7' });
  await send('', '', '2.5');
  assert.equal((await found()).length, 1, 'it is no deposit');
  let { cursor: at } = await chain.scan(undefined, watched);
  await mine(5 * 60_000);
  const told = new Map<string, unknown>();
  for (let more = true; more; ) {
    const page = await chain.scan(at, watched);
    for (const one of page.outOfReach ?? []) told.set(one.key, [one.address, one.asset, one.atoms, one.sender]);
    ({ cursor: at, more } = page);
  }
  const usdc = assetOf('USDC');
  assert.deepEqual(
    [...told.values()],
    [
      [DEPOSIT, usdc, 7n * ONE, sender],
      [DEPOSIT, usdc, (5n * ONE) / 2n, sender],
    ],
  );
  await close();
});

test('what others send to the perpetual side of the venue account is told as theirs, and all that lies there is told', async () => {
  const { simulator, exchange, send, sender, close } = await customer();
  const funding = { chainId: chainId(42_161), asset: USDC_ON_ARBITRUM as AssetId, address: HOT };
  const venue = await openHyperliquid({ url: simulator.url, account: HOT, funding }, httpOutbound, {
    now: () => instant(Date.now()),
  });
  await exchange.usdSend({ destination: HOT, amount: '0.000001' });
  await send('', '', '2.5', HOT);
  await send('spot', '', '1', HOT);
  const toldTo = async (user: Address) =>
    (await venue.ledger(instant(0), user)).rows.flatMap(({ kind, asset, atoms }) =>
      asset === assetOf('USDC') && kind !== 'send_in' ? [[kind, atoms]] : [],
    );
  const gifts = [100n, (5n * ONE) / 2n, ONE];
  assert.deepEqual(
    (await toldTo(HOT)).slice(-3),
    gifts.map((value) => ['transit_in', value]),
  );
  assert.equal(
    await venue.unmovedDeposit(),
    gifts.reduce((all, one) => all + one),
  );
  const own = (await toldTo(sender)).slice(-3);
  assert.deepEqual(
    own,
    gifts.map((value) => ['other', value]),
    'who sends from there himself must know why',
  );
  await close();
});
