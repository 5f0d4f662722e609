import type { FastifyBaseLogger } from 'fastify';
import type { Catalog } from '../catalog/catalog.ts';
import type { Desk } from '../engine/desk.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Secret } from '../kernel/secret.ts';
import type { Bridge, Order } from '../life/order/order.ts';
import type { Rules } from '../life/order/rules.ts';
import type { BridgeSettings } from '../life/quote/bridge-quote.ts';
import type { Quotes } from '../life/quote/quotes.ts';
import type { KeyAuthentication } from '../partners/key-authentication.ts';
import type { Quota } from '../store/quota.ts';

/** Which coins are bridged, and whether somebody has switched that on: creation and terms ask the same gate. */
export interface BridgeDesk {
  readonly settings: BridgeSettings;
  /** What the book of the bridged coin trades against. */
  readonly money: Order['from'];
  isOn(bridge: Bridge): Promise<boolean>;
}

/** Everything the API stands on. */
export interface ApiDeps {
  readonly desk: Desk;
  readonly quotes: Quotes;
  readonly catalog: Catalog;
  readonly bridges: BridgeDesk;
  readonly partners: KeyAuthentication;
  readonly quota: Quota;
  readonly clock: Clock;
  randomBytes(length: number): Uint8Array;
  /** Hides session ids and client networks at rest, and seals cursors. */
  readonly hashKey: Secret<Uint8Array>;
  /** Binds destinations to their orders. */
  readonly bindingKey: Secret<Uint8Array>;
  readonly rules: Rules;
  readonly log: FastifyBaseLogger;
  /** Called once per answer; `route` is a pattern, never an address with its ids. */
  observe(answer: { readonly route: string; readonly status: number; readonly ms: number }): void;
  /** Proxies whose word about the client's address is believed; none without it. */
  readonly trustedProxies?: readonly string[];
  /** Where the pages are found from outside; addresses of pages are paths without it. */
  readonly publicUrl?: string;
  /** Whether this process can do its work now. */
  ready(): Promise<boolean>;
}
