import { Type } from '@sinclair/typebox';
import { isoTime } from '../kernel/clock.ts';
import type { ActEntry } from '../store/operator-acts.ts';
import { call, exact, Line, type Room } from './operator-call.ts';

const Asked = exact({
  operator: Type.Optional(Line(100)),
  before: Type.Optional(Type.String({ pattern: '^[1-9][0-9]{0,17}$' })),
  limit: Type.Optional(Type.String({ pattern: '^([1-9][0-9]{0,2}|1000)$' })),
});
const USUAL_LIMIT = 100;

/** What became of an act; of one that was begun and never ended nobody knows. */
function resultOf({ status }: ActEntry): 'done' | 'refused' | 'failed' | 'unknown' {
  if (status === undefined) return 'unknown';
  if (status < 400) return 'done';
  return status < 500 ? 'refused' : 'failed';
}

const shown = (entry: ActEntry) => {
  const { id, at, operator, act, details, reason, status, answer } = entry;
  return { id, at: isoTime(at), operator, act, details, reason, result: resultOf(entry), status, answer };
};

/** Who did what, the newest first. */
export function auditCalls(room: Room): void {
  call(room, {
    method: 'GET',
    path: '/operator/audit',
    query: Asked,
    async run({ query: { operator, before, limit } }) {
      const most = limit === undefined ? USUAL_LIMIT : Number.parseInt(limit, 10);
      const entries = await room.acts.list({ operator, before, limit: most });
      return { acts: entries.map(shown), next: entries.length < most ? null : entries.at(-1)?.id };
    },
  });
}
