import { holdOrphaned } from '../engine/hold.ts';
import type { Handlers } from '../engine/worker.ts';
import { type Binder, bindAmount, bindDestination } from '../kernel/binding.ts';
import { type Address, type AssetId, chainOf, type OrderId } from '../kernel/ids.ts';
import { rememberEach } from '../kernel/remember.ts';
import { depositHandlers } from '../life/deposit/handlers.ts';
import { openOrigins } from '../life/deposit/origins.ts';
import { executionHandlers } from '../life/execution/handlers.ts';
import { type ProviderStage, providerHandlers } from '../life/execution/provider-handlers.ts';
import type { Destination } from '../life/order/order.ts';
import { ownTransferCost } from '../life/quote/payout-price.ts';
import { openAdopted } from '../life/recovery/open-adopted.ts';
import { adoptDrift, type DriftBooks } from '../life/transfer/adopt-drift.ts';
import { countCold } from '../life/transfer/count-cold.ts';
import { transferHandlers } from '../life/transfer/handlers.ts';
import { orderCosts } from '../life/transfer/order-costs.ts';
import type { Provider } from '../world/providers/provider.ts';
import { slippageOf } from './config.ts';
import { costsInAssets } from './costs-in-assets.ts';
import type { EngineParts } from './engine-parts.ts';
import { guardHandlers } from './gates.ts';
import { ownBinder } from './process-keys.ts';
import { screenOf } from './wiring/screening.ts';
import { standsOf } from './wiring/venue.ts';

export interface HandlerParts extends EngineParts {
  /** Each behind its breaker. */
  readonly providers: readonly Provider[];
  readonly marketRate: ProviderStage['marketRate'];
}

/** What moving our own money on a chain costs is asked once for all orders of a moment. */
const TRANSFER_COST_MS = 2_000;

/** One for every instruction that an order can give, each behind the breakers. */
export function engineHandlers(parts: HandlerParts): Handlers {
  const { config, chain, venue, providers, signer, books, submit, rules, dollarsOf, marketRate, fellShort, clock } =
    parts;
  const { payments, trades, sightings, breakers } = books;
  const engine = ownBinder(config, 'engine');
  const bind = destinations(engine);
  const inAsset = costsInAssets({ venue, stands: standsOf(config), chain, clock });
  const screen = screenOf(config);
  const transferCost = rememberEach(ownTransferCost, TRANSFER_COST_MS, clock);
  const bindRefund = (order: OrderId, asset: AssetId, address: Address) => bind('refund', order, asset, address);
  const origins = openOrigins({
    ...{ bindRefund, screen, worth: dollarsOf, rules },
    sent: ({ depositAddress }, asset) => {
      const { id, family } = chain(chainOf(asset)).facts;
      return sightings.provenAt(id, family, depositAddress, asset);
    },
  });
  const handlers = {
    ...depositHandlers({
      chain,
      clock,
      costsNow: (order) => orderCosts({ chain, inAsset, transferCost }, order),
      screen,
      proven: ({ from, depositAddress }) =>
        sightings.proven(from.chainId, chain(from.chainId).facts.family, depositAddress, from.id),
      isUntold: ({ from, depositAddress }) => sightings.isUntold(chain(chainOf(from.id)).facts.family, depositAddress),
      bindRefund,
      partsOf: origins.partsOf,
    }),
    ...transferHandlers({
      ...{ chain, signer, screen, books: payments, fill: books.stockFills.find, clock, inAsset },
      boundOf: origins.boundOf,
      bindAmount: (...what) => bindAmount(engine, ...what),
    }),
    ...executionHandlers({ venue, signer, books: trades, rules, clock }),
    ...providerHandlers({
      ...{ chain, providers, books: sightings, bind, worth: dollarsOf, marketRate, rules, fellShort, clock },
      slippage: slippageOf(config),
    }),
  };
  const driftBooks = {
    drift: books.ledger.drift,
    commit: async (work: Parameters<DriftBooks['commit']>[0]) => {
      const done = await submit.commitHouse(work);
      return typeof done === 'object' ? done : undefined;
    },
  };
  const house = {
    open_adopted: openAdopted({
      ...{ attempts: payments.attempts, adopted: payments.adopted },
      open: async (payment) => {
        const done = await submit.openHouse(payment);
        return typeof done === 'object' ? done : undefined;
      },
    }),
    adopt_drift: adoptDrift(driftBooks),
    count_cold: countCold({
      balance: books.ledger.balance,
      commit: async (work) => void (await submit.commitHouse(work)),
    }),
  };
  return holdOrphaned(guardHandlers({ ...handlers, ...house }, breakers, payments));
}

/** The engine says where providers and senders are paid; the signer checks that it was the engine, and how much that comes to. */
const destinations =
  (engine: Binder) =>
  (purpose: 'payout' | 'refund' | 'fund', order: OrderId, asset: AssetId, address: Address): Required<Destination> => ({
    asset,
    address,
    binding: bindDestination(engine, order, purpose, asset, address),
  });
