import { Fault } from '../../kernel/fault.ts';
import type { Address } from '../../kernel/ids.ts';
import type { Chain, ChainRules } from '../../world/chains/chain.ts';
import type { Provider } from '../../world/providers/provider.ts';

const ASK_AGAIN_MS = 5_000;

/** A counterparty that is opened until it succeeds. */
interface Opening<T> {
  opened(): T | undefined;
  /** What is asked of it before it is open fails for now, and says why. */
  present(): T;
  /** Resolves when the first try is over; rejects where that failed for good. */
  readonly tried: Promise<void>;
  /** It is asked no more. */
  close(): void;
}

function keepOpening<T>(at: string, open: () => Promise<T>, askAgainMs: number): Opening<T> {
  let opened: T | undefined;
  let trouble = 'it was not heard of yet';
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  const ask = async (): Promise<void> => {
    try {
      opened = await open();
    } catch (error) {
      trouble = (error as Error).message;
      if (!isClosed) timer = setTimeout(() => void ask().catch(() => {}), askAgainMs).unref();
      if (isForGood(error)) throw error;
    }
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
    close: () => {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}

const isForGood = (error: unknown): boolean => !(error instanceof Fault) || error.kind === 'permanent';

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

export interface ChainLater {
  readonly chain: Chain;
  readonly tried: Promise<void>;
}

/** Its pure half is known from the settings; whatever needs the node waits for it, and keeps no other chain waiting. */
export function openChainLater(
  rules: ChainRules,
  hotAddress: Address,
  open: () => Promise<Chain>,
  askAgainMs = ASK_AGAIN_MS,
): ChainLater {
  const { opened, present, tried, close } = keepOpening(`chain:${rules.facts.id}`, open, askAgainMs);
  const chain: Chain = {
    ...rules,
    hotAddress,
    get stranger() {
      return present().stranger;
    },
    depositAddresses: async (first, count) => present().depositAddresses(first, count),
    scan: async (cursor, watched, expecting) => present().scan(cursor, watched, expecting),
    depositDepth: (height, heads, tier) => present().depositDepth(height, heads, tier),
    standing: async (sightings) => present().standing(sightings),
    rewards: async (sightings) => (await present().rewards?.(sightings)) ?? [],
    terms: async (transfer, replacing) => present().terms(transfer, replacing),
    broadcast: async (signed) => present().broadcast(signed),
    status: async (signed) => present().status(signed),
    paidBy: async (transfer, txHash) => present().paidBy(transfer, txHash),
    newestTime: async () => present().newestTime?.(),
    balance: async (account, asset) => present().balance(account, asset),
    close: async () => {
      close();
      await opened()?.close();
    },
  };
  return { chain, tried };
}
