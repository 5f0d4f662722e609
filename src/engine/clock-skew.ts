import { type Clock, type Instant, later } from '../kernel/clock.ts';
import type { Case, CaseRef } from '../life/case/case.ts';

/** Somebody else's clock. */
export interface OtherClock {
  readonly name: string;
  /** The time there now; undefined where nothing new can be said of it. */
  read(): Promise<Instant | undefined>;
  /** Milliseconds by which the desk may be ahead of it, and behind it, before a person is told; undefined: never. */
  readonly mayLead: number | undefined;
  readonly mayLag: number | undefined;
}

export interface SkewReports {
  readonly clock: Clock;
  /** The desk's clock without what a rehearsal adds: others may go by either. */
  unmoved(): Instant;
  readonly caseAfterMs: number;
  raise(about: Case): Promise<void>;
  over(about: CaseRef): Promise<void>;
  /** undefined: it could not be read. */
  show(name: string, seconds: number | undefined): void;
}

/**
 * One round: every clock is read, shown, and becomes a case where it differs for long. One that cannot be read says nothing
 * about time; whoever needs it reports that it is away.
 */
export function watchSkew(others: readonly OtherClock[], reports: SkewReports): () => Promise<false> {
  const watches = others.map((other) => watchOne(other, reports));
  return async () => {
    await Promise.all(watches.map((watch) => watch()));
    return false;
  };
}

function watchOne({ name, read, mayLead, mayLag }: OtherClock, reports: SkewReports): () => Promise<void> {
  const { clock, caseAfterMs, raise, over, show } = reports;
  let since: Instant | undefined;
  // A process that begins does not know whether the one before it left a case.
  let mayBeOpen = true;

  return async () => {
    const measured = await measure(read, reports).catch(() => undefined);
    show(name, measured && measured.ms / 1000);
    if (!measured) return;
    const { ms, unsure } = measured;
    const isOff = ms - unsure > (mayLead ?? Infinity) || -ms - unsure > (mayLag ?? Infinity);
    if (!isOff) {
      since = undefined;
      if (mayBeOpen) await over({ case: 'clock_skew', subject: name });
      mayBeOpen = false;
      return;
    }
    since ??= clock.now();
    if (clock.now() < later(since, caseAfterMs)) return;
    mayBeOpen = true;
    await raise({ case: 'clock_skew', against: name, seconds: Math.round(ms / 1000) });
  };
}

/** The answer is of some moment between the question and its arrival. */
async function measure(read: OtherClock['read'], { clock, unmoved }: SkewReports) {
  const asked = clock.now();
  const moved = asked - unmoved();
  const there = await read();
  if (there === undefined) return undefined;
  const unsure = (clock.now() - asked) / 2;
  const ms = asked + unsure - there;
  return { ms: Math.abs(ms) <= Math.abs(ms - moved) ? ms : ms - moved, unsure };
}

/** Blocks are dated by their makers a little early or late, and a chain may stand: only a block that is new tells the time. */
export function blockClock(name: string, newest: () => Promise<Instant | undefined>, judged: boolean): OtherClock {
  let last: Instant | undefined;
  return {
    name,
    async read() {
      const before = last;
      last = await newest();
      return before === undefined || last === undefined || last <= before ? undefined : last;
    },
    mayLead: judged ? BLOCKS_ARRIVE_MS : undefined,
    mayLag: judged ? BLOCKS_LEAD_MS : undefined,
  };
}

/** A block is here this long after its own time, on its way and until we look; one that is older comes of a node that catches up. */
const BLOCKS_ARRIVE_MS = 120_000;
/** No chain whose clock is read takes a block from so far ahead. */
const BLOCKS_LEAD_MS = 30_000;
