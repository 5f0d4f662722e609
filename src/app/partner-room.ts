import { lookup } from 'node:dns/promises';
import { isGlobalIp } from '../api/client-network.ts';
import type { PartnerRoom } from '../api/deps.ts';
import type { Clock } from '../kernel/clock.ts';
import type { FeeAddressParsers } from '../partners/fee-address.ts';
import type { PartnerRecords } from '../partners/partner-records.ts';
import type { ContractSignatures } from '../partners/sign-in.ts';
import type { Db } from '../store/db.ts';
import { openPartnerSessions } from '../store/partner-sessions.ts';
import { openReports } from '../store/reports.ts';
import { openWebhookBook } from '../store/webhooks.ts';
import { type GuardedPost, openGuardedPost } from '../world/outbound/guarded-post.ts';
import type { Config } from './config.ts';
import { placeAt } from './pages.ts';

const HOUR_MS = 3_600_000;
const DEFAULT_DELAY_HOURS = 24;

/** Sends to strangers' addresses, and to those alone that are theirs to name. */
export const openWebhookPost = (config: Config, clock: Clock): GuardedPost =>
  openGuardedPost({
    resolve: async (host) => (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address),
    isPublic: isGlobalIp,
    allowedOrigins: config.partners?.localReceiver === undefined ? [] : [config.partners.localReceiver],
    clock,
  });

export interface PartnerRoomParts {
  readonly db: Db;
  readonly book: PartnerRecords;
  readonly feeAddresses: FeeAddressParsers;
  readonly contractSignatures: ContractSignatures | undefined;
  readonly post: GuardedPost;
}

export function openPartnerRoom(config: Config, parts: PartnerRoomParts): PartnerRoom {
  const { db, book, feeAddresses, contractSignatures, post } = parts;
  const { partners } = config;
  return {
    book,
    sessions: openPartnerSessions(db),
    reports: openReports(db),
    webhooks: openWebhookBook(db),
    feeAddresses,
    refusesWebhook: post.refuses,
    contractSignatures,
    place: placeAt(config),
    asksApproval: partners?.approval ?? false,
    addressDelayMs: (partners?.addressDelayHours ?? DEFAULT_DELAY_HOURS) * HOUR_MS,
  };
}
