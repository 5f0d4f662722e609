import type { AddressInfo } from 'node:net';
import { packPages } from '../../scripts/build-pages.ts';
import type { ApiDeps } from '../../src/api/deps.ts';
import type { Config } from '../../src/app/config.ts';
import { openPages } from '../../src/app/pages.ts';
import type { Clock } from '../../src/kernel/clock.ts';
import { RULES } from '../../src/life/order/rules.ts';
import type { Scope } from '../../src/life/trip/trip.ts';
import { bench, NO_LIMITS } from '../wire/bench.ts';

/** Each of these scopes was stopped at this moment. */
const breakersOf = (scopes: readonly Scope[], { now }: Clock) => ({
  all: async () => scopes.map((scope) => ({ scope, open: true, reason: 'a word between operators', since: now() })),
});

const API = { host: '127.0.0.1', port: 1 };
let packed: ReturnType<typeof packPages> | undefined;

/** The pages over a desk of fakes, where an order can be put into any state. */
export async function stagedDesk(
  pages: NonNullable<Config['pages']> = {},
  change: Partial<ApiDeps> = {},
  api: Config['api'] = API,
  stopped: readonly Scope[] = [],
) {
  packed ??= packPages();
  const files = await packed;
  const made = await bench(
    { quota: NO_LIMITS, ...(pages.publicUrl ? { publicUrl: pages.publicUrl } : {}), ...change },
    (app, { desk, clock }) =>
      openPages(app, { api, pages }, { desk, clock, rules: RULES, files, breakers: breakersOf(stopped, clock) }),
  );
  const listen = async () => {
    await made.api.listen({ host: '127.0.0.1', port: 0 });
    return `http://127.0.0.1:${(made.api.server.address() as AddressInfo).port}`;
  };
  return { ...made, files, listen };
}
