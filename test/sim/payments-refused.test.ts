import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type Control, startControl } from '../../sandbox/control/server.ts';
import { moneroPlace } from '../../sandbox/families/monero-place.ts';
import { startEvmWorld } from '../../sandbox/nodes/evm-world.ts';
import { MINER } from '../../sandbox/nodes/monero-world.ts';
import { startSolanaWorld } from '../../sandbox/nodes/solana.ts';
import type { Payment, Place } from '../../sandbox/place.ts';
import { startBitcoinSimulator } from '../../sandbox/simulators/bitcoin/simulator.ts';
import { startMoneroSimulator } from '../../sandbox/simulators/monero/simulator.ts';
import { startTronSimulator } from '../../sandbox/simulators/tron/simulator.ts';
import { startZcashSimulator } from '../../sandbox/simulators/zcash/simulator.ts';
import { startVenue } from '../../sandbox/venue.ts';
import { present } from '../../src/kernel/assert.ts';
import { freshAddress as freshOnEvm } from '../nodes/evm-bench.ts';
import { patiently } from '../run/patience.ts';
import { freshAddress as freshOnSolana } from './solana-bench.ts';
import { freshAddress as freshOnTron } from './tron-bench.ts';

type Opened = Place & { close(): Promise<void> };

const ARBITRUM = 42161;
/** A customer who waited for change would wait for twenty seconds. */
const AT_ONCE_MS = 8_000;
/** No customer has so much of anything. */
const TOO_MUCH = 10n ** 18n;

async function openVenue(): Promise<Opened> {
  const dir = mkdtempSync(join(tmpdir(), 'wherry-venue-'));
  const arbitrum = { rpcUrl: 'http://127.0.0.1:9', usdc: `0x${'11'.repeat(20)}` } as const;
  const venue = await startVenue({ dir, resumes: false, now: Date.now, arbitrum, customer: freshOnEvm() });
  const close = async () => {
    await venue.close();
    rmSync(dir, { recursive: true, force: true });
  };
  return { ...venue, close };
}

interface Story {
  readonly name: string;
  open(): Promise<Opened>;
  fresh(place: Place): Promise<string>;
  /** A token by its symbol, what is wrong with paying so much of it, and what the sentence says. */
  readonly refused: readonly (readonly [symbol: string, atoms: bigint, to: 'fresh' | 'himself', why: RegExp])[];
}

const own = async (place: Place) => present((await place.wallets()).at(-1), 'an address');

const STORIES: readonly Story[] = [
  {
    name: 'an EVM network',
    open: () => startEvmWorld({ chainId: ARBITRUM }),
    fresh: async () => freshOnEvm(),
    refused: [
      ['USDC', TOO_MUCH, 'fresh', /amount: 10+ with fees is more than/],
      ['ETH', TOO_MUCH ** 2n, 'fresh', /Insufficient funds/],
    ],
  },
  {
    name: 'simulated Tron',
    open: () => startTronSimulator(),
    fresh: async () => freshOnTron(),
    refused: [
      ['TRX', TOO_MUCH, 'fresh', /more than/],
      ['TRX', 1n, 'himself', /yourself/],
      ['USDT', TOO_MUCH, 'fresh', /more than/],
    ],
  },
  {
    name: 'simulated Solana',
    open: () => startSolanaWorld('simulated'),
    fresh: async () => freshOnSolana(),
    refused: [
      ['SOL', TOO_MUCH, 'fresh', /simulation failed/],
      ['SOL', 5n, 'fresh', /InsufficientFundsForRent/],
      ['USDC', TOO_MUCH, 'fresh', /simulation failed/],
    ],
  },
  {
    name: 'simulated Bitcoin',
    open: () => startBitcoinSimulator(),
    fresh: own,
    refused: [
      ['BTC', TOO_MUCH, 'fresh', /more than/],
      ['BTC', 1n, 'fresh', /dust/],
    ],
  },
  {
    name: 'simulated Zcash',
    open: () => startZcashSimulator(),
    fresh: own,
    refused: [['ZEC', TOO_MUCH, 'fresh', /more than/]],
  },
  {
    name: 'simulated Monero',
    open: async () => {
      const world = await startMoneroSimulator({ hotAddress: MINER.address });
      return { ...moneroPlace(world), close: world.close };
    },
    fresh: own,
    refused: [
      ['XMR', TOO_MUCH, 'fresh', /not enough money/],
      ['XMR', TOO_MUCH ** 2n, 'fresh', /not enough money/],
    ],
  },
  {
    name: 'the venue',
    open: openVenue,
    fresh: async () => freshOnEvm(),
    refused: [
      ['USDC', TOO_MUCH, 'fresh', /Insufficient balance/],
      ['USDC', 1n, 'himself', /self-transfer/],
    ],
  },
];

for (const { name, open, fresh, refused } of STORIES) {
  describe(`A payment that cannot be made on ${name}`, () => {
    let place: Opened;
    let control: Control;
    before(async () => {
      place = await open();
      control = await startControl(0);
      const pay = async (input: unknown) => {
        const { amount, ...payment } = input as Omit<Payment, 'atoms'> & { amount: string };
        return place.pay({ ...payment, atoms: BigInt(amount) });
      };
      control.open({ 'POST /sandbox/pay': pay }, {}, () => false);
    });
    after(async () => {
      await control?.close();
      await place?.close();
    });

    const tokenOf = (symbol: string) =>
      present(
        place.tokens.find((one) => one.symbol === symbol),
        symbol,
      ).token;

    async function pay(symbol: string, atoms: bigint, to: string) {
      const body = JSON.stringify({ token: tokenOf(symbol), to, amount: String(atoms) });
      const headers = { 'content-type': 'application/json' };
      return patiently('a payment', AT_ONCE_MS, async ({ signal }) => {
        const reply = await fetch(`${control.url}/sandbox/pay`, { method: 'POST', headers, body, signal });
        return { status: reply.status, body: (await reply.json()) as { error?: string; txHash?: string } };
      });
    }

    for (const [symbol, atoms, whom, why] of refused) {
      it(`is refused at once: ${atoms} ${symbol} to ${whom === 'fresh' ? 'a new address' : 'himself'}`, async () => {
        const to = whom === 'fresh' ? await fresh(place) : place.customerAddress;
        const { status, body } = await pay(symbol, atoms, to);
        assert.equal(status, 400, JSON.stringify(body));
        assert.match(String(body.error), why);
        assert.equal((await place.received(tokenOf(symbol), await fresh(place))).total, 0n);
      });
    }

    it('does not stand in the way of one that can', async () => {
      const [symbol] = present(refused[0], 'a token');
      const { status, body } = await pay(symbol, 10n ** 7n, await fresh(place));
      assert.deepEqual([status, typeof body.txHash], [200, 'string'], JSON.stringify(body));
    });
  });
}
