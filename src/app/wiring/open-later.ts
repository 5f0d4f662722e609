import { Fault } from '../../kernel/fault.ts';
import type { Provider } from '../../world/providers/provider.ts';

const ASK_AGAIN_MS = 5_000;

export interface Later {
  readonly provider: Provider;
  close(): void;
}

/** A provider that is opened until it succeeds. What is asked of it before fails for now, and says why. */
export function openLater(name: string, open: () => Promise<Provider>, askAgainMs = ASK_AGAIN_MS): Later {
  let opened: Provider | undefined;
  let trouble = 'it was not heard of yet';
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  const ask = async (): Promise<void> => {
    try {
      opened = await open();
    } catch (error) {
      trouble = (error as Error).message;
      if (!isClosed) timer = setTimeout(ask, askAgainMs).unref();
    }
  };
  void ask();
  const present = (): Provider => {
    if (opened) return opened;
    throw new Fault('transient', `provider:${name}`, `not open: ${trouble}`);
  };
  return {
    provider: {
      name,
      isReady: () => opened !== undefined,
      supports: (input, output) => opened?.supports(input, output) ?? false,
      quote: async (swap) => present().quote(swap),
      open: async (swap) => present().open(swap),
      status: async (order) => present().status(order),
      funded: async (order, txHash) => present().funded(order, txHash),
    },
    close: () => {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
