import { assert, Bug } from '../kernel/assert.ts';
import { type Clock, type Instant, later } from '../kernel/clock.ts';
import { AwaitsApproval, Fault } from '../kernel/fault.ts';
import type { AssetId, IntentId } from '../kernel/ids.ts';
import type { Case } from '../life/case/case.ts';
import type { EffectKind } from '../life/order/effect.ts';
import type { Fact } from '../life/order/fact.ts';
import type { Done, Handler, Job } from '../life/order/handling.ts';
import type { Order } from '../life/order/order.ts';
import type { PaymentFact } from '../life/payment/fact.ts';
import type { Cases } from '../store/cases.ts';
import type { DbSession } from '../store/db.ts';
import type { Outbox } from '../store/outbox.ts';
import { openAlarm } from './alarm.ts';
import type { Log } from './log.ts';
import { RECONCILE_MS } from './reconcile.ts';
import type { Submit } from './submit.ts';

export type Handlers = { readonly [K in EffectKind]: Handler<K> };

export interface WorkerParts {
  readonly outbox: Outbox;
  readonly cases: Cases;
  readonly submit: Submit;
  readonly handlers: Handlers;
  readonly clock: Clock;
  readonly log: Log;
  /** Its connection is the worker's life: when it goes, others take over the work, and this one must end. */
  readonly session: DbSession;
  onLost(): void;
  readonly id: number;
  readonly lookAgainMs?: number;
  /** What keeps failing, or waits for stock, for longer than this becomes a case. */
  readonly caseAfterMs: number;
  /** An order that waits for stock is told once more after this: its customer need not wait any longer. */
  readonly stockPatienceMs: number;
}

export interface Running {
  stop(): Promise<void>;
}

interface Working extends WorkerParts {
  /** To be tried again after so long; with what went wrong, if that is why. */
  putBack(job: Job, afterMs: number, trouble?: string, heldBy?: string): Promise<void>;
}

const MOST_AT_ONCE = 64;
/** What is claimed together is read together, and committed together where it ends together; meanwhile others are under way. */
const MOST_CLAIMED = 16;
/** So many hands at most try again what has failed: where that takes long, others have work that is well to do. */
const MOST_TROUBLED = 32;
/** A notification may be lost, and the clock be moved under us: due times are looked at again at least this often. */
const LOOK_AGAIN_MS = 500;
/** What falls due within so long of each other is claimed together. */
const DUE_TOGETHER_MS = 25;
/** Every so manieth look is for what others lost. */
const LOOKS_PER_FREEING = 2;
const SHORT_RETRY_MS = 2_000;

/** Carries out instructions, several at a time, until stopped. Any number of workers may run. */
export async function startWorker(parts: WorkerParts): Promise<Running> {
  const { outbox, clock, log, session, id, lookAgainMs = LOOK_AGAIN_MS } = parts;
  await outbox.join(session, id);
  const running = new Map<string, Promise<void>>();
  /** Of these, those that are tried again. */
  const troubled = new Set<string>();
  let isStopping = false;
  let freedAt = 0;
  const { ring, pause } = openAlarm();
  session.onLost(() => {
    isStopping = true;
    ring();
    parts.onLost();
  });
  await session.listen('wherry_effect', ring);
  const ringAt = ringingAt(clock, ring);
  const working: Working = {
    ...parts,
    async putBack({ key }, afterMs, trouble, heldBy) {
      const now = clock.now();
      const due = later(now, afterMs);
      await outbox.putBack(key, id, due, trouble === undefined ? undefined : { what: trouble, at: now }, heldBy);
      ringAt(due);
    },
  };

  const loop = async () => {
    while (!isStopping) {
      try {
        const now = clock.now();
        if (Math.abs(now - freedAt) >= LOOKS_PER_FREEING * lookAgainMs) {
          freedAt = now;
          await outbox.freeLost(id, [...running.keys()]);
        }
        const most = Math.min(MOST_AT_ONCE - running.size, MOST_CLAIMED);
        const jobs = most > 0 ? await outbox.claim(id, now, most, Math.max(0, MOST_TROUBLED - troubled.size)) : [];
        for (const job of jobs) {
          if (job.troubledSince !== undefined) troubled.add(job.key);
          const work = carryOut(working, job).finally(() => {
            // What comes of it is told as all that is new; beside that, only what waited for its place can be claimed now.
            const makesRoom = running.size >= MOST_AT_ONCE || troubled.size >= MOST_TROUBLED || 'lane' in job.effect;
            troubled.delete(job.key);
            running.delete(job.key);
            if (makesRoom) ring();
          });
          running.set(job.key, work);
        }
        // Fewer than were wanted are all that can be claimed until something ends, falls due or is told.
        if (jobs.length > 0 && jobs.length >= most) continue;
      } catch (error) {
        log.error({ error }, 'worker');
      }
      await pause(lookAgainMs);
    }
  };
  const looping = loop();
  return {
    stop: async () => {
      isStopping = true;
      ring();
      await looping;
      await Promise.allSettled(running.values());
    },
  };
}

/** Rings once for all that falls due together. */
function ringingAt(clock: Clock, ring: () => void): (due: Instant) => void {
  const expected = new Set<number>();
  return (due) => {
    const at = Math.ceil(due / DUE_TOGETHER_MS) * DUE_TOGETHER_MS;
    if (expected.has(at)) return;
    expected.add(at);
    const ringNow = () => {
      expected.delete(at);
      ring();
    };
    setTimeout(ringNow, at - clock.now()).unref();
  };
}

/** Never rejects: what cannot even be put back is found again among the lost. */
async function carryOut(parts: Working, job: Job): Promise<void> {
  const { log } = parts;
  try {
    const order = job.owner === 'treasury' ? undefined : await parts.submit.find(job.owner);
    const isTroubled = await conclude(parts, job, await handle(parts, job, order), order);
    if (job.troubledSince !== undefined && !isTroubled) await troubleIsOver(parts, job);
  } catch (error) {
    log.warn({ job: job.key, effect: job.effect.effect, tries: job.tries, error }, 'instruction failed');
    try {
      await parts.putBack(job, await afterTrouble(parts, job, error), (error as Error).message);
    } catch (trouble) {
      log.error({ job: job.key, error: trouble }, 'instruction could not be put back');
    }
  }
}

async function handle(parts: WorkerParts, job: Job, order: Order | undefined): Promise<Done> {
  const { effect } = job;
  const handler = parts.handlers[effect.effect] as Handler<EffectKind>;
  if (job.owner === 'treasury') return (handler as (job: Job) => Promise<Done>)(job);
  assert(order, `no order ${job.owner}`);
  return handler(job, order);
}

/**
 * The fact and the end of the instruction are one transaction. Where the treasury is short or something is late, it stays to
 * be tried again, and the answer is true.
 */
async function conclude(parts: Working, job: Job, done: Done, read: Order | undefined): Promise<boolean> {
  const { outbox, submit, id } = parts;
  if (done === 'done') await outbox.complete(job.key, id);
  else if ('againInMs' in done) return tryAgain(parts, job, done);
  else {
    const attempt = done.attempt ? { attempt: done.attempt } : {};
    const together = { completes: job.key, ...attempt, ...(read ? { read } : {}) };
    const tell = (fact: Fact) =>
      job.owner === 'treasury'
        ? submit.submitHouse(job.key, houseFact(fact), together)
        : submit.submit(job.owner, job.key, fact, together);
    const first = await tell(done.fact);
    const result = typeof first === 'object' && done.orElse ? await tell(done.orElse) : first;
    if (result === 'ignored') await outbox.complete(job.key, id);
    if (typeof result === 'object') {
      await waitForStock(parts, job, done, result.shortOf);
      return true;
    }
  }
  return false;
}

/** What is late comes by itself as a rule, so it is asked for at the same pace; a person is told where it lasts. */
async function tryAgain(
  parts: Working,
  job: Job,
  { againInMs, trouble, heldBy, isLasting: hasLasted = false }: Extract<Done, { againInMs: number }>,
): Promise<boolean> {
  if (trouble !== undefined && (hasLasted || isLasting(parts, job)))
    await parts.cases.raise(job.owner, troubleOf(job, new Error(trouble)));
  await parts.putBack(job, againInMs, trouble, heldBy);
  return trouble !== undefined;
}

/** Most shortages pass by themselves as transfers arrive; one that lasts is for a person to end. */
async function waitForStock(
  parts: Working,
  job: Job,
  { whenShort }: Pick<Extract<Done, { fact: Fact }>, 'whenShort'>,
  asset: AssetId,
): Promise<void> {
  const { submit, cases } = parts;
  if (whenShort && job.owner !== 'treasury')
    await submit.submit(job.owner, shortKey(parts, job, asset), whenShort(asset));
  if (isLasting(parts, job)) await cases.raise(job.owner, { case: 'inventory_short', asset });
  await parts.putBack(job, SHORT_RETRY_MS, `the treasury is short of ${asset}`);
}

/** Told when it begins and when it lasts too long, each once. */
function shortKey({ clock, stockPatienceMs }: WorkerParts, { key, troubledSince }: Job, asset: AssetId): string {
  const isOverdue = troubledSince !== undefined && clock.now() >= later(troubledSince, stockPatienceMs);
  return `${key}:short:${asset}${isOverdue ? ':overdue' : ''}`;
}

const isLasting = ({ clock, caseAfterMs }: WorkerParts, { troubledSince }: Job): boolean =>
  troubledSince !== undefined && clock.now() >= later(troubledSince, caseAfterMs);

/** Trouble of the world is tried again, ever slower; what is broken or refused for good waits for a person. */
async function afterTrouble(parts: WorkerParts, job: Job, error: unknown): Promise<number> {
  const isKnown = error instanceof Fault && error.kind !== 'permanent';
  if (!isKnown || isLasting(parts, job)) await parts.cases.raise(job.owner, troubleOf(job, error as Error));
  if (error instanceof Bug || (error instanceof Fault && error.kind === 'permanent')) return RECONCILE_MS;
  return Math.min(200 * 2 ** Math.min(job.tries, 8), 10_000);
}

async function troubleIsOver({ cases }: WorkerParts, job: Job): Promise<void> {
  const payment = paymentOf(job);
  await cases.over(
    job.owner,
    { case: 'instruction_failed', subject: job.effect.effect },
    { case: 'inventory_short' },
    ...(payment === undefined ? [] : [{ case: 'approval_awaited', subject: payment } as const]),
  );
}

const paymentOf = ({ effect }: Job): IntentId | undefined => ('payment' in effect ? effect.payment : undefined);

function troubleOf(job: Job, error: Error): Case {
  const payment = paymentOf(job);
  if (error instanceof AwaitsApproval && payment !== undefined)
    return { case: 'approval_awaited', payment, text: error.text };
  return { case: 'instruction_failed', instruction: job.effect.effect, reason: error.message.slice(0, 500) };
}

/** Instructions of the house are about its payments, and so is what comes of them. */
function houseFact(fact: Fact): PaymentFact {
  assert('payment' in fact, `${fact.fact} is no news of a payment`);
  return fact;
}
