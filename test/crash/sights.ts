import { readFileSync, statSync } from 'node:fs';
import { askWallet } from '../../sandbox/nodes/monero-world.ts';
import { loadOrders, type Order as ProviderOrder } from '../../sandbox/simulators/providers/orders.ts';
import { VENUE_USDC, XMR1 } from '../../sandbox/venue-tokens.ts';
import { parseUnits } from '../../src/kernel/amount.ts';
import { present } from '../../src/kernel/assert.ts';
import type { Instant } from '../../src/kernel/clock.ts';
import { type AssetId, assetId, chainId, type TokenId, tokenOf } from '../../src/kernel/ids.ts';
import { evmWord, parseEvmAddress } from '../../src/world/chains/evm/codec.ts';
import { evmNetwork } from '../../src/world/chains/evm/networks.ts';
import { moneroDaemon } from '../../src/world/chains/monero/daemon.ts';
import { big, record } from '../../src/world/chains/monero/reply.ts';
import { XMR_ASSET } from '../../src/world/chains/monero/rules.ts';
import { httpOutbound } from '../../src/world/outbound/http.ts';
import type { World } from './world.ts';

/** What the world itself shows: read from nodes, venue and disk, never from the desk's database. */

const ARBITRUM = chainId(42_161);
const TOKENS = evmNetwork(ARBITRUM).facts.assets;
const named = (symbol: string): AssetId => present(TOKENS.find((asset) => asset.symbol === symbol)?.id, symbol);
export const onArbitrum = (token: string): AssetId => assetId(ARBITRUM, token as TokenId);
export const ETHER = named('ETH');
const USDC = named('USDC');
const WBTC = named('WBTC');
export const XMR = XMR_ASSET.id;
export const USDC_ON_VENUE = `1337:${VENUE_USDC}` as AssetId;
export const XMR_ON_VENUE = `1337:${XMR1}` as AssetId;
const VENUE_DECIMALS = 8;
const PRICE_DECIMALS = 6;
const SIZE_DECIMALS = 2;

export interface Look {
  readonly at: Instant;
  readonly height: number;
  /** By asset, what the hot account holds there. */
  readonly held: ReadonlyMap<AssetId, bigint>;
  readonly journalBytes: number;
}

export async function look(world: World): Promise<Look> {
  const { arbitrum, hot, clock, config } = world;
  const at = clock.now();
  const [height, ether, usdc, wbtc, xmr, venue] = await Promise.all([
    arbitrum.rpc('eth_blockNumber'),
    etherOf(world, hot.evm),
    tokensOf(world, USDC, hot.evm),
    tokensOf(world, WBTC, hot.evm),
    xmrOf(world),
    onVenue(world),
  ]);
  const held = new Map([[ETHER, ether], [USDC, usdc], [WBTC, wbtc], [XMR, xmr], ...venue]);
  return { at, height: Number(height), held, journalBytes: statSync(config.signer.journal).size };
}

export const etherOf = async ({ arbitrum }: World, address: string): Promise<bigint> =>
  BigInt(String(await arbitrum.rpc('eth_getBalance', [address, 'latest'])));

async function tokensOf({ arbitrum }: World, asset: AssetId, address: string): Promise<bigint> {
  const question = { to: tokenOf(asset), data: `0x70a08231${evmWord(present(parseEvmAddress(address), address))}` };
  return BigInt(String(await arbitrum.rpc('eth_call', [question, 'latest'])));
}

/** All that the hot wallet holds, locked change included. */
async function xmrOf({ monero }: World): Promise<bigint> {
  const ask = askWallet(monero, 'spend');
  await ask('refresh', {});
  return big(record(await ask('get_balance', { account_index: 0 })), 'balance');
}

export async function xmrFeeOf({ monero }: World, txHash: string): Promise<bigint> {
  const [found] = await moneroDaemon(monero.daemonUrl, httpOutbound).transactions([txHash]);
  return present(found, txHash).tx.fee;
}

interface WireTx {
  readonly hash: string;
  readonly from: string;
  readonly to: string | null;
  readonly value: string;
  readonly input: string;
}

/** Every payment on Arbitrum after that height that one of these accounts made, in words. */
export async function paymentsSince(world: World, height: number, accounts: readonly string[]): Promise<string[]> {
  const ours = new Set(accounts.map((account) => account.toLowerCase()));
  const tip = Number(await world.arbitrum.rpc('eth_blockNumber'));
  const payments: string[] = [];
  for (let at = height + 1; at <= tip; at += 1) {
    const block = await world.arbitrum.rpc('eth_getBlockByNumber', [`0x${at.toString(16)}`, true]);
    for (const tx of (block as { transactions: WireTx[] }).transactions)
      if (ours.has(tx.from)) payments.push(inWords(tx));
  }
  return payments.sort();
}

function inWords({ from, to, value, input }: WireTx): string {
  if (input === '0x') return coinPayment(from, String(to));
  const [, payee, atoms] = /^0xa9059cbb0{24}([0-9a-f]{40})([0-9a-f]{64})$/.exec(input) ?? [];
  const [, token, swept] = /^0x0{24}([0-9a-f]{40})([0-9a-f]{64})$/.exec(input) ?? [];
  if (token) return payment(onArbitrum(`0x${token}`), String(to), from, BigInt(`0x${swept}`));
  const isPlain = BigInt(value) === 0n && payee && atoms;
  if (!isPlain) return `${from} calls ${to} with ${input}`;
  return payment(onArbitrum(String(to)), from, `0x${payee}`, BigInt(`0x${atoms}`));
}

export const payment = (asset: AssetId, from: string, to: string, atoms: bigint): string =>
  asset === ETHER ? coinPayment(from, to) : `${from} pays ${atoms} of ${asset} to ${to}`.toLowerCase();
/** Of gas nobody knows beforehand how much it will be. */
export const coinPayment = (from: string, to: string): string => `${from} sends coins to ${to}`.toLowerCase();

async function askVenue({ venue, hot }: World, question: object): Promise<unknown> {
  const reply = await fetch(`${venue.url}/info`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ user: hot.evm, ...question }),
  });
  return reply.json();
}

async function onVenue(world: World): Promise<[AssetId, bigint][]> {
  const { balances } = (await askVenue(world, { type: 'spotClearinghouseState' })) as {
    balances: { coin: string; total: string }[];
  };
  const total = (coin: string) =>
    decimal(
      present(
        balances.find((one) => one.coin === coin),
        coin,
      ).total,
      VENUE_DECIMALS,
    );
  return [
    [USDC_ON_VENUE, total('USDC')],
    [XMR_ON_VENUE, total('XMR1')],
  ];
}

export interface Trade {
  readonly id: string;
  readonly usdc: bigint;
  readonly xmr: bigint;
}

/** What each trade since then did to our balances on the venue. */
export async function tradesSince(world: World, since: Instant): Promise<readonly Trade[]> {
  const rows = (await askVenue(world, { type: 'userFillsByTime', startTime: since })) as Record<string, string>[];
  return rows.map(({ tid, side, px = '', sz = '', fee = '' }) => {
    const lots = decimal(sz, SIZE_DECIMALS);
    const [base, quote] = [lots * 10n ** 6n, lots * decimal(px, PRICE_DECIMALS)];
    const taken = decimal(fee, VENUE_DECIMALS);
    return side === 'B'
      ? { id: String(tid), usdc: -quote, xmr: base - taken }
      : { id: String(tid), usdc: quote - taken, xmr: -base };
  });
}

const decimal = (text: string, decimals: number): bigint => present(parseUnits(text, decimals), text);

export interface Signed {
  /** The intent, or the trade. */
  readonly name: string;
  readonly to: string | undefined;
}

/** What the signer has signed since its journal was that long. */
export function signedSince({ config }: World, journalBytes: number): readonly Signed[] {
  const lines = readFileSync(config.signer.journal).subarray(journalBytes).toString('utf8').trimEnd();
  if (lines === '') return [];
  return lines.split('\n').map((line) => {
    const { entry } = JSON.parse(line) as { entry: { signed: string; request: Record<string, unknown> } };
    const { intent, to, ticket } = entry.request as { intent?: string; to?: string; ticket?: { clientId: string } };
    return { name: intent ?? present(ticket, line).clientId, to };
  });
}

/** What a provider has on record about a deposit address that it gave out. */
export function providersBook({ providers }: World, depositAddress: string): ProviderOrder {
  const orders = providers.flatMap((provider) => loadOrders(provider.snapshot()));
  return present(
    orders.find((order) => order.depositAddress === depositAddress),
    `${depositAddress} in the books of a provider`,
  );
}
