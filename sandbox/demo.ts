import { readJson, writeJson } from './files.ts';

/** A partner to try things with; its keys outlive a restart. */
export interface Demo {
  readonly integrationId: string;
  readonly serverKey: string;
  readonly publicKey: string;
}

/** Zero switches a limit off: a load test is welcome here. */
const LIMITS = {
  requestLimitPerMin: 0,
  createLimitPerMin: 0,
  quoteLimitPerMin: 0,
  keyRequestLimitPerMin: 0,
  maxOpenOrders: 0,
};

export interface OperatorAccess {
  readonly url: string;
  readonly token: string;
}

/** Made through the operator API, as any partner is. */
export async function demoIntegration(
  file: string,
  operator: OperatorAccess,
  openFeeAccount: () => string,
): Promise<Demo> {
  const saved = readJson(file) as Demo | undefined;
  if (saved) return saved;
  const feeAddress = openFeeAccount();
  const { integrationId } = await post(operator, '/operator/integrations', {
    name: 'Demo',
    feePercent: 0,
    feeAddress,
    limits: LIMITS,
  });
  const keys = `/operator/integrations/${integrationId}/keys`;
  const demo: Demo = {
    integrationId: String(integrationId),
    serverKey: String((await post(operator, keys, { kind: 'server' })).key),
    publicKey: String((await post(operator, keys, { kind: 'public' })).key),
  };
  writeJson(file, demo);
  return demo;
}

/** A new desk bridges nothing until somebody says so. */
export async function switchBridgesOn(operator: OperatorAccess): Promise<void> {
  const pairs = ['xmr', 'trx', 'zec'].flatMap((asset) => ['deposit', 'withdraw'].map((way) => `${asset}/${way}`));
  await Promise.all(pairs.map((pair) => ask(operator, 'PUT', `/operator/bridges/${pair}`, { enabled: true })));
}

/** Both ways of each are offered once the desk has found on its chains what it starts with. */
export async function areBridgesOpen(apiUrl: string, { serverKey }: Demo): Promise<boolean> {
  const reply = await fetch(`${apiUrl}/v2/bridges/terms`, { headers: { 'x-integrator-key': serverKey } });
  const { assets } = (await reply.json()) as { assets: readonly { deposit: boolean; withdraw: boolean }[] };
  return assets.every(({ deposit, withdraw }) => deposit && withdraw);
}

const post = (operator: OperatorAccess, path: string, body: object) => ask(operator, 'POST', path, body);

async function ask(
  operator: OperatorAccess,
  method: string,
  path: string,
  body: object,
): Promise<Record<string, unknown>> {
  const reply = await fetch(operator.url + path, {
    method,
    headers: { authorization: `Bearer ${operator.token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  const text = await reply.text();
  if (!reply.ok) throw new Error(`${path} answers ${reply.status}: ${text.slice(0, 200)}`);
  return JSON.parse(text) as Record<string, unknown>;
}
