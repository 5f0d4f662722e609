import { readBridgeRequest } from '../../src/api/bridge-request.ts';
import { bound, createBridge, createOrder } from '../../src/api/create-order.ts';
import type { ApiDeps } from '../../src/api/deps.ts';
import type { Config } from '../../src/app/config.ts';
import { guardDesk } from '../../src/app/gates.ts';
import { orderRules } from '../../src/app/order-rules.ts';
import { hashKeysOf, ownBinder } from '../../src/app/process-keys.ts';
import { openQuoting } from '../../src/app/quoting.ts';
import { stockOf } from '../../src/app/stock.ts';
import { bridgeSettingsOf } from '../../src/app/wiring/bridges.ts';
import { hotAddresses, rulesOf } from '../../src/app/wiring/chains.ts';
import { openProviders } from '../../src/app/wiring/providers.ts';
import { openVenueSoon } from '../../src/app/wiring/venue.ts';
import { makeCatalog } from '../../src/catalog/catalog.ts';
import type { Feed } from '../../src/engine/feed.ts';
import { openDesk } from '../../src/engine/open-desk.ts';
import type { OrderCache } from '../../src/engine/order-cache.ts';
import { openSubmit } from '../../src/engine/submit.ts';
import { amount } from '../../src/kernel/amount.ts';
import { present } from '../../src/kernel/assert.ts';
import type { Clock } from '../../src/kernel/clock.ts';
import { type Address, type AssetId, chainOf, type OrderId } from '../../src/kernel/ids.ts';
import { isRefusal, type Refusal } from '../../src/kernel/refusal.ts';
import { refundAsset } from '../../src/life/order/command.ts';
import { payoutTo } from '../../src/life/order/machine/payout.ts';
import type { Bridge, Order } from '../../src/life/order/order.ts';
import { openSigner } from '../../src/signer/client.ts';
import { openExposure } from '../../src/store/exposure.ts';
import { openBreakers } from '../../src/store/gates.ts';
import { openLedger } from '../../src/store/ledger.ts';
import { openOrders } from '../../src/store/orders.ts';
import { openPayments } from '../../src/store/payments.ts';
import { openPayoutPrices } from '../../src/store/payout-prices.ts';
import { openTrades } from '../../src/store/trades.ts';
import type { Doors } from './doors.ts';

export interface Wish {
  /** Else it is a swap. */
  readonly bridge?: Bridge | undefined;
  readonly from: AssetId;
  readonly to: AssetId;
  readonly atoms: bigint;
  readonly payTo: Address;
  readonly refundTo?: Address;
  readonly earnsAt: Address | undefined;
}

const FEE_PERCENT = 1;

/** What customers reach of the desk: the same room that the API asks, without its wire. */
export interface Front {
  place(wish: Wish, client: string): Promise<Order | Refusal>;
  read(id: OrderId): Promise<Order | undefined>;
  giveRefundAddress(id: OrderId, to: Address): Promise<Order | Refusal | undefined>;
  givePayoutAddress(id: OrderId, to: Address): Promise<Order | Refusal>;
  closeWait(id: OrderId): Promise<Order | Refusal>;
}

const nothing: Feed = { watch: () => () => {}, beat: async () => {}, close: async () => {} };

export async function openFront(
  config: Config,
  doors: Doors,
  clock: Clock,
  bytes: (n: number) => Buffer,
): Promise<Front> {
  const { outbound } = doors;
  const keys = await openSigner(outbound).publicKeys();
  const { venue, tried } = openVenueSoon(config, keys, outbound, clock);
  await tried;
  const db = doors.openDb(config.database);
  const { providers } = openProviders(config, outbound, clock);
  const hot = hotAddresses(config, keys);
  const ours = new Set(hot.values());
  const catalog = makeCatalog(rulesOf(config), venue.rules, { isOurs: (address) => ours.has(address) });
  const [orders, breakers, ledger] = [openOrders(db, 'api'), openBreakers(db, clock), openLedger(db, clock)];
  const rules = orderRules(config);
  const quotes = openQuoting(config, {
    ...{ catalog, venue, providers, hot, ledger, breakers, clock },
    payoutPrices: openPayoutPrices(db),
    stock: stockOf(config, ledger, clock),
    exposure: openExposure(db),
  });
  const spaceOf = (asset: AssetId) => present(catalog.chain(chainOf(asset)), `chain of ${asset}`).facts.family;
  const cache = { find: orders.find, forget: () => {} } as unknown as OrderCache;
  const desk = openDesk({
    ...{ orders, cache, rules, clock, spaceOf, feed: nothing },
    fills: openTrades(db).fills,
    submit: openSubmit(orders, openPayments(db), rules, clock),
  });
  const deps = {
    ...{ desk: guardDesk(desk, breakers), quotes, catalog, clock, rules, randomBytes: bytes },
    // Somebody has switched them on.
    bridges: { settings: bridgeSettingsOf(config, catalog), isOn: async () => true },
    ...{ hashKey: hashKeysOf(config).hash, binder: ownBinder(config, 'api') },
  } as unknown as ApiDeps;
  const find = async (id: OrderId) => (await orders.find(id))?.order;
  return {
    async place({ bridge, from, to, atoms, payTo, refundTo, earnsAt }, client) {
      const caller = { clientHash: client, partner: undefined } as unknown as Parameters<typeof createOrder>[1];
      if (bridge) {
        const asked = { bridge, toAddress: payTo, refundAddress: refundTo };
        const read = await readBridgeRequest(asked, deps);
        if (isRefusal(read)) return read;
        const placed = await createBridge({ ...read, generation: 'v2', session: undefined }, caller, deps);
        return isRefusal(placed) ? placed : placed.order;
      }
      const earner = { integrationId: 'int_campaign', percent: FEE_PERCENT, payoutAddress: earnsAt };
      const request = {
        ...{ from: catalog.asset(from), to: catalog.asset(to), mode: 'exact_in' as const, amount: amount(from, atoms) },
        ...{ integrator: earnsAt && earner, twap: undefined },
      } as const;
      const wanted = {
        generation: 'v2',
        request,
        toAddress: payTo,
        refundAddress: refundTo,
        session: undefined,
      } as const;
      const placed = await createOrder(wanted, caller, deps);
      return isRefusal(placed) ? placed : placed.order;
    },
    read: find,
    async giveRefundAddress(id, to) {
      const order = await find(id);
      const asset = order && refundAsset(order);
      if (!asset) return undefined;
      return deps.desk.command(id, { command: 'give_refund_address', to: bound(id, 'refund', asset, to, deps) });
    },
    async givePayoutAddress(id, to) {
      const { asset } = payoutTo(present(await find(id), id));
      return deps.desk.command(id, { command: 'give_payout_address', to: bound(id, 'payout', asset, to, deps) });
    },
    closeWait: (id) => deps.desk.command(id, { command: 'close_wait' }),
  };
}
