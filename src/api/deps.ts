import type { FastifyBaseLogger } from 'fastify';
import type { Catalog } from '../catalog/catalog.ts';
import type { Desk } from '../engine/desk.ts';
import type { Binder } from '../kernel/binding.ts';
import type { Clock } from '../kernel/clock.ts';
import type { Secret } from '../kernel/secret.ts';
import type { Bridge, Order } from '../life/order/order.ts';
import type { Rules } from '../life/order/rules.ts';
import type { BridgeSettings } from '../life/quote/bridge-quote.ts';
import type { Quotes } from '../life/quote/quotes.ts';
import type { FeeAddressParsers } from '../partners/fee-address.ts';
import type { KeyAuthentication } from '../partners/key-authentication.ts';
import type { PartnerRecords } from '../partners/partner-records.ts';
import type { Reports } from '../partners/report.ts';
import type { PartnerSessions } from '../partners/session.ts';
import type { ContractSignatures, Place } from '../partners/sign-in.ts';
import type { WebhookBook } from '../partners/webhook-book.ts';
import type { Quota } from '../store/quota.ts';

/** Which coins are bridged, and whether somebody has switched that on: creation and terms ask the same gate. */
export interface BridgeDesk {
  readonly settings: BridgeSettings;
  /** What the book of the bridged coin trades against. */
  readonly money: Order['from'];
  isOn(bridge: Bridge): Promise<boolean>;
}

/** What partners do for themselves. */
export interface PartnerRoom {
  readonly book: PartnerRecords;
  readonly sessions: PartnerSessions;
  readonly reports: Reports;
  readonly webhooks: WebhookBook<Order>;
  readonly feeAddresses: FeeAddressParsers;
  /** Why nothing is sent to an address; undefined where it may be. */
  readonly refusesWebhook: (url: string) => Promise<string | undefined>;
  /** Where an Ethereum node can be asked. */
  readonly contractSignatures: ContractSignatures | undefined;
  /** Where partners sign in. */
  readonly place: Place;
  /** New integrations wait for the operator's word. */
  readonly asksApproval: boolean;
  /** How long an address that is set keeps its place after somebody asked for another. */
  readonly addressDelayMs: number;
}

/** Everything the API stands on. */
export interface ApiDeps {
  readonly desk: Desk;
  readonly quotes: Quotes;
  readonly catalog: Catalog;
  readonly bridges: BridgeDesk;
  readonly partners: KeyAuthentication;
  readonly partnerRoom: PartnerRoom;
  readonly quota: Quota;
  /** Another time than the usual within which a whole request must be in. */
  readonly requestDeadlineMs?: number;
  readonly clock: Clock;
  randomBytes(length: number): Uint8Array;
  /** Hides session ids and client networks at rest, and seals cursors. */
  readonly hashKey: Secret<Uint8Array>;
  /** Those that it replaced: what was made under them still proves, and nothing new is made under them. */
  readonly oldHashKeys?: readonly Secret<Uint8Array>[];
  /** Binds destinations to their orders. */
  readonly binder: Binder;
  readonly rules: Rules;
  readonly log: FastifyBaseLogger;
  /** Called once per answer; `route` is a pattern, never an address with its ids. */
  observe(answer: { readonly route: string; readonly status: number; readonly ms: number }): void;
  /** Proxies whose word about the client's address is believed; none without it. */
  readonly trustedProxies?: readonly string[];
  /** Where the pages are found from outside; addresses of pages are paths without it. */
  readonly publicUrl?: string;
  /** Why this desk cannot do all of its work now, in words; nothing where it can. */
  unready(): Promise<readonly string[]>;
}
