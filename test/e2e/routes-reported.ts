import assert from 'node:assert/strict';
import { eventually } from '../run/patience.ts';
import type { Box } from './box.ts';
import { type PlacedRoute, type RouteEnd, received } from './routes.ts';

/** What only the operator sees of an order. */
export interface Report {
  readonly state: { readonly phase: string };
  readonly history: readonly {
    readonly fact: { readonly fact: string; readonly deal?: { readonly provider: string } };
  }[];
  readonly payments: readonly {
    readonly purpose: { readonly for: string };
    readonly state: { readonly state: string };
    readonly to: string;
  }[];
}

const WITHIN_MS = 90_000;
const LOOK_EVERY_MS = 100;

export async function report(box: Box, { orderId }: PlacedRoute): Promise<Report> {
  const { status, body } = await box.operator('GET', `/operator/orders/${orderId}`);
  assert.equal(status, 200, JSON.stringify(body));
  return body as unknown as Report;
}

/** The operator's side has no events: it is looked at until it is so. */
const untilSeen = <T>(look: () => Promise<T>, isTrue: (seen: T) => boolean): Promise<void> =>
  eventually(
    async () => {
      const seen = await look();
      return isTrue(seen) || `last seen as ${JSON.stringify(seen)}`;
    },
    WITHIN_MS,
    LOOK_EVERY_MS,
  );

export const untilReported = (box: Box, order: PlacedRoute, isTrue: (report: Report) => boolean): Promise<void> =>
  untilSeen(() => report(box, order), isTrue);

export const untilCase = (box: Box, { orderId }: PlacedRoute): Promise<void> =>
  untilSeen(
    async () => (await box.operator('GET', '/operator/cases')).body.cases as { orderId: string }[],
    (cases) => cases.some((one) => one.orderId === orderId),
  );

/** Who was asked to carry out the order, in turn. */
export async function providersOf(box: Box, order: PlacedRoute): Promise<readonly (string | undefined)[]> {
  const { history } = await report(box, order);
  return history.filter(({ fact }) => fact.fact === 'leg_placed').map(({ fact }) => fact.deal?.provider);
}

/** Every payment to a provider, as the chain shows its address. */
export async function fundings(box: Box, order: PlacedRoute, asset: RouteEnd): Promise<readonly string[]> {
  const { payments } = await report(box, order);
  const paid = payments.filter(({ purpose }) => purpose.for === 'provider_deal');
  const shown = await Promise.all(paid.map(({ to }) => received(box, asset, to)));
  return shown.flatMap(({ transfers }) => transfers.map(({ amount }) => amount));
}
