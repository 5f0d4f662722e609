import { isRefusal } from '../../kernel/refusal.ts';
import { integratorOrders, integratorReport, OrdersQuery, ordersCsv } from '../integrator-report.ts';
import { IntegrationParams } from './integrations.ts';
import { asMember, partnerEndpoint } from './partner-endpoint.ts';
import { Report, ReportedOrders } from './schema.ts';

export const readReport = partnerEndpoint({
  method: 'GET',
  path: '/partner/integrations/:id/report',
  name: 'readReport',
  summary: 'Profile, figures, limits and usage',
  input: { params: IntegrationParams },
  output: Report,
  needs: 'member',
  async run(ask, deps) {
    const access = await asMember(ask, 'viewer', deps);
    return isRefusal(access) ? access : integratorReport(ask.params.id, deps);
  },
});

export const listReportedOrders = partnerEndpoint({
  method: 'GET',
  path: '/partner/integrations/:id/orders',
  name: 'listReportedOrders',
  summary: 'Orders with their fees, newest first; text/csv by Accept',
  input: { params: IntegrationParams, query: OrdersQuery },
  output: ReportedOrders,
  needs: 'member',
  csv: ordersCsv,
  async run(ask, deps) {
    const access = await asMember(ask, 'viewer', deps);
    return isRefusal(access) ? access : integratorOrders(ask.params.id, ask.query, deps);
  },
});
