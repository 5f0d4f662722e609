import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import type { EvmWorld } from '../../sandbox/nodes/evm-world.ts';
import type { MoneroWorld } from '../../sandbox/nodes/monero-world.ts';
import type { HyperliquidSimulator } from '../../sandbox/simulators/hyperliquid/server.ts';
import { XMR1 } from '../../sandbox/venue-tokens.ts';
import type { TokenId } from '../../src/kernel/ids.ts';
import { patiently } from '../run/patience.ts';
import { USDC, WISHES } from './customer.ts';
import type { OperatingServer } from './operating-server.ts';

const READY_WITHIN_MS = 60_000;
const PAID_WITHIN_MS = 90_000;
const LOOK_MS = 200;

type Body = Record<string, unknown>;

export interface ShownCase {
  readonly case: string;
  readonly reason: string;
}

export interface Placed {
  readonly orderId: string;
  readonly sessionId: string;
  pay(): Promise<void>;
  /** Completed, and what arrived is what it says. */
  isPaidOnce(): Promise<void>;
}

export interface Surroundings {
  readonly server: OperatingServer;
  readonly arbitrum: EvmWorld;
  readonly monero: MoneroWorld;
  readonly venue: HyperliquidSimulator;
}

export type OperatingDesk = ReturnType<typeof openOperatingDesk>;

/** The desk that the page set up, as its customers and its operator see it from outside. */
export function openOperatingDesk({ server, arbitrum, monero, venue }: Surroundings) {
  /** Says again of every order that was paid whether what arrived is what was to arrive. */
  const completed: (() => Promise<void>)[] = [];
  const api = `http://127.0.0.1:${server.port}`;
  const operatorApi = `http://127.0.0.1:${server.port + 1}`;

  async function readyz(): Promise<{ status: number; text: string }> {
    const reply = await fetch(`${api}/readyz`).catch(() => undefined);
    return reply ? { status: reply.status, text: await reply.text() } : { status: 0, text: '' };
  }
  const untilReady = () => until('the desk', READY_WITHIN_MS, async () => (await readyz()).status === 200);

  const asAda = () => ({ authorization: `Bearer ${readFileSync(server.at('ada.token'), 'utf8').trim()}` });
  async function operator(method: string, path: string, body?: unknown): Promise<unknown> {
    const reply = await fetch(operatorApi + path, {
      method,
      headers: { ...asAda(), ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    assert.ok(reply.ok, `${path}: ${reply.status}`);
    return reply.json();
  }
  const openCases = async (): Promise<readonly ShownCase[]> =>
    ((await operator('GET', '/operator/cases')) as { cases: readonly ShownCase[] }).cases;

  /** Whose clock differs from the desk's by more than half a minute; blocks of play money have no time that counts. */
  async function skewed(): Promise<readonly string[]> {
    const reply = await fetch(`${operatorApi}/metrics`, { headers: asAda() });
    const gauges = (await reply.text()).matchAll(/^wherry_clock_skew_seconds\{.*against="(\w+)".*\} (\S+)$/gm);
    return [...gauges].flatMap(([, against = '', seconds]) => (Math.abs(Number(seconds)) > 30 ? [against] : [])).sort();
  }

  /** The limits of strangers are not what is waited for. */
  let serverKey: Promise<string> | undefined;
  async function withKey(): Promise<{ 'x-integrator-key': string }> {
    serverKey ??= makeKey();
    return { 'x-integrator-key': await serverKey };
  }
  async function makeKey(): Promise<string> {
    const wallet = { name: 'a wallet', feePercent: 0, feeAddress: arbitrum.customerAddress };
    const { integrationId } = (await operator('POST', '/operator/integrations', wallet)) as { integrationId: string };
    const made = await operator('POST', `/operator/integrations/${integrationId}/keys`, { kind: 'server' });
    return (made as { key: string }).key;
  }

  async function post(path: string, body: Body): Promise<{ status: number; body: Body }> {
    const reply = await fetch(api + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(await withKey()) },
      body: JSON.stringify(body),
    });
    return { status: reply.status, body: (await reply.json()) as Body };
  }
  const swap = (toAddress: string) => post('/v2/swaps', { ...WISHES.usdc_to_xmr, toAddress });

  async function placed(): Promise<Placed> {
    const toAddress = await monero.freshDestination();
    const { status, body } = await swap(toAddress);
    assert.equal(status, 201, JSON.stringify(body));
    const { depositAddress, depositAmount } = body as { depositAddress: string; depositAmount: string };
    return follow('swaps', body, {
      pay: () => arbitrum.pay({ token: USDC as TokenId, to: depositAddress, atoms: BigInt(depositAmount) }),
      arrived: async () => String((await monero.received(toAddress)).total),
    });
  }

  /** From Monero to the venue: no other chain has a part in it. */
  async function bridged(): Promise<Placed> {
    const toAddress = `0x${randomBytes(20).toString('hex')}`;
    const { status, body } = await post('/v2/bridges', { asset: 'xmr', direction: 'deposit', toAddress });
    assert.equal(status, 201, JSON.stringify(body));
    const to = String(body['depositAddress']);
    return follow('bridges', body, {
      pay: () => monero.pay({ to, atoms: 10n ** 12n }),
      arrived: async () => venue.received(toAddress, XMR1).total,
    });
  }

  function follow(
    product: 'swaps' | 'bridges',
    { orderId, sessionId }: Body,
    { pay, arrived }: { readonly pay: () => Promise<unknown>; readonly arrived: () => Promise<string> },
  ): Placed {
    const read = async (): Promise<Body> => {
      const headers = { ...(await withKey()), 'x-session-id': String(sessionId) };
      const reply = await fetch(`${api}/v2/${product}/${orderId}`, { headers }).catch(() => undefined);
      return reply?.ok ? ((await reply.json()) as Body) : {};
    };
    return {
      ...{ orderId: String(orderId), sessionId: String(sessionId) },
      pay: async () => void (await pay()),
      async isPaidOnce() {
        let seen: Body = {};
        await until(`order ${orderId}`, PAID_WITHIN_MS, async () => {
          seen = await read();
          return seen['status'] === 'completed';
        });
        const asSaid = async () => assert.equal(await arrived(), seen['actualOutput'], String(orderId));
        await asSaid();
        completed.push(asSaid);
      },
    };
  }

  const until = (what: string, withinMs: number, isTrue: () => Promise<boolean>): Promise<void> =>
    patiently(what, withinMs, async ({ isOver }) => {
      while (!(await isTrue())) {
        assert.ok(!isOver(), `${what} took too long; ${server.told()}; ${(await readyz()).text}`);
        await pause(LOOK_MS);
      }
    });

  return {
    ...{ api, readyz, untilReady, operator, openCases, skewed, swap, placed, bridged, until },
    stillPaidOnce: async () => {
      for (const asSaid of completed) await asSaid();
      return completed.length;
    },
  };
}
