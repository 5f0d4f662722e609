import type { ApiDeps } from '../api/deps.ts';
import { openWebhookDelivery } from '../api/webhook-delivery.ts';
import { startHeartbeat } from '../engine/heartbeat.ts';
import { type Leadership, openLeadership } from '../engine/leader.ts';
import { startRounds } from '../engine/rounds.ts';
import type { Running } from '../engine/worker.ts';
import { reportWindow } from '../partners/report.ts';
import type { Db } from '../store/db.ts';
import type { GuardedPost } from '../world/outbound/guarded-post.ts';
import type { AppLog } from './log.ts';
import type { Seat } from './seats.ts';

/** Of all processes that serve the API one sends what partners are told, so that it comes in order. */
const WEBHOOK_SEAT: Seat = 'webhooks';
/** How soon after it happened something is sent, at the latest. */
const LOOK_MS = 200;
/** Addresses whose time has come, figures to be counted; and now and then, sessions and messages to be forgotten. */
const CHORES_MS = 1_000;
const FORGET_MS = 60 * 60_000;

export interface PartnerRoundsParts {
  readonly db: Db;
  readonly deps: ApiDeps;
  readonly post: GuardedPost;
  readonly log: AppLog;
}

export function startPartnerRounds({ db, deps, post, log }: PartnerRoundsParts): Running {
  const { clock, partnerRoom } = deps;
  const { webhooks, book, sessions, reports } = partnerRoom;
  const delivery = openWebhookDelivery({ webhooks, post: post.post, deps });
  let leadership: Promise<Leadership> | undefined;
  /** A connection that is lost takes the seat with it; the next round asks for it again. */
  const leads = async (): Promise<boolean> => {
    leadership ??= openLeadership(db, () => {
      leadership = undefined;
    });
    try {
      return await (await leadership).leads(WEBHOOK_SEAT);
    } catch (error) {
      leadership = undefined;
      throw error;
    }
  };
  const sending = startRounds('webhooks', LOOK_MS, log, async () => ((await leads()) ? delivery.round() : false));
  const beating = startHeartbeat(log, { beat: async () => (await leadership)?.beat() });
  let forgotAt = -FORGET_MS;
  const chores = startRounds('partners', CHORES_MS, log, async () => {
    if (!(await leads())) return false;
    const now = clock.now();
    await book.settle(now);
    await reports.count(...reportWindow(now));
    if (now - forgotAt < FORGET_MS) return false;
    forgotAt = now;
    await Promise.all([sessions.sweep(now), delivery.forget()]);
    return false;
  });
  return {
    stop: async () => {
      await Promise.all([sending.stop(), chores.stop(), beating.stop()]);
      await delivery.idle();
      await (await leadership)?.close();
    },
  };
}
