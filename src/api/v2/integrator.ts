import { present } from '../../kernel/assert.ts';
import type { Caller } from '../caller.ts';
import { endpoint } from '../endpoint.ts';
import { integratorOrders, integratorReport, OrdersQuery, ordersCsv } from '../integrator-report.ts';
import { Report, ReportedOrders } from '../partner/schema.ts';

const integrationOf = ({ partner }: Caller): string => present(partner, 'the key of an integration').integrationId;

export const readIntegrator = endpoint({
  method: 'GET',
  path: '/v2/integrator/me',
  summary: 'Read the integration’s profile, figures, limits and usage',
  input: {},
  output: Report,
  quota: 'requests',
  key: 'server',
  isHidden: true,
  run: ({ caller }, deps) => integratorReport(integrationOf(caller), deps),
});

export const listIntegratorOrders = endpoint({
  method: 'GET',
  path: '/v2/integrator/orders',
  summary: 'List the integration’s orders with their fees',
  input: { query: OrdersQuery },
  output: ReportedOrders,
  quota: 'requests',
  key: 'server',
  isHidden: true,
  csv: ordersCsv,
  run: ({ caller, query }, deps) => integratorOrders(integrationOf(caller), query, deps),
});
