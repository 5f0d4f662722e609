import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { bitcoin } from '../../sandbox/families/bitcoin.ts';
import { monero } from '../../sandbox/families/monero.ts';
import { solana } from '../../sandbox/families/solana.ts';
import { tron } from '../../sandbox/families/tron.ts';
import { zcash } from '../../sandbox/families/zcash.ts';
import type { BoxFamily, StartedFamily } from '../../sandbox/family.ts';
import { makeFolders, type Places, places } from '../../sandbox/files.ts';
import type { BoxChain } from '../../sandbox/place.ts';
import { knownTree } from '../../sandbox/seed.ts';
import { startVenue } from '../../sandbox/venue.ts';
import { present } from '../../src/kernel/assert.ts';

const root = mkdtempSync(join(tmpdir(), 'wherry-killed-'));
after(() => rmSync(root, { recursive: true, force: true }));
const CUSTOMER = `0x${'c5'.repeat(20)}`;
const SEES = `0x${'77'.repeat(20)}`;
const USDC = '0x6d1e7cde53ba9467b783cb7c530ce054';

function folder(name: string): Places {
  const at = places(join(root, name));
  makeFolders(at);
  return at;
}

/** Whoever is killed leaves his files as they are at that moment. */
function leftBy(at: Places, name: string): Places {
  const left = folder(name);
  cpSync(at.chains, left.chains, { recursive: true });
  return left;
}

const clock = { now: Date.now, advance: Date.now, untilSeenBy: async () => [] };
const start = (family: BoxFamily, at: Places, resumes: boolean): Promise<StartedFamily> =>
  family.start({ at, resumes, clock, nodes: 'simulated', tree: knownTree(), walletPassword: 'w', evmStates: 10 });
const chainOf = ({ chains }: StartedFamily): BoxChain => present(chains[0], 'one chain');

async function post(url: string, body: object): Promise<unknown> {
  const headers = { 'content-type': 'application/json' };
  return (await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })).json();
}
const ask = async <T>(url: string, method: string, params: unknown = []): Promise<T> =>
  ((await post(url, { jsonrpc: '2.0', id: 1, method, params })) as { result: T }).result;

/** The last blocks that this chain shows, by their names, from one height on. */
type Blocks = (url: string, from: number, to: number) => Promise<readonly unknown[]>;
const each = (read: (height: number) => Promise<unknown>, from: number, to: number): Promise<readonly unknown[]> =>
  Promise.all(Array.from({ length: to - from + 1 }, (_, at) => read(from + at)));

interface World {
  readonly family: BoxFamily;
  readonly token: string;
  readonly atoms: bigint;
  /** What makes it large. */
  readonly blocks: number;
  tip(url: string): Promise<number>;
  readonly shown: Blocks;
}

const byHash: Blocks = (url, from, to) => each((height) => ask(url, 'getblockhash', [height]), from, to);
const WORLDS: readonly World[] = [
  {
    ...{ family: solana, token: 'SOL', atoms: 10n ** 9n, blocks: 1_000 },
    tip: (url) => ask(url, 'getSlot', [{ commitment: 'finalized' }]),
    shown: (url, from, to) =>
      each((slot) => ask(url, 'getBlock', [slot, { transactionDetails: 'signatures' }]), from, to),
  },
  {
    ...{ family: tron, token: 'TRX', atoms: 10n ** 6n, blocks: 5_000 },
    tip: async (url) => ((await post(`${url}/wallet/getnowblock`, {})) as TronBlock).block_header.raw_data.number,
    shown: async (url) => [await post(`${url}/wallet/getblockbylatestnum`, { num: 50 })],
  },
  {
    ...{ family: zcash, token: 'ZEC', atoms: 10n ** 7n, blocks: 1_000 },
    tip: (url) => ask(url, 'getblockcount'),
    shown: byHash,
  },
  {
    ...{ family: bitcoin, token: 'BTC', atoms: 10n ** 7n, blocks: 100 },
    tip: (url) => ask(url, 'getblockcount'),
    shown: byHash,
  },
  {
    ...{ family: monero, token: 'XMR', atoms: 10n ** 11n, blocks: 50 },
    tip: async (url) => (await ask<{ count: number }>(`${url}/json_rpc`, 'get_block_count')).count - 1,
    shown: (url, from, to) =>
      each((height) => ask(`${url}/json_rpc`, 'get_block_header_by_height', { height }), from, to),
  },
];

interface TronBlock {
  readonly block_header: { readonly raw_data: { readonly number: number } };
}

for (const { family, token, atoms, blocks, tip, shown } of WORLDS) {
  test(`${family.name}: a large world that is killed shows the same blocks and the same money, and what waited is mined`, async (t) => {
    const at = folder(family.name);
    const first = await start(family, at, false);
    const chain = chainOf(first);
    await chain.mine(blocks);
    const to = present((await chain.wallets()).at(-1), 'an address');
    for (let times = 0; times < 3; times += 1) {
      await chain.pay({ token, to, atoms });
      await chain.mine(1);
    }
    const height = await tip(chain.rpcUrl);
    const before = await shown(chain.rpcUrl, height - 40, height);
    const money = await chain.received(token, to);
    assert.equal(money.total, 3n * atoms);
    await chain.pay({ token, to, atoms });
    const left = leftBy(at, `${family.name}-left`);
    await first.close();

    const second = await start(family, left, true);
    t.after(() => second.close());
    const again = chainOf(second);
    assert.equal(await tip(again.rpcUrl), height);
    assert.deepEqual(await shown(again.rpcUrl, height - 40, height), before);
    assert.deepEqual(await again.received(token, to), money);
    await again.mine(1);
    assert.equal((await again.received(token, to)).total, 4n * atoms, 'what waited was not forgotten');
    await again.pay({ token, to, atoms });
    await again.mine(1);
    assert.equal((await again.received(token, to)).total, 5n * atoms);
  });
}

test('the venue: one that is killed knows every account and every row that it showed', async (t) => {
  const at = folder('venue');
  const arbitrum = { rpcUrl: 'http://127.0.0.1:9', usdc: USDC } as const;
  const open = (dir: string, resumes: boolean) =>
    startVenue({ dir, resumes, now: Date.now, arbitrum, customer: CUSTOMER });
  const first = await open(at.chains, false);
  for (let times = 0; times < 500; times += 1) await first.pay({ token: USDC, to: SEES, atoms: 10n ** 8n });
  const rows = await first.received(USDC, SEES);
  const asked = { type: 'spotClearinghouseState', user: SEES };
  const money = await post(`${first.rpcUrl}/info`, asked);
  const left = leftBy(at, 'venue-left');
  await first.close();

  const second = await open(left.chains, true);
  t.after(() => second.close());
  assert.deepEqual(await second.received(USDC, SEES), rows);
  assert.equal(rows.total, 500n * 10n ** 8n);
  assert.deepEqual(await post(`${second.rpcUrl}/info`, asked), money);
});
