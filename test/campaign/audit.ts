import { askWallet } from '../../sandbox/nodes/monero-world.ts';
import type { Received } from '../../sandbox/place.ts';
import { VENUE_DECIMALS } from '../../sandbox/venue-tokens.ts';
import { parseUnits } from '../../src/kernel/amount.ts';
import { present } from '../../src/kernel/assert.ts';
import type { AssetId } from '../../src/kernel/ids.ts';
import type { Asset } from '../../src/world/chains/chain.ts';
import { big } from '../../src/world/chains/monero/reply.ts';
import { httpOutbound } from '../../src/world/outbound/http.ts';
import { type Books, readBooks } from './books.ts';
import { CHECKS_OF_BOOKS } from './checks-of-books.ts';
import { CHECKS_OF_CHAINS } from './checks-of-chains.ts';
import { senderOf } from './customer.ts';
import { BTC, ELSEWHERE, MONEY, WRAPPED, XMR } from './elsewhere.ts';
import { SYMBOLS, trades } from './events.ts';
import type { Check, Elsewhere, Finding, Scene } from './scene.ts';
import type { World } from './world.ts';

const WITNESSED = [
  { name: 'saved before sent', of: 'I10' },
  { name: 'held while credit is gone', of: 'I8, 9.2' },
  { name: 'credited at its depth', of: 'I8, 9.8' },
];

export const CHECKS: readonly Check[] = [
  ...WITNESSED.map(({ name, of }) => ({
    ...{ name, of },
    find: ({ witness }: Scene) => witness.seen.flatMap(({ check, what }) => (check === name ? [what] : [])),
  })),
  ...CHECKS_OF_CHAINS,
  ...CHECKS_OF_BOOKS,
];

export async function audit(scene: Scene): Promise<readonly Finding[]> {
  const books = await readBooks(scene.store);
  const elsewhere = await paidElsewhere(scene);
  const purses = await pursesOf(scene, books);
  const whole = { ...scene, elsewhere, purses };
  return CHECKS.flatMap((check) => check.find(whole, books).map((what) => ({ check: check.name, what })));
}

/** What came where it can be seen only there. */
async function paidElsewhere({ world, dealings }: Scene): Promise<ReadonlyMap<string, Elsewhere>> {
  const { monero, bitcoin, venue } = world;
  const received = async (symbol: string, address: string): Promise<Received> => {
    if (symbol === 'XMR') return monero.received(address);
    if (symbol === 'BTC') return present(bitcoin, 'Bitcoin').received(BTC.token, address);
    return inAtoms(venue.received(address, WRAPPED.token));
  };
  const elsewhere = new Map<string, Elsewhere>();
  for (const { event, name, payTo, depositAddress, refundElsewhere, earnsAt } of dealings) {
    const [give, want] = SYMBOLS[event.trip];
    if (give === 'XMR' && earnsAt)
      elsewhere.set(earnsAt, { asset: MONEY.id, ...inAtoms(venue.received(earnsAt, MONEY.token)) });
    const back = give === 'XMR1' ? [[give, senderOf(name)] as const] : [];
    for (const [symbol, place] of [
      [give, depositAddress] as const,
      [want, payTo] as const,
      ...refundElsewhere,
      ...back,
    ]) {
      const asset = ELSEWHERE.get(symbol);
      if (asset && place) elsewhere.set(place, { asset: asset.id, ...(await received(symbol, place)) });
    }
  }
  if (bitcoin) {
    const { transfers } = await bitcoin.received(BTC.token, bitcoin.customerAddress);
    // What goes back to whoever paid; the rest is his change.
    const back = transfers.filter(({ txHash }) => bitcoin.isOurs(txHash));
    elsewhere.set(bitcoin.customerAddress, { asset: BTC.id, transfers: back });
  }
  return elsewhere;
}

const inAtoms = ({ total, transfers }: ReturnType<World['venue']['received']>): Received => ({
  total: BigInt(total),
  transfers: transfers.map(({ amount, ...rest }) => ({ ...rest, amount: BigInt(amount) })),
});

/** What the desk has of what was traded elsewhere, as the wallets and the venue say. */
async function pursesOf({ world, plan }: Scene, { orders }: Books): Promise<ReadonlyMap<AssetId, bigint>> {
  const purses = new Map<AssetId, bigint>();
  const depositsIn = (asset: Asset) =>
    orders.flatMap(({ from, depositAddress }) => (from.id === asset.id ? [depositAddress] : []));
  if (trades(plan, 'XMR')) {
    purses.set(XMR.id, await heldInMonero(world));
    purses.set(WRAPPED.id, await heldOnVenue(world, 'XMR1', [world.hot.evm, ...depositsIn(WRAPPED)]));
    purses.set(MONEY.id, await heldOnVenue(world, 'USDC', [world.hot.evm]));
  }
  if (world.bitcoin) purses.set(BTC.id, await world.bitcoin.held([world.hot.bitcoin, ...depositsIn(BTC)]));
  return purses;
}

async function heldOnVenue({ venue }: World, coin: string, accounts: readonly string[]): Promise<bigint> {
  let sum = 0n;
  for (const user of accounts) {
    const body = JSON.stringify({ type: 'spotClearinghouseState', user });
    const call = { at: 'audit', label: 'balances', url: `${venue.url}/info`, method: 'POST', body } as const;
    const headers = { 'content-type': 'application/json' };
    const { balances } = JSON.parse((await httpOutbound({ ...call, headers })).body) as {
      balances: { coin: string; total: string }[];
    };
    sum += parseUnits(balances.find((one) => one.coin === coin)?.total ?? '0', VENUE_DECIMALS) ?? 0n;
  }
  return sum;
}

async function heldInMonero({ monero }: World): Promise<bigint> {
  const ask = askWallet(monero, 'spend');
  await ask('refresh');
  return big(await ask('get_balance'), 'balance');
}
