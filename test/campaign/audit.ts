import { askWallet } from '../../sandbox/nodes/monero-world.ts';
import type { Received } from '../../sandbox/place.ts';
import { VENUE_DECIMALS } from '../../sandbox/venue-tokens.ts';
import { parseUnits } from '../../src/kernel/amount.ts';
import { type AssetId, assetId, type ChainId, type TokenId } from '../../src/kernel/ids.ts';
import type { Asset } from '../../src/world/chains/chain.ts';
import { big } from '../../src/world/chains/monero/reply.ts';
import { httpOutbound } from '../../src/world/outbound/http.ts';
import type { Abroad } from './abroad.ts';
import { type Books, readBooks } from './books.ts';
import { CHECKS_OF_BOOKS } from './checks-of-books.ts';
import { CHECKS_OF_CHAINS } from './checks-of-chains.ts';
import { CHECKS_OF_HOUSE } from './checks-of-house.ts';
import { senderOf } from './customer.ts';
import { ELSEWHERE, isOnVenue, MONEY, XMR } from './elsewhere.ts';
import { SYMBOLS, trades } from './events.ts';
import type { Check, Elsewhere, Finding, Scene } from './scene.ts';
import { placeOf, type World } from './world.ts';

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
  ...CHECKS_OF_HOUSE,
];

export async function audit(scene: Scene): Promise<readonly Finding[]> {
  const books = await readBooks(scene.store);
  const [elsewhere, back] = [await paidElsewhere(scene), await paidBack(scene)];
  const purses = await pursesOf(scene, books);
  const whole = { ...scene, elsewhere, back, purses };
  return CHECKS.flatMap((check) => check.find(whole, books).map((what) => ({ check: check.name, what })));
}

/** What came where it can be seen only there. */
async function paidElsewhere({ world, dealings }: Scene): Promise<ReadonlyMap<string, Elsewhere>> {
  const { monero, venue } = world;
  const received = async (asset: Asset, address: string): Promise<Elsewhere> => {
    const place = placeOf(world, asset);
    if (place) return receivedThere(place, address);
    const { transfers } =
      asset === XMR ? await monero.received(address) : inAtoms(venue.received(address, asset.token));
    return transfers.map((one) => ({ ...one, asset: asset.id }));
  };
  const elsewhere = new Map<string, Elsewhere>();
  for (const { event, name, payTo, depositAddress, refundElsewhere, earnsAt, otherPayTo } of dealings) {
    const [give, want] = SYMBOLS[event.trip];
    const given = ELSEWHERE.get(give);
    const earnedIn = given === XMR ? MONEY : given;
    if (earnedIn && earnsAt) elsewhere.set(earnsAt, await received(earnedIn, earnsAt));
    const back = given && isOnVenue(given) ? [[give, senderOf(name)] as const] : [];
    for (const [symbol, place] of [
      [give, depositAddress] as const,
      [want, payTo] as const,
      [want, otherPayTo] as const,
      ...refundElsewhere,
      ...back,
    ]) {
      const asset = ELSEWHERE.get(symbol);
      if (!asset || !place) continue;
      const came = await received(asset, place);
      // Coins that we send ahead are none of the customer's.
      const isOurs = place === depositAddress ? placeOf(world, asset)?.isOurs : undefined;
      elsewhere.set(
        place,
        came.filter(({ txHash }) => !isOurs?.(txHash)),
      );
    }
  }
  return elsewhere;
}

/** What goes back to whoever paid; the rest is his change. */
async function paidBack({ world }: Scene): Promise<Elsewhere> {
  const back: Elsewhere[number][] = [];
  for (const place of world.abroad.values()) {
    const came = await receivedThere(place, place.customerAddress);
    back.push(...came.filter(({ txHash }) => place.isOurs(txHash)));
  }
  return back;
}

/** Whatever it was. */
async function receivedThere({ tokens, chainId, received }: Abroad, address: string): Promise<Elsewhere> {
  const came = tokens.map(async ({ token }) => {
    const asset = assetId(chainId as ChainId, token as TokenId);
    return (await received(token, address)).transfers.map((one) => ({ ...one, asset }));
  });
  return (await Promise.all(came)).flat();
}

const inAtoms = ({ total, transfers }: ReturnType<World['venue']['received']>): Received => ({
  total: BigInt(total),
  transfers: transfers.map(({ amount, ...rest }) => ({ ...rest, amount: BigInt(amount) })),
});

/** What the desk has of what was traded elsewhere, as the wallets and the venue say. */
async function pursesOf({ world, plan }: Scene, { orders }: Books): Promise<ReadonlyMap<AssetId, bigint>> {
  const purses = new Map<AssetId, bigint>();
  const depositsOn = ({ chainId }: Asset) =>
    orders.flatMap(({ from, depositAddress }) => (from.chainId === chainId ? [depositAddress] : []));
  if (trades(plan, 'XMR')) purses.set(XMR.id, await heldInMonero(world));
  for (const asset of world.onVenue)
    purses.set(asset.id, await heldOnVenue(world, asset.symbol, [world.hot.evm, ...depositsOn(asset)]));
  for (const asset of ELSEWHERE.values()) {
    const held = await placeOf(world, asset)?.held(asset, depositsOn(asset));
    if (held !== undefined) purses.set(asset.id, held);
  }
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
