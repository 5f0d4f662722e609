import type { Undone as UndoneMonero } from '../../sandbox/simulators/monero/simulator.ts';
import type { Undone } from './abroad.ts';
import type { NodeTrouble } from './evm-node.ts';

/** Seconds since the world began. */
type Seconds = number;

/** What is given and what is wanted, by its symbol. */
export const SYMBOLS = {
  usdc_wbtc: ['USDC', 'WBTC'],
  wbtc_usdc: ['WBTC', 'USDC'],
  eth_usdc: ['ETH', 'USDC'],
  usdc_eth: ['USDC', 'ETH'],
  usdc_xmr: ['USDC', 'XMR'],
  xmr_usdc: ['XMR', 'USDC'],
  usdc_btc: ['USDC', 'BTC'],
  btc_usdc: ['BTC', 'USDC'],
  usdc_trx: ['USDC', 'TRX'],
  trx_usdc: ['TRX', 'USDC'],
  usdc_tether: ['USDC', 'USDT on Tron'],
  tether_usdc: ['USDT on Tron', 'USDC'],
  usdc_zec: ['USDC', 'ZEC'],
  zec_usdc: ['ZEC', 'USDC'],
  usdc_sol: ['USDC', 'SOL'],
  sol_usdc: ['SOL', 'USDC'],
  eth_coins: ['ETH', 'USDC on Solana'],
  coins_eth: ['USDC on Solana', 'ETH'],
  xmr_xmr1: ['XMR', 'XMR1'],
  xmr1_xmr: ['XMR1', 'XMR'],
  trx_trx1: ['TRX', 'TRX1'],
  trx1_trx: ['TRX1', 'TRX'],
  zec_zec1: ['ZEC', 'ZEC1'],
  zec1_zec: ['ZEC1', 'ZEC'],
} as const satisfies Record<string, readonly [give: string, want: string]>;
export type Trip = keyof typeof SYMBOLS;

/** Whether anybody gives or wants one of them. */
export const trades = ({ events }: Plan, ...symbols: readonly string[]): boolean =>
  events.some((event) => event.what === 'order' && SYMBOLS[event.trip].some((one) => symbols.includes(one)));

/** Chains that are there only where somebody trades what they have. */
export const CHAINS = {
  Bitcoin: ['BTC'],
  Tron: ['TRX', 'USDT on Tron'],
  Zcash: ['ZEC'],
  Solana: ['SOL', 'USDC on Solana'],
} as const satisfies Record<string, readonly string[]>;
export type ChainName = keyof typeof CHAINS;

/** What a customer does, so many seconds after the order was placed. */
export type Deed =
  /** So many hundredths of what was asked. */
  | { readonly after: Seconds; readonly deed: 'pays'; readonly percent: number }
  /** Another listed token than was asked for, or so many atoms of the right one. */
  | { readonly after: Seconds; readonly deed: 'strays'; readonly atoms: bigint; readonly symbol: string }
  /** A token whose balances are a lie. */
  | { readonly after: Seconds; readonly deed: 'lies' }
  /** A payment that fails in its block. */
  | { readonly after: Seconds; readonly deed: 'fails' }
  /** What was paid last takes another way before it is in a block, where it can. */
  | { readonly after: Seconds; readonly deed: 'outdoes' }
  | { readonly after: Seconds; readonly deed: 'closes' };

export interface OrderEvent {
  readonly what: 'order';
  readonly at: Seconds;
  readonly trip: Trip;
  readonly usd: number;
  readonly deeds: readonly Deed[];
  /** `refusing`: never takes money. `turning`: refuses what is first mined, and takes it once it is mined anew. */
  readonly payee: 'plain' | 'refusing' | 'turning' | 'sanctioned';
  readonly namesRefund: boolean;
  /** Who sent the customer takes a part of it. */
  readonly hasEarner?: boolean;
}

export type Event =
  | OrderEvent
  /** An engine dies at the so-manieth call from then on. */
  | {
      readonly what: 'crash';
      readonly at: Seconds;
      readonly calls: number;
      readonly moment: 'dies before' | 'dies after';
    }
  | { readonly what: 'lost'; readonly at: Seconds; readonly calls: number }
  /** The same of payouts that the signer signs. `isListed`: nobody may pay the customers any more when it is asked for again. */
  | { readonly what: 'unheard'; readonly at: Seconds; readonly calls: number; readonly isListed: boolean }
  | {
      readonly what: 'reorg';
      readonly at: Seconds;
      readonly depth: number;
      readonly loses: 'nothing' | 'deposits' | 'ours';
    }
  /** The same of Monero; `spent`: whoever paid spends the same once more, for himself. */
  | { readonly what: 'monero'; readonly at: Seconds; readonly depth: number; readonly loses: UndoneMonero }
  /** The same of chains that not every seed has. */
  | {
      readonly what: 'undone';
      readonly chain: ChainName;
      readonly at: Seconds;
      readonly depth: number;
      readonly loses: Undone;
    }
  /** Its blocks have no room for what we send. */
  | { readonly what: 'crowd'; readonly chain: ChainName; readonly at: Seconds; readonly seconds: Seconds }
  | { readonly what: 'spike'; readonly at: Seconds; readonly times: number; readonly seconds: Seconds }
  | { readonly what: 'stall'; readonly at: Seconds; readonly seconds: Seconds }
  | {
      readonly what: 'node';
      readonly at: Seconds;
      readonly seconds: Seconds;
      readonly how: NodeTrouble;
    }
  | { readonly what: 'provider'; readonly at: Seconds; readonly mode: ProviderMode; readonly which: number }
  | {
      readonly what: 'venue';
      readonly at: Seconds;
      readonly mode: 'down' | 'error_after_effect' | 'reject';
      readonly count: number;
    }
  | { readonly what: 'book'; readonly at: Seconds; readonly depthUsd: number }
  | { readonly what: 'clock'; readonly at: Seconds; readonly by: Seconds }
  /** The house wants another stock than it has, from the first day on. */
  | { readonly what: 'levels'; readonly at: Seconds; readonly wants: Wants }
  | { readonly what: 'engine'; readonly at: Seconds }
  | { readonly what: 'signer'; readonly at: Seconds }
  | { readonly what: 'restore'; readonly at: Seconds; readonly backAt: Seconds };

export type Wants =
  | 'more on the venue'
  | 'less on the venue'
  | 'another token'
  | 'more of the coin'
  | 'less in the hot account';

export type ProviderMode =
  | 'short_delivery'
  | 'false_delivery'
  | 'other_asset'
  | 'no_delivery'
  | 'error_after_effect'
  | 'reject'
  | 'down';

/** All that happens to one desk beside what follows from it. Every event can be left out. */
export interface Plan {
  readonly seed: number;
  readonly events: readonly Event[];
}
