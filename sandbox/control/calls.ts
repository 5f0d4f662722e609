import { setTimeout as sleep } from 'node:timers/promises';
import { Type } from '@sinclair/typebox';
import type { BoxClock } from '../clock.ts';
import type { BoxChain, Place, Received } from '../place.ts';
import { ROLES, type Supervisor } from '../supervisor.ts';
import type { World } from '../world.ts';
import { clearFaults, setFault } from './fault-targets.ts';
import { MODES } from './faults.ts';
import { bad, type Calls, call } from './server.ts';

export interface Box {
  readonly world: World;
  readonly supervisor: Supervisor;
  readonly clock: BoxClock;
  /** What `GET /sandbox/info` shows beside the time; no secret in it. */
  readonly info: object;
}

const exact = <T extends Parameters<typeof Type.Object>[0]>(properties: T) =>
  Type.Object(properties, { additionalProperties: false });
const whole = (minimum: number, maximum: number) => Type.Integer({ minimum, maximum });
const ChainId = whole(0, Number.MAX_SAFE_INTEGER);
const Atomic = Type.String({ pattern: '^[1-9]\\d{0,77}$' });
const Text = Type.String({ minLength: 1, maxLength: 512 });
const Decimal = Type.Union([
  Type.Number({ exclusiveMinimum: 0, exclusiveMaximum: 1e12 }),
  Type.String({ pattern: '^(?=.*[1-9])\\d{1,12}(\\.\\d{1,12})?$' }),
]);
const SIGNALS = ['SIGKILL', 'SIGTERM', 'SIGINT', 'SIGSTOP', 'SIGCONT'] as const;
const oneOf = <T extends string>(values: readonly T[]) => Type.Union(values.map((value) => Type.Literal(value)));

/** A day's blocks, a day's time, a hundred payments: beyond that a caller has made a mistake. */
const MOST = {
  blocks: 10_000,
  reorg: 100,
  payments: 1_000,
  gapMs: 60_000,
  intervalMs: 3_600_000,
  advanceMs: 366 * 86_400_000,
};

export function controlCalls(box: Box): Calls {
  const { world, supervisor, clock } = box;
  return {
    'GET /sandbox/info': async () => ({ ...box.info, now: new Date(clock.now()).toISOString() }),

    'GET /sandbox/wallets': async () => ({ wallets: await wallets(world) }),

    'POST /sandbox/pay': call(
      exact({
        chainId: ChainId,
        token: Text,
        to: Text,
        amount: Atomic,
        count: Type.Optional(whole(1, MOST.payments)),
        gapMs: Type.Optional(whole(0, MOST.gapMs)),
        from: Type.Optional(Text),
      }),
      async ({ chainId, token, to, amount, count = 1, gapMs = 0, from }) => {
        const place = placeOf(world, chainId);
        const payment = {
          ...{ token: tokenOn(place, token), to: addressOn(place, to), atoms: BigInt(amount) },
          ...(from === undefined ? {} : { from: senderOn(place, from) }),
        };
        const sent = [await place.pay(payment)];
        while (sent.length < count) {
          if (gapMs > 0) await sleep(gapMs);
          sent.push(await place.pay(payment));
        }
        return { ...sent[0], ...(count > 1 ? { txHashes: sent.map(({ txHash }) => txHash) } : {}) };
      },
    ),

    'POST /sandbox/mine': call(
      exact({ chainId: ChainId, blocks: whole(1, MOST.blocks) }),
      async ({ chainId, blocks }) => {
        await chainOf(world, chainId).mine(blocks);
        return {};
      },
    ),

    'POST /sandbox/automine': call(
      exact({ chainId: ChainId, intervalMs: whole(0, MOST.intervalMs) }),
      async ({ chainId, intervalMs }) => {
        await chainOf(world, chainId).setAutomine(intervalMs);
        return {};
      },
    ),

    'POST /sandbox/reorg': call(
      exact({
        chainId: ChainId,
        depth: whole(1, MOST.reorg),
        drop: Type.Optional(Type.Array(Text, { maxItems: 100 })),
      }),
      async ({ chainId, depth, drop = [] }) => {
        await chainOf(world, chainId).reorg(depth, drop);
        return {};
      },
    ),

    'POST /sandbox/clock': call(exact({ advanceMs: whole(0, MOST.advanceMs) }), async ({ advanceMs }) => {
      const now = new Date(clock.advance(advanceMs)).toISOString();
      const unseen = await clock.untilSeenBy(() => livingOf(supervisor));
      return { now, ...(unseen.length > 0 ? { unseen } : {}) };
    }),

    'GET /sandbox/received': call(
      exact({ chainId: Type.String({ pattern: '^\\d{1,16}$' }), token: Text, address: Text }),
      async ({ chainId, token, address }) => {
        const place = placeOf(world, Number(chainId));
        return plain(await place.received(tokenOn(place, token), addressOn(place, address)));
      },
    ),

    'POST /sandbox/fault': call(
      exact({ target: Text, mode: oneOf(MODES), count: Type.Optional(whole(1, 1_000_000)) }),
      async ({ target, mode, count }) => {
        setFault(world, target, mode, count);
        return {};
      },
    ),

    'DELETE /sandbox/faults': async () => {
      clearFaults(world);
      return {};
    },

    'POST /sandbox/book': call(
      exact({ mid: Decimal, depthUsd: Decimal, spreadBps: Type.Number({ minimum: 0, maximum: 5_000 }) }),
      async ({ mid, depthUsd, spreadBps }) => {
        world.venue.simulator.setBook({ mid, depthUsd: Number(depthUsd), spreadBps });
        return {};
      },
    ),

    'POST /sandbox/sanction': call(
      exact({ address: Type.String({ pattern: '^[\\x21-\\x7e]{1,512}$' }) }),
      async ({ address }) => {
        world.screening.sanction(address);
        return {};
      },
    ),

    'POST /sandbox/kill': call(
      exact({ role: oneOf(ROLES), signal: Type.Optional(oneOf(SIGNALS)) }),
      async ({ role, signal = 'SIGKILL' }) => {
        const pid = supervisor.pid(role);
        return { role, pid: pid !== undefined && supervisor.kill(role, signal) ? pid : null };
      },
    ),
  };
}

/** Those between two lives read the time when they begin. */
const livingOf = (supervisor: Supervisor): ReadonlyMap<string, number> =>
  new Map(
    ROLES.flatMap((role) => {
      const pid = supervisor.pid(role);
      return pid === undefined ? [] : [[role, pid] as const];
    }),
  );

async function wallets(world: World): Promise<unknown> {
  const listed = world.places.map(async (place) => {
    const { chainId, name } = place;
    const addresses = await place.wallets();
    const tokens = place.tokens.map(({ token, symbol, decimals }) => ({ token, symbol, decimals }));
    return { chainId, name, address: addresses[0], addresses, senders: sendersOf(place), tokens };
  });
  return Promise.all(listed);
}

function placeOf(world: World, chainId: number): Place {
  const place = world.places.find((each) => each.chainId === chainId);
  if (!place) throw bad(`chainId: there is no chain ${chainId}`);
  return place;
}

function chainOf(world: World, chainId: number): BoxChain {
  const place = placeOf(world, chainId);
  const chain = world.chains.find((each) => each === place);
  if (!chain) throw bad(`chainId: ${place.name} has no blocks to make`);
  return chain;
}

function addressOn(place: Place, text: string): string {
  const address = place.parseAddress(text);
  if (address === undefined) throw bad(`not an address of ${place.name}`);
  return address;
}

const sendersOf = ({ senders, customerAddress }: Place): readonly string[] => senders ?? [customerAddress];

function senderOn(place: Place, text: string): string {
  const sender = place.parseAddress(text);
  if (sender === undefined || !sendersOf(place).includes(sender)) {
    throw bad(`from: ${place.name} has no such sender; GET /sandbox/wallets lists them`);
  }
  return sender;
}

function tokenOn(place: Place, text: string): string {
  const token = place.parseToken(text);
  if (token === undefined) throw bad(`token: ${place.name} has no such token here`);
  return token;
}

/** Atoms travel as text. */
const plain = ({ total, transfers }: Received) => ({
  total: String(total),
  transfers: transfers.map((transfer) => ({ ...transfer, amount: String(transfer.amount) })),
});
