import { Fault } from '../../kernel/fault.ts';
import type { Address, ChainId } from '../../kernel/ids.ts';
import type { Chain, ChainRules } from '../../world/chains/chain.ts';
import type { Witness } from '../../world/chains/family.ts';
import type { Provider } from '../../world/providers/provider.ts';
import type { Venue } from '../../world/venues/venue.ts';

const ASK_AGAIN_MS = 5_000;

/** A counterparty that is opened until it succeeds. */
interface Opening<T> {
  opened(): T | undefined;
  /** What is asked of it before it is open fails for now, and says why. */
  present(): T;
  /** Resolves when the first try is over; rejects where that failed for good. */
  readonly tried: Promise<void>;
  /** Runs once it opens, unless it is open already. */
  onOpen(listener: () => void): void;
  /** It is asked no more. */
  close(): void;
}

function keepOpening<T>(at: string, open: () => Promise<T>, askAgainMs: number): Opening<T> {
  let opened: T | undefined;
  let trouble = 'it was not heard of yet';
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  const listeners: (() => void)[] = [];
  const ask = async (): Promise<void> => {
    try {
      opened = await open();
    } catch (error) {
      trouble = (error as Error).message;
      if (!isClosed) timer = setTimeout(() => void ask().catch(() => {}), askAgainMs).unref();
      if (isForGood(error)) throw error;
      return;
    }
    for (const listener of listeners) listener();
  };
  const tried = ask();
  tried.catch(() => {});
  return {
    opened: () => opened,
    present() {
      if (opened) return opened;
      throw new Fault('transient', at, `not open: ${trouble}`);
    },
    tried,
    onOpen(listener) {
      if (!opened) listeners.push(listener);
    },
    close: () => {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}

const isForGood = (error: unknown): boolean => !(error instanceof Fault) || error.kind === 'permanent';

/** Who is well answers well within this; the others are not waited for. */
const FIRST_TRY_MS = 2_000;

/** One that hangs keeps no other waiting. One that is of another network, or otherwise wrong for good, is refused at the start. */
export async function firstTries(all: readonly { readonly tried: Promise<void> }[]): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const enough = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, FIRST_TRY_MS);
  });
  try {
    await Promise.race([Promise.all(all.map(({ tried }) => tried)), enough]);
  } finally {
    clearTimeout(timer);
  }
}

export interface Later {
  readonly provider: Provider;
  close(): void;
}

export function openLater(name: string, open: () => Promise<Provider>, askAgainMs = ASK_AGAIN_MS): Later {
  const { opened, present, close } = keepOpening(`provider:${name}`, open, askAgainMs);
  return {
    provider: {
      name,
      isReady: () => opened() !== undefined,
      supports: (input, output) => opened()?.supports(input, output) ?? false,
      quote: async (swap) => present().quote(swap),
      open: async (swap) => present().open(swap),
      status: async (order) => present().status(order),
      funded: async (order, txHash) => present().funded(order, txHash),
    },
    close,
  };
}

export interface VenueLater {
  readonly venue: Venue;
  readonly tried: Promise<void>;
}

/** What is known of the venue by the settings alone. */
export type VenueKnown = Pick<Venue, 'chainId' | 'rules' | 'account' | 'funding'>;

/** Trading waits for the venue; whatever does not need it goes on. */
export function openVenueLater(known: VenueKnown, open: () => Promise<Venue>, askAgainMs = ASK_AGAIN_MS): VenueLater {
  const { opened, present, tried, close } = keepOpening('venue', open, askAgainMs);
  const venue: Venue = {
    ...known,
    get market() {
      return present().market;
    },
    get withdrawalFee() {
      return present().withdrawalFee;
    },
    get nonceLifeMs() {
      return present().nonceLifeMs;
    },
    tokenWire: (asset) => present().tokenWire(asset),
    priceText: (price, side) => present().priceText(price, side),
    book: async () => present().book(),
    prices: async () => present().prices(),
    post: async (signed) => present().post(signed),
    ticket: async (clientId) => present().ticket(clientId),
    fills: async (since) => present().fills(since),
    balances: async () => present().balances(),
    ledger: async (since, user) => present().ledger(since, user),
    unmovedDeposit: async () => present().unmovedDeposit(),
    close: async () => {
      close();
      await opened()?.close();
    },
  };
  return { venue, tried };
}

export interface ChainLater {
  readonly chain: Chain;
  readonly tried: Promise<void>;
  /** Whoever was refused because it was not open need not wait until he would ask again. */
  onOpen(listener: () => void): void;
}

export interface WitnessLater {
  readonly witness: Witness;
  readonly tried: Promise<void>;
}

/** A second node: until it answers it says nothing, which is no agreement. */
export function openWitnessLater(id: ChainId, open: () => Promise<Witness>, askAgainMs = ASK_AGAIN_MS): WitnessLater {
  const { opened, present, tried, close } = keepOpening(`chain:${id}`, open, askAgainMs);
  const witness: Witness = {
    heads: async () => present().heads?.(),
    standing: async (sightings) => present().standing(sightings),
    status: async (signed) => present().status(signed),
    know: async (first, count) => present().know?.(first, count),
    close: async () => {
      close();
      await opened()?.close();
    },
  };
  return { witness, tried };
}

/** Its pure half is known from the settings; whatever needs the node waits for it, and keeps no other chain waiting. */
export function openChainLater(
  rules: ChainRules,
  hotAddress: Address,
  open: () => Promise<Chain>,
  /** `beside`: another one that is tried and closed with it. */
  { askAgainMs = ASK_AGAIN_MS, beside }: { readonly askAgainMs?: number; readonly beside?: WitnessLater } = {},
): ChainLater {
  const { opened, present, tried, onOpen, close } = keepOpening(`chain:${rules.facts.id}`, open, askAgainMs);
  const chain: Chain = {
    ...rules,
    hotAddress,
    get stranger() {
      return present().stranger;
    },
    depositAddresses: async (first, count) => present().depositAddresses(first, count),
    scan: async (cursor, watched, expecting) => present().scan(cursor, watched, expecting),
    heads: async () => present().heads?.(),
    depositDepth: (height, heads, tier) => present().depositDepth(height, heads, tier),
    standing: async (sightings) => present().standing(sightings),
    rewards: async (sightings) => (await present().rewards?.(sightings)) ?? [],
    terms: async (transfer, replacing, dead) => present().terms(transfer, replacing, dead),
    broadcast: async (signed) => present().broadcast(signed),
    status: async (signed) => present().status(signed),
    paidBy: async (transfer, txHash) => present().paidBy(transfer, txHash),
    newestTime: async () => present().newestTime?.(),
    balance: async (account, asset) => present().balance(account, asset),
    close: async () => {
      close();
      await Promise.all([opened()?.close(), beside?.witness.close()]);
    },
  };
  return { chain, tried: beside ? Promise.all([tried, beside.tried]).then(() => {}) : tried, onOpen };
}
