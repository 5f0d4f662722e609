import type { FastifyInstance } from 'fastify';
import type { Registry } from 'prom-client';
import { parseOrderId } from '../kernel/ids.ts';
import { refuse } from '../kernel/refusal.ts';
import { call, exact, Line } from './operator-call.ts';
import type { OperatorReads } from './reads.ts';
import { why } from './why.ts';

export interface ReportCallsDeps {
  readonly reads: OperatorReads;
  readonly metrics: Pick<Registry, 'contentType' | 'metrics'>;
}

const OrderParams = exact({ id: Line(100) });

export function reportCalls(app: FastifyInstance, { reads, metrics }: ReportCallsDeps): void {
  call(app, {
    method: 'GET',
    path: '/operator/orders/:id',
    params: OrderParams,
    async run({ params }) {
      const id = parseOrderId(params.id);
      const report = id && (await reads.order(id));
      if (!report) return refuse('not_found', 'There is no such order.');
      const { order, ...rest } = report;
      const { payments } = order;
      return { orderId: order.id, state: order.state, why: why(report), order, payments, ...rest };
    },
  });

  call(app, {
    method: 'GET',
    path: '/operator/ledger',
    run: async () => ({ assets: await reads.ledger() }),
  });

  app.get('/metrics', async (_request, reply) => reply.type(metrics.contentType).send(await metrics.metrics()));
}
