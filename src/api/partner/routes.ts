import type { FastifyInstance } from 'fastify';
import type { ApiDeps } from '../deps.ts';
import { partnerContract } from './contract.ts';
import {
  changeIntegration,
  createIntegration,
  createKey,
  listKeys,
  readAudit,
  readIntegration,
  removeMember,
  revokeKey,
  setMember,
} from './integrations.ts';
import { mountPartner, type PartnerEndpoint } from './partner-endpoint.ts';
import { listReportedOrders, readReport } from './reports.ts';
import { PARTNER_SCHEMAS } from './schema.ts';
import { askNonce, readMe, signIn, signOut } from './sign-in.ts';
import { WEBHOOKS_BY_MEMBER } from './webhooks.ts';

export const CONTRACT_PATH = '/partner/openapi.json';

export const PARTNER_ENDPOINTS: readonly PartnerEndpoint[] = [
  askNonce,
  signIn,
  signOut,
  readMe,
  createIntegration,
  readIntegration,
  changeIntegration,
  setMember,
  removeMember,
  createKey,
  listKeys,
  revokeKey,
  readReport,
  listReportedOrders,
  readAudit,
  ...WEBHOOKS_BY_MEMBER,
];

/** What partners do for themselves, and the contract of it. */
export function mountPartnerCalls(app: FastifyInstance, deps: ApiDeps): void {
  for (const one of PARTNER_ENDPOINTS) mountPartner(app, one, deps);
  const contract = partnerContract(PARTNER_ENDPOINTS, PARTNER_SCHEMAS);
  app.get(CONTRACT_PATH, { schema: { hide: true } }, async () => contract);
}
