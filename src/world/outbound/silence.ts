import { type Clock, type Instant, isoTime } from '../../kernel/clock.ts';
import { Fault, NoAnswer } from '../../kernel/fault.ts';
import type { Outbound, OutboundCall } from './http.ts';

/** Whoever has fallen silent is asked this often whether he answers again. */
const TRY_EVERY_MS = 2_000;

/** What is known of one counterparty at one place. */
interface Ear {
  /** Calls that came to an end there, whichever. */
  ended: number;
  /** When the first call began that waited in vain; undefined while calls come to an end. */
  silentSince: Instant | undefined;
  triedAt: Instant;
}

/**
 * The same door, past whoever does not answer. A call that waited in vain, while no other came to an end there, was one too
 * many: until one does again, most fail at once instead of keeping their callers from all other work.
 */
export function pastTheSilent(outbound: Outbound, clock: Clock): Outbound {
  const ears = new Map<string, Ear>();
  const earOf = ({ at, url }: OutboundCall): Ear => {
    const place = [at, ...url.split('/', 3)].join(' ');
    const known = ears.get(place) ?? { ended: 0, silentSince: undefined, triedAt: clock.now() };
    ears.set(place, known);
    return known;
  };
  const refuseSilent = (ear: Ear, { at, label }: OutboundCall): void => {
    if (ear.silentSince === undefined) return;
    const now = clock.now();
    if (Math.abs(now - ear.triedAt) < TRY_EVERY_MS)
      throw new Fault(
        'transient',
        at,
        `${label}: not asked, since it has not answered since ${isoTime(ear.silentSince)}`,
      );
    ear.triedAt = now;
  };
  return async (call) => {
    const ear = earOf(call);
    refuseSilent(ear, call);
    const [began, before] = [clock.now(), ear.ended];
    const end = () => {
      ear.ended += 1;
      ear.silentSince = undefined;
    };
    try {
      const reply = await outbound(call);
      end();
      return reply;
    } catch (error) {
      if (!(error instanceof NoAnswer)) end();
      else if (ear.ended === before && ear.silentSince === undefined)
        Object.assign(ear, { silentSince: began, triedAt: clock.now() });
      throw error;
    }
  };
}
