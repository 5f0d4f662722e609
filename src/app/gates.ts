import type { Catalog } from '../catalog/catalog.ts';
import type { Desk } from '../engine/desk.ts';
import type { Handlers } from '../engine/worker.ts';
import { rescale } from '../kernel/amount.ts';
import { present } from '../kernel/assert.ts';
import { Fault } from '../kernel/fault.ts';
import { FEE_FIELDS, type FeeField } from '../kernel/fee-field.ts';
import { inField, together } from '../kernel/field-refusals.ts';
import { type Address, type AssetId, chainOf } from '../kernel/ids.ts';
import { isRefusal, type Refusal, refuse, unavailable } from '../kernel/refusal.ts';
import type { Done } from '../life/order/handling.ts';
import type { Bridge, Destination } from '../life/order/order.ts';
import { chainOfPayment, intentOf, kindOfPart } from '../life/payment/payment.ts';
import type { BridgeSettings } from '../life/quote/bridge-quote.ts';
import { boundByExposure, type Exposure } from '../life/quote/exposure-bound.ts';
import type { Quotes } from '../life/quote/quotes.ts';
import { planRoute, type Stands, usesVenue } from '../life/quote/route.ts';
import { boundByStock, mostOf, type Stock } from '../life/quote/stock-bound.ts';
import type { PaymentBooks } from '../life/transfer/books.ts';
import { named } from '../life/transfer/stage.ts';
import type { Scope } from '../life/trip/trip.ts';
import { bridgeSwitch } from '../operator/switch-calls.ts';
import type { FeeAddressParser, FeeAddressParsers } from '../partners/fee-address.ts';
import type { Breakers, Switches } from '../store/gates.ts';
import type { IsIssued } from '../store/watched.ts';
import type { ChainRules } from '../world/chains/chain.ts';
import type { Provider } from '../world/providers/provider.ts';
import type { Screen } from '../world/screening/screen.ts';
import { HELD_BY, HeldByBreaker, scopesOf } from './signing-gate.ts';

/** What an open breaker holds up is tried again this soon after it closes. */
const HELD_MS = 2_000;

async function firstOpen(breakers: Breakers, scopes: readonly Scope[]): Promise<string | undefined> {
  for (const scope of scopes) {
    const reason = await breakers.isOpen(scope);
    if (reason !== undefined) return `${scope}: ${reason}`;
  }
  return undefined;
}

/**
 * While a breaker is open nothing is signed in its scope: the signer's own gate (`guardSigner`) sees to that, and whatever it
 * holds is tried again later. What would only take a nonce or open a ticket before it is held does not begin.
 */
export function guardHandlers(
  handlers: Handlers,
  breakers: Breakers,
  payments: Pick<PaymentBooks, 'find' | 'hasNonce'>,
): Handlers {
  const held = async (scopes: readonly Scope[], work: () => Promise<Done>): Promise<Done> => {
    const heldBy = await firstOpen(breakers, scopes);
    if (heldBy !== undefined) return { againInMs: HELD_MS, heldBy };
    try {
      return await work();
    } catch (error) {
      if (error instanceof HeldByBreaker) return { againInMs: HELD_MS, heldBy: error.by };
      throw error;
    }
  };
  return {
    ...handlers,
    sign_transfer: async (job, order) => {
      const { payment: id, part, replaces } = job.effect;
      // What is out already is looked for first, for it may be mined by now; only what would outbid it is held.
      if (replaces !== undefined) return held([], () => handlers.sign_transfer(job, order));
      const payment = await named({ books: payments }, id, order);
      const about = { intent: intentOf(payment, part), kind: kindOfPart(payment, part) };
      // A nonce that it has from an earlier try goes back when its signature is held: what is not held may come after it.
      const begins = !(await payments.hasNonce(about.intent));
      const scopes = begins ? scopesOf({ ...about, chainId: chainOfPayment(payment) }) : [];
      return held(scopes, () => handlers.sign_transfer(job, order));
    },
    place_leg: (job, order) => held(['refunds-only'], () => handlers.place_leg(job, order)),
    // Money of a chain that is stopped is not believed in: what came there waits.
    screen_deposit: (job, order) =>
      held([`chain:${chainOf(order.from.id)}`], () => handlers.screen_deposit(job, order)),
    send_transfer: (job, order) => held([], () => handlers.send_transfer(job, order)),
    watch_transfer: (job, order) => held([], () => handlers.watch_transfer(job, order)),
    work_ticket: (job, order) => held(HELD_BY.trade, () => handlers.work_ticket(job, order)),
  };
}

const closed = (): Refusal =>
  unavailable('switched_off', 'This is switched off for the moment. Please try again later.');

/** Stopped are the chains that the money would pass, and the venue where it is traded there. */
export function guardQuotes(quotes: Quotes, breakers: Breakers, stands: Stands): Quotes {
  return {
    ...quotes,
    quote: async (request) => {
      const hops = planRoute(request.from.id, request.to.id, stands) ?? [];
      const chains = new Set(hops.flatMap(({ input, output }) => [chainOf(input), chainOf(output)]));
      const scopes: readonly Scope[] = [
        'quotes',
        'refunds-only',
        ...(usesVenue(hops) ? (['venue'] as const) : []),
        ...[...chains].map((id) => `chain:${id}` as const),
      ];
      return (await firstOpen(breakers, scopes)) === undefined ? quotes.quote(request) : closed();
    },
  };
}

/** Nobody is quoted, and so nobody can order, what could not be served. */
export const boundQuotes = (quotes: Quotes, stock: Stock): Quotes => ({
  ...quotes,
  quote: async (request) => {
    const quote = await quotes.quote(request);
    return isRefusal(quote) ? quote : boundByStock(quote, stock);
  },
});

/** Nobody is quoted what would make the desk wait with more than it may for a price. */
export const boundExposure = (quotes: Quotes, exposure: Exposure): Quotes => ({
  ...quotes,
  quote: async (request) => {
    const quote = await quotes.quote(request);
    return isRefusal(quote) ? quote : boundByExposure(quote, exposure);
  },
});

/** A client waits for its quote; a provider that has not answered by then is left out. */
const OFFER_MS = 4_000;

/**
 * While its breaker is open a provider gets nothing new, and offers come in time or not at all. What it has already is
 * followed to its end.
 */
export function guardProviders(
  providers: readonly Provider[],
  breakers: Breakers,
  offerMs = OFFER_MS,
): readonly Provider[] {
  return providers.map((provider) => {
    const at = `provider:${provider.name}` as const;
    const whileClosed = async <T>(work: () => Promise<T>): Promise<T> => {
      if ((await breakers.isOpen(at)) !== undefined) throw new Fault('transient', at, 'it is switched off');
      return work();
    };
    return {
      ...provider,
      quote: (swap) => whileClosed(() => within(offerMs, at, provider.quote(swap))),
      open: (swap) => whileClosed(() => provider.open(swap)),
    };
  });
}

function within<T>(ms: number, at: string, answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Fault('transient', at, `no answer in ${ms} ms`)), ms);
  });
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}

export function guardDesk(desk: Desk, breakers: Breakers): Desk {
  return {
    ...desk,
    create: async (draft, owner, openings) => {
      const chains = [draft.from, draft.to].map(({ id }) => `chain:${chainOf(id)}` as const);
      const scopes: readonly Scope[] = ['orders', 'refunds-only', ...chains];
      return (await firstOpen(breakers, scopes)) === undefined ? desk.create(draft, owner, openings) : closed();
    },
  };
}

/** A database from the past would give a new order the address of one that it has forgotten. */
export function guardPast(desk: Desk, journal: { held(): Promise<string | undefined> }): Desk {
  return {
    ...desk,
    create: async (draft, owner, openings) =>
      (await journal.held()) === undefined ? desk.create(draft, owner, openings) : closed(),
    command: async (id, command) => ((await journal.held()) === undefined ? desk.command(id, command) : closed()),
  };
}

/** Whatever is taken in while the signer can write nothing down could neither be paid out nor given back. */
export function guardJournal(desk: Desk, journal: { unwritable(): Promise<string | undefined> }): Desk {
  return {
    ...desk,
    create: async (draft, owner, openings) =>
      (await journal.unwritable()) === undefined ? desk.create(draft, owner, openings) : closed(),
  };
}

/** A bridge is open while it is switched on, nothing stops what creating an order of it would meet, and the least can be served. */
export const openBridgeGate =
  (switches: Pick<Switches, 'isOn'>, breakers: Breakers, { assets }: BridgeSettings, stock: Stock) =>
  async ({ asset, direction }: Bridge): Promise<boolean> => {
    const bridged = assets.find(({ name }) => name === asset);
    if (!bridged || !(await switches.isOn(bridgeSwitch(asset, direction)))) return false;
    const chains = [bridged.native, bridged.wrapped].map(({ chainId }) => `chain:${chainId}` as const);
    // One for one is a gift to whoever comes while the venue's coin is worth less, or while nobody sees what comes in there.
    const scopes: readonly Scope[] = ['bridges', 'orders', 'refunds-only', 'venue', ...chains];
    if ((await firstOpen(breakers, scopes)) !== undefined) return false;
    const { native, wrapped, minimum } = bridged;
    const out = direction === 'deposit' ? wrapped : native;
    return (await mostOf(stock, out.id)) >= rescale(minimum.atoms, native.decimals, out.decimals, 'up');
  };

const LISTED = refuse('address_refused', 'This address cannot be used here.');

/** Complete by type: the field of the request that an address came in. */
const FIELDS = { give_refund_address: 'refundAddress', give_payout_address: 'payoutAddress' } as const;

/** Whoever may not be paid is refused when the address is given, before anybody sends money. Not knowing is a fault. */
export function screenDestinations(desk: Desk, screen: Screen): Desk {
  const listed = async (field: string, to: Destination | undefined): Promise<Refusal | undefined> => {
    const isHit = to !== undefined && (await screen(chainOf(to.asset), [to.address])) !== 'clear';
    return isHit ? inField(field, LISTED) : undefined;
  };
  return {
    ...desk,
    create: async (draft, owner, openings) => {
      const [first, ...others] = [
        await listed('toAddress', draft.destination),
        await listed('refundAddress', draft.refundTo),
      ].filter(isRefusal);
      return first ? together([first, ...others]) : desk.create(draft, owner, openings);
    },
    command: async (id, command) =>
      ('to' in command ? await listed(FIELDS[command.command], command.to) : undefined) ?? desk.command(id, command),
  };
}

/** Which of our deposit addresses a customer knows; the hot ones are refused before. */
export type IsDeposit = (asset: AssetId, address: Address) => Promise<boolean>;

/** Under whichever of its spellings the address is given. */
export const depositsOf =
  (catalog: Pick<Catalog, 'chain'>, isIssued: IsIssued): IsDeposit =>
  (asset, address) =>
    isDepositOf(present(catalog.chain(chainOf(asset)), `the chain of ${asset}`), address, isIssued);

type Spelt = Pick<ChainRules, 'facts' | 'spellings'>;

const isDepositOf = ({ facts, spellings }: Spelt, address: Address, isIssued: IsIssued): Promise<boolean> =>
  isIssued(facts.family, [address, ...(spellings?.(address) ?? [])]);

/** What is ours of the addresses that an integrator may name for its fees. */
export interface OwnAddresses {
  readonly hot: ReadonlySet<Address>;
  /** The venue included. */
  readonly chains: readonly Spelt[];
  readonly isIssued: IsIssued;
}

/** A fee that we send to ourselves is nobody's: the venue refuses it, and at a deposit address it would be taken for somebody's deposit. */
export function guardFeeAddresses(
  parsers: FeeAddressParsers,
  { hot, chains, isIssued }: OwnAddresses,
): FeeAddressParsers {
  const guarded = (field: FeeField): FeeAddressParser => {
    const ofFamilies = new Map(
      chains.filter(({ facts }) => facts.feeField === field).map((one) => [one.facts.family, one] as const),
    );
    const isOurs = async (address: Address): Promise<boolean> => {
      if (hot.has(address)) return true;
      for (const one of ofFamilies.values()) if (await isDepositOf(one, address, isIssued)) return true;
      return false;
    };
    return async (text) => {
      const found = await parsers[field](text);
      if (found === undefined || isRefusal(found) || !(await isOurs(found))) return found;
      return refuse('address_refused', `${field} cannot be paid: this address belongs to this desk.`);
    };
  };
  return Object.fromEntries(FEE_FIELDS.map((field) => [field, guarded(field)])) as FeeAddressParsers;
}

/** Money that we send to a deposit address of ours would be taken for somebody's deposit. */
export function guardDestinations(desk: Desk, isDeposit: IsDeposit): Desk {
  const isOurs = async (to: Destination | undefined) => to !== undefined && (await isDeposit(to.asset, to.address));
  const ours = () => refuse('address_refused', 'This address belongs to this desk.');
  return {
    ...desk,
    create: async (draft, owner, openings) =>
      (await isOurs(draft.destination)) || (await isOurs(draft.refundTo))
        ? ours()
        : desk.create(draft, owner, openings),
    command: async (id, command) =>
      'to' in command && (await isOurs(command.to)) ? ours() : desk.command(id, command),
  };
}
