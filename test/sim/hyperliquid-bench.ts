import { once } from 'node:events';
import { WebSocket } from 'ws';
import { type HyperliquidOptions, startHyperliquid } from '../../sandbox/simulators/hyperliquid/server.ts';
import { type Clock, instant } from '../../src/kernel/clock.ts';
import { type Address, assetId, chainId, type TokenId } from '../../src/kernel/ids.ts';
import { httpOutbound, type Outbound } from '../../src/world/outbound/http.ts';
import { addressOf } from '../../src/world/venues/hyperliquid/codec.ts';
import { openHyperliquid } from '../../src/world/venues/hyperliquid/hyperliquid.ts';

export const KEY = Uint8Array.from({ length: 32 }, (_, index) => index + 1);
export const ACCOUNT = addressOf(KEY);
export const FRIEND = '0x52908400098527886E0F7030069857D2E4169EE7' as Address;
export const USDC_ON_ARBITRUM = '0xaf88d065e77c8cC2239327C5EDb3A432268e5831';
export const BRIDGE = '0x2df1c51e09aecf9cacb7bc98cb1742757f163df7';
const ARBITRUM = chainId(42161);

/** A simulator with a funded account, and our venue opened on it. */
export async function openVenue(options: HyperliquidOptions = {}, outbound: Outbound = httpOutbound) {
  const simulator = await startHyperliquid(options);
  const clock: Clock = { now: () => instant((options.now ?? Date.now)()) };
  simulator.credit(ACCOUNT, 'USDC', 10_000_00000000n);
  simulator.credit(ACCOUNT, 'XMR1', 100_00000000n);
  simulator.credit(FRIEND, 'USDC', 10_00000000n);
  const funding = {
    chainId: ARBITRUM,
    asset: assetId(ARBITRUM, USDC_ON_ARBITRUM as TokenId),
    address: BRIDGE as Address,
  };
  const venue = await openHyperliquid({ url: simulator.url, account: ACCOUNT, funding }, outbound, clock);
  const close = async (): Promise<void> => {
    await venue.close();
    await simulator.close();
  };
  return { simulator, venue, clock, close };
}

/** Reads a venue's streams: `next` waits for the next message of a channel. */
export async function listenTo(wsUrl: string) {
  const socket = new WebSocket(wsUrl);
  const inbox: { readonly channel: string; readonly data: Record<string, unknown> }[] = [];
  const waiting = new Set<() => void>();
  socket.on('message', (text) => {
    inbox.push(JSON.parse(String(text)));
    for (const look of waiting) look();
  });
  await once(socket, 'open');
  const send = (message: object): void => socket.send(JSON.stringify(message));
  return {
    send,
    subscribe: (subscription: object): void => send({ method: 'subscribe', subscription }),
    next: (channel: string): Promise<Record<string, unknown>> =>
      new Promise((resolve) => {
        const look = (): void => {
          const index = inbox.findIndex((message) => message.channel === channel);
          if (index === -1) return;
          waiting.delete(look);
          resolve(inbox.splice(index, 1)[0]?.data ?? {});
        };
        waiting.add(look);
        look();
      }),
    close: async (): Promise<void> => {
      socket.close();
      await once(socket, 'close');
    },
  };
}
