import { Type } from '@sinclair/typebox';
import type { Registry } from 'prom-client';
import { type Instant, isoTime, later } from '../kernel/clock.ts';
import { type ChainId, parseOrderId } from '../kernel/ids.ts';
import { refuse } from '../kernel/refusal.ts';
import type { Case } from '../life/case/case.ts';
import { IS_FINAL, type Phase } from '../life/order/state.ts';
import type { Cases } from '../store/cases.ts';
import type { OrderLine } from '../store/order-lines.ts';
import { call, exact, Line, type Room } from './operator-call.ts';
import type { OperatorReads, OrderReport } from './reads.ts';
import { unseen, why } from './why.ts';

export interface ReportCallsDeps {
  readonly reads: OperatorReads;
  readonly cases: Cases;
  readonly chainName: (chain: ChainId) => string;
  readonly metrics: Pick<Registry, 'contentType' | 'metrics'>;
}

const PHASES = Object.keys(IS_FINAL) as readonly Phase[];
const MINUTE_MS = 60_000;
/** Longer than any chain takes for a block and any round for a look. */
const STUCK_AFTER_MINUTES = 30;
const USUAL_LIMIT = 50;

const phase = `(${PHASES.join('|')})`;
const Asked = exact({
  /** One phase, or several with commas between them; every order that is not done with, without it. */
  state: Type.Optional(Type.String({ pattern: `^${phase}(,${phase})*$` })),
  olderThanMinutes: Type.Optional(Type.String({ pattern: '^[0-9]{1,7}$' })),
  stuck: Type.Optional(Type.Union([Type.Literal('true'), Type.Literal('false')])),
  limit: Type.Optional(Type.String({ pattern: '^([1-9][0-9]?|1[0-9]{2}|200)$' })),
});

const numberOf = (text: string | undefined) => (text === undefined ? undefined : Number.parseInt(text, 10));

const minutes = (ms: number): number => Math.floor(ms / MINUTE_MS);
const shown = ({ id, phase, product, createdAt, updatedAt, cases }: OrderLine, now: Instant) => ({
  ...{ orderId: id, state: phase, product, cases },
  ...{ createdAt: isoTime(createdAt), ageMinutes: minutes(now - createdAt) },
  ...{ movedAt: isoTime(updatedAt), unmovedMinutes: minutes(now - updatedAt) },
});

const OrderParams = exact({ id: Line(100) });

export function reportCalls(room: Room, { reads, cases, chainName, metrics }: ReportCallsDeps): void {
  const { clock } = room;
  const open = async () => (await cases.list()).map(({ about }) => about);
  const reasons = (report: OrderReport, known: readonly Case[]) => why(report, unseen(report.order, known, chainName));
  const explained = async (line: OrderLine, known: readonly Case[]) => {
    const report = await reads.order(line.id);
    return { ...shown(line, clock.now()), why: report && reasons(report, known) };
  };

  call(room, {
    method: 'GET',
    path: '/operator/orders',
    query: Asked,
    async run({ query: { state, olderThanMinutes, stuck, limit } }) {
      const most = numberOf(limit) ?? USUAL_LIMIT;
      const isStuck = stuck === 'true';
      const ago = (minutes: number) => later(clock.now(), -minutes * MINUTE_MS);
      const lines = await reads.orders({
        phases: state?.split(','),
        unmovedSince: isStuck ? clock.now() : ago(numberOf(olderThanMinutes) ?? 0),
        stuckSince: isStuck ? ago(numberOf(olderThanMinutes) ?? STUCK_AFTER_MINUTES) : undefined,
        limit: most + 1,
      });
      const known = await open();
      const orders = await Promise.all(lines.slice(0, most).map((line) => explained(line, known)));
      return { orders, more: lines.length > most };
    },
  });

  call(room, {
    method: 'GET',
    path: '/operator/orders/:id',
    params: OrderParams,
    async run({ params }) {
      const id = parseOrderId(params.id);
      const report = id && (await reads.order(id));
      if (!report) return refuse('not_found', 'There is no such order.');
      const { order, ...rest } = report;
      const { payments } = order;
      return { orderId: order.id, state: order.state, why: reasons(report, await open()), order, payments, ...rest };
    },
  });

  call(room, {
    method: 'GET',
    path: '/operator/ledger',
    run: async () => ({ assets: await reads.ledger() }),
  });

  room.app.get('/metrics', async (_request, reply) => reply.type(metrics.contentType).send(await metrics.metrics()));
}
