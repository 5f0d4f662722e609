import { isTaken } from '../../sandbox/nodes/is-taken.ts';
import { VENUE_USDC } from '../../sandbox/venue-tokens.ts';
import { present } from '../../src/kernel/assert.ts';
import type { Address, AssetId, OrderId } from '../../src/kernel/ids.ts';
import { isRefusal } from '../../src/kernel/refusal.ts';
import { refundAsset } from '../../src/life/order/command.ts';
import { IS_FINAL } from '../../src/life/order/state.ts';
import { encode } from '../../src/store/codec.ts';
import type { Asset } from '../../src/world/chains/chain.ts';
import { ELSEWHERE, isOnVenue, nameElsewhere, XMR } from './elsewhere.ts';
import { type Deed, type OrderEvent, SYMBOLS } from './events.ts';
import { addressOf, evmPlace } from './evm-place.ts';
import type { Front, Wish } from './front.ts';
import { DEEPEST } from './plan-faults.ts';
import { millionths } from './prices.ts';
import type { Scheduler } from './scheduler.ts';
import { placeOf, type World } from './world.ts';

/** What one customer did and gave, as he knows it. */
export interface Dealing {
  readonly event: OrderEvent;
  readonly name: string;
  id: OrderId | undefined;
  depositAddress: string | undefined;
  readonly payTo: Address;
  readonly refundTo: Address;
  /** By symbol. */
  readonly refundElsewhere: ReadonlyMap<string, Address>;
  /** Where whoever sent the customer is paid his part. */
  readonly earnsAt: Address | undefined;
  /** Given when the first was refused. */
  otherPayTo: Address | undefined;
  refused: string | undefined;
  isDone: boolean;
  /** Hashes of deposits, with what each is meant to bring. */
  readonly paid: { readonly txHash: string; readonly asset: AssetId; readonly atoms: bigint }[];
}

/** Where he wants it back, if he says so. */
function refundPlace({ refundTo, refundElsewhere }: Dealing, asset: AssetId): Address | undefined {
  const other = nameElsewhere(asset);
  return other === undefined ? refundTo : refundElsewhere.get(other);
}

/** The most that a token can say, so often that no ledger holds the sum, each in a block before which it says nothing. */
const MOST = 2n ** 256n - 1n;
const LIES = 11;
/** What the venue takes of whoever pays somebody first, and more. */
const OPENING = 10n * 10n ** 8n;
const LIE_MS = 10_000;
const LOOK_MS = 20_000;
const LOOKS = 40;
/** Whoever paid more than once waits for what becomes of it, though his order is over. */
const LOOKS_AT_LEAST = 3;
/** Whoever has seen the same so often comes back no more. */
const PATIENCE = 7;
const TRIES = 6;

export function assetNamed({ arbitrum }: World, symbol: string) {
  return present(
    ELSEWHERE.get(symbol) ?? arbitrum.network.facts.assets.find((asset) => asset.symbol === symbol),
    symbol,
  );
}

/** Where this coin can be paid, for the first time. */
export async function freshIn(world: World, symbol: string, name: string): Promise<Address> {
  if (symbol === 'XMR') return world.monero.freshDestination();
  const place = placeOf(world, assetNamed(world, symbol));
  return place ? place.freshDestination() : addressOf(name);
}

/** One customer's visit, from placing the order until nobody asks him for anything. */
export async function visit(
  world: World,
  front: () => Promise<Front>,
  scheduler: Scheduler,
  dealing: Dealing,
): Promise<void> {
  const { event, name } = dealing;
  const [give, want] = SYMBOLS[event.trip].map((symbol) => assetNamed(world, symbol));
  if (!give || !want) return;
  const price = present(millionths(give.symbol), give.symbol);
  const atoms = (BigInt(event.usd) * 1_000_000n * 10n ** BigInt(give.decimals)) / price;
  const refundTo = event.namesRefund ? refundPlace(dealing, give.id) : undefined;
  const refund = refundTo ? { refundTo } : {};
  const bridge = bridgeOf(give, want);
  const wish = { bridge, from: give.id, to: want.id, atoms, payTo: dealing.payTo, earnsAt: dealing.earnsAt, ...refund };
  for (let tries = 0; tries < TRIES && !dealing.id; tries += 1) {
    const placed = await (await front()).place(wish, name).catch((error: Error) => error);
    if (placed instanceof Error) dealing.refused = placed.message;
    else if (isRefusal(placed)) dealing.refused = `${placed.refusal}: ${placed.message}`;
    else {
      dealing.id = placed.id;
      dealing.depositAddress = placed.depositAddress;
    }
    if (!dealing.id) await scheduler.sleep(LOOK_MS);
  }
  if (!dealing.id) return;
  scheduler.note(`${name} placed`);
  const paidAt = placeOf(world, want);
  const refuse = paidAt?.refuse ?? (async (address: string) => void world.arbitrum.refusing.add(address.toLowerCase()));
  if (event.payee === 'refusing') await scheduler.outside('a payee refuses', () => refuse(dealing.payTo));
  if (event.payee === 'turning') world.arbitrum.turning.add(dealing.payTo.toLowerCase());
  let waited = 0;
  for (const deed of event.deeds) {
    await scheduler.sleep((deed.after - waited) * 1_000);
    waited = deed.after;
    await act(world, await front(), scheduler, dealing, deed, { give, atoms });
    scheduler.note(`${name} ${deed.deed}`);
  }
  let [last, unchanged] = ['', 0];
  for (let looks = 0; looks < LOOKS && unchanged < PATIENCE; looks += 1) {
    const page = await answered(world, await front(), scheduler, dealing);
    if (page === undefined && looks >= (event.deeds.length > 1 ? LOOKS_AT_LEAST : 0)) return;
    unchanged = page === last ? unchanged + 1 : 0;
    last = page ?? '';
    await scheduler.sleep(LOOK_MS);
  }
}

/** A coin that becomes its own other form is taken over the bridge. */
function bridgeOf(give: Asset, want: Asset): Wish['bridge'] {
  if (isOnVenue(want)) return { asset: give.symbol.toLowerCase(), direction: 'deposit' };
  return isOnVenue(give) ? { asset: want.symbol.toLowerCase(), direction: 'withdraw' } : undefined;
}

async function act(
  world: World,
  front: Front,
  scheduler: Scheduler,
  dealing: Dealing,
  deed: Deed,
  { give, atoms }: { readonly give: ReturnType<typeof assetNamed>; readonly atoms: bigint },
): Promise<void> {
  const { arbitrum, monero, venue } = world;
  const to = present(dealing.depositAddress, 'a deposit address');
  const send = async (asset: ReturnType<typeof assetNamed>, value: bigint): Promise<string> => {
    const from = senderOf(dealing.name);
    if (asset === XMR) return scheduler.outside('a payment of Monero', () => monero.pay({ to, atoms: value }));
    const place = placeOf(world, asset);
    const payment = { token: asset.token, to, atoms: value };
    if (place) return (await scheduler.outside(`a payment of ${place.name}`, () => place.pay(payment))).txHash;
    if (!isOnVenue(asset)) return (await evmPlace(arbitrum, from).pay(payment)).txHash;
    venue.credit(from, asset.token, value);
    venue.credit(from, VENUE_USDC, OPENING);
    return venue.pay({ from, ...payment }).txHash;
  };
  const pay = async (asset: ReturnType<typeof assetNamed>, value: bigint) =>
    void dealing.paid.push({ txHash: await send(asset, value), asset: asset.id, atoms: value });
  if (deed.deed === 'pays') await pay(give, (atoms * BigInt(deed.percent)) / 100n);
  if (deed.deed === 'closes') await front.closeWait(present(dealing.id, 'an order'));
  const last = dealing.paid.at(-1);
  const outdo = placeOf(world, give)?.outdo;
  if (deed.deed === 'outdoes' && outdo && last)
    await scheduler.outside('a payment is outdone', () => isTaken(() => outdo(last.txHash)));
  if (nameElsewhere(give.id)) return;
  if (deed.deed === 'strays') await pay(assetNamed(world, deed.symbol), deed.atoms);
  if (deed.deed === 'fails') {
    const token = give.native ? undefined : (give.token as string as Address);
    const tx = arbitrum.pay(senderOf(dealing.name), to, token, atoms);
    arbitrum.failing.add(tx.hash);
  }
  if (deed.deed === 'lies') {
    const token = addressOf(`${dealing.name} lies`);
    arbitrum.liars.set(token.toLowerCase(), { token, says: MOST });
    for (let lies = 0; lies < LIES; lies += 1)
      scheduler.after(lies * LIE_MS, () => void arbitrum.pay(senderOf(dealing.name), to, token, MOST));
  }
}

/** Blocks that an attacker can undo, and how long he waits until he is paid a second time. */
const MOST_UNDONE = DEEPEST;
const TURN_BACK_MS = 15_000;

/** Revert, then reorganise: the block in which the first payout failed is found anew, where it is not too deep. */
function turnBack({ arbitrum }: World, { event, payTo }: Dealing): void {
  const failed = arbitrum.movements().find(({ tx, ok }) => !ok && tx.payee === payTo);
  const depth = failed ? arbitrum.height - failed.height + 1 : Number.POSITIVE_INFINITY;
  if (event.payee === 'turning' && depth <= MOST_UNDONE) arbitrum.reorganise(depth, () => false);
}

export const senderOf = (name: string): Address => addressOf(`${name} pays from here`);

/** Reads the order as its page does, and gives what is asked for; nothing where nothing more can come. */
async function answered(
  world: World,
  front: Front,
  scheduler: Scheduler,
  dealing: Dealing,
): Promise<string | undefined> {
  const id = present(dealing.id, 'an order');
  const order = await front.read(id);
  if (!order) return undefined;
  if (order.state.phase === 'payout_refused' && !dealing.otherPayTo) {
    dealing.otherPayTo = await freshIn(world, SYMBOLS[dealing.event.trip][1], `${dealing.name} else`);
    await front.givePayoutAddress(id, dealing.otherPayTo);
    scheduler.after(TURN_BACK_MS, () => turnBack(world, dealing));
  } else {
    const asset = refundAsset(order);
    const to = asset && refundPlace(dealing, asset);
    if (to) await front.giveRefundAddress(id, to);
  }
  return IS_FINAL[order.state.phase] ? undefined : encode({ state: order.state, claims: order.claims });
}
