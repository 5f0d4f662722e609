import { present } from '../../src/kernel/assert.ts';
import { Fault } from '../../src/kernel/fault.ts';
import type { Address } from '../../src/kernel/ids.ts';
import type { Statement } from '../../src/store/db.ts';
import { audit } from './audit.ts';
import { type Dealing, freshIn, visit } from './customer.ts';
import { databaseOfSeed, START } from './database.ts';
import { Desk } from './desk.ts';
import type { DoorParts, Doors } from './doors.ts';
import { ELSEWHERE } from './elsewhere.ts';
import { type OrderEvent, type Plan, SYMBOLS, trades } from './events.ts';
import { addressOf } from './evm-place.ts';
import { type Front, openFront } from './front.ts';
import { wantsOf } from './levels.ts';
import type { Bug } from './planting.ts';
import { chance } from './random.ts';
import type { Finding } from './scene.ts';
import { Scheduler } from './scheduler.ts';
import { BLOCK_MS, enter } from './seal.ts';
import { Store, Troubles } from './troubles.ts';
import { Witness } from './witness.ts';
import { openWorld, prepareWorlds, type World } from './world.ts';

const MONERO_BLOCK_MS = 30_000;
const LOOK_MS = 20_000;
const CLOSED_MS = 5_000;
/** After the last that anybody does, so long may it take until all is at rest. */
const PATIENCE_MS = 15 * 60_000;
/** Scanners, and depth, need a while before it is known that nothing comes of something. */
const LEAST_REST_MS = 50_000;
/** What the house does for its stock it does now and then, and one step after the other. */
const LEVELLED_REST_MS = 120_000;
const LEVELLING = { treasury: 10_000, levels: 10_000, readings: 30_000 } as const;

export interface Outcome {
  readonly hash: string;
  readonly findings: readonly Finding[];
  readonly steps: number;
  readonly seconds: number;
  readonly dealings: readonly Dealing[];
  readonly complaints: readonly string[];
}

/** Whatever moves by itself; what has a case waits for a person, and some wait for a customer. */
const BUSY: Statement = {
  name: 'campaign_busy',
  text: `SELECT (SELECT count(*) FROM orders WHERE is_busy AND phase NOT IN ('awaiting_deposit', 'below_minimum', 'payout_refused')
        AND NOT doc @> '{"claims": [{"stage": "address_required"}]}' AND NOT doc @> '{"claims": [{"stage": "kept"}]}'
        AND NOT EXISTS (SELECT 1 FROM attention WHERE owner = orders.id AND closed_at IS NULL))
      + (SELECT count(*) FROM venue_move WHERE settled_at IS NULL)
      + (SELECT count(*) FROM stock_fill WHERE state = 'open') + (SELECT count(*) FROM stock_trade WHERE state = 'open')
      + (SELECT count(*) FROM payment WHERE NOT is_settled AND state NOT IN ('refused', 'held')
        AND NOT EXISTS (SELECT 1 FROM attention WHERE owner = payment.owner AND closed_at IS NULL)) AS n`,
};

/** Everything that the plan says, and whatever follows from it, with the books of all the world looked at afterwards. */
export async function play(plan: Plan, bug?: Bug, onLine?: (line: string) => void): Promise<Outcome> {
  enter(undefined);
  const database = await databaseOfSeed(bug?.prepare !== undefined);
  const c = chance(`play ${plan.seed}`);
  const scheduler = new Scheduler(c.child('turns'), START);
  scheduler.onLine = onLine;
  await prepareWorlds();
  enter({ scheduler, chance: c.child('bytes') });
  const store = new Store(database);
  const wants = wantsOf(plan);
  const world = await openWorld(plan, scheduler, c, database.url);
  const witness = new Witness(store, world);
  const desk: Desk = new Desk(
    world,
    scheduler,
    doorParts(scheduler, world, witness, () => ({ desk, troubles })),
    wants ? LEVELLING : {},
    bug,
  );
  const troubles: Troubles = new Troubles(plan, scheduler, world, desk, store);
  try {
    await bug?.prepare?.(store.db);
    await desk.startSigner();
    desk.startEngine();
    const dealings = await visitors(plan, world, desk, troubles, scheduler, c.child('front'));
    witness.dealings = dealings;
    troubles.payees = () =>
      dealings.filter(({ event }) => !ELSEWHERE.has(SYMBOLS[event.trip][1])).map(({ payTo }) => payTo);
    blocks(world, scheduler, troubles, trades(plan, 'XMR'));
    troubles.begin();
    await untilAtRest(store, scheduler, troubles, dealings, wants ? LEVELLED_REST_MS : LEAST_REST_MS);
    const findings = await audit({ world, store, dealings, witness, desk, plan });
    return {
      ...{ hash: scheduler.hash(), findings, steps: scheduler.steps, dealings },
      ...{ seconds: (scheduler.now - START) / 1_000, complaints: desk.complaints },
    };
  } finally {
    await desk.close();
    await Promise.all([store.close(), world.close()]);
    scheduler.drop();
    enter(undefined);
    await database.close();
  }
}

interface Around {
  readonly desk: Desk;
  readonly troubles: Troubles;
}

function doorParts(scheduler: Scheduler, world: World, witness: Witness, around: () => Around): DoorParts {
  return {
    scheduler,
    route: async (call) => {
      await witness.before(call);
      return call.at === 'signer' ? around().desk.signerRoute()(call) : world.route(call);
    },
    atOnce: (call) => world.answer(call),
    mishap: (call) => around().troubles.mishap(call),
    onSaved: (statement, values) => witness.saved(statement, values),
    lost: ({ at, label }) => new Fault('ambiguous', at, `${label}: ECONNRESET`),
  };
}

/** Customers come to one front, which is there again whenever it was lost. */
async function visitors(
  plan: Plan,
  world: World,
  desk: Desk,
  troubles: Troubles,
  scheduler: Scheduler,
  c: ReturnType<typeof chance>,
) {
  let opening: { readonly doors: Doors; readonly front: Promise<Front> } | undefined;
  const front = async (): Promise<Front> => {
    while (troubles.isRestoring) await scheduler.sleep(CLOSED_MS);
    if (!opening || opening.doors.process.isDead) {
      const doors = desk.doorsOf('front');
      const opened = openFront(desk.config, doors, desk.clock, (n) => c.bytes(n));
      opening = { doors, front: Promise.race([opened, doors.death]).then((front) => mortal(front, doors)) };
    }
    return opening.front;
  };
  const dealings: Dealing[] = [];
  for (const [at, event] of plan.events.entries()) {
    if (event.what !== 'order') continue;
    const name = `customer ${event.at}.${at}`;
    const [give, want] = SYMBOLS[event.trip];
    const fresh = (symbol: string, what: string) => freshIn(world, symbol, `${plan.seed} ${name} is ${what} here`);
    const payTo = event.payee === 'sanctioned' ? addressOf('sanctioned') : await fresh(want, 'paid');
    const refundElsewhere = new Map<string, Address>();
    for (const symbol of [give, want])
      if (isNamed(event, symbol)) refundElsewhere.set(symbol, await fresh(symbol, 'refunded'));
    const dealing: Dealing = {
      ...{
        event,
        name,
        payTo,
        refundTo: addressOf(`${plan.seed} ${name} is refunded here`),
        refundElsewhere,
        paid: [],
      },
      earnsAt: event.hasEarner ? await earnerIn(world, give, `${plan.seed} ${name} earns here`) : undefined,
      ...{ id: undefined, depositAddress: undefined, otherPayTo: undefined, refused: undefined, isDone: false },
    };
    dealings.push(dealing);
    scheduler.after(event.at * 1_000, () => {
      visit(world, front, scheduler, dealing)
        .catch((error: Error) => {
          dealing.refused = error.message;
        })
        .finally(() => {
          dealing.isDone = true;
        });
    });
  }
  return dealings;
}

/** What is earned of Monero is paid on the venue, and of all else where it came. */
const earnerIn = async (world: World, give: string, name: string): Promise<Address> =>
  give === 'XMR' ? addressOf(name) : freshIn(world, give, name);

/** Whether a customer says where he wants it back, of what is on no EVM chain. Whoever swaps Monero does not. */
const isNamed = ({ trip, namesRefund }: OrderEvent, symbol: string): boolean =>
  trip.includes('xmr') ? namesRefund && trip.includes('xmr1') : ELSEWHERE.has(symbol);

/** Whoever waits for an answer of what is gone hears that it is. */
function mortal(front: Front, { death }: Doors): Front {
  const until = <T>(answer: Promise<T>): Promise<T> => Promise.race([answer, death]);
  return {
    place: (wish, client) => until(front.place(wish, client)),
    read: (id) => until(front.read(id)),
    giveRefundAddress: (id, to) => until(front.giveRefundAddress(id, to)),
    givePayoutAddress: (id, to) => until(front.givePayoutAddress(id, to)),
    closeWait: (id) => until(front.closeWait(id)),
  };
}

function blocks(world: World, scheduler: Scheduler, troubles: Troubles, hasMonero: boolean): void {
  const mine = () => {
    if (!troubles.isStalled) world.arbitrum.mine();
    scheduler.after(BLOCK_MS, mine);
  };
  scheduler.after(BLOCK_MS, mine);
  const every = (ms: number, what: string, find: () => Promise<void>) => {
    const next = () => {
      void scheduler.outside(what, find);
      scheduler.after(ms, next);
    };
    scheduler.after(ms, next);
  };
  const { monero, abroad } = world;
  if (hasMonero) every(MONERO_BLOCK_MS, 'a block of Monero', () => monero.mine(1));
  for (const [name, chain] of abroad) every(chain.blockMs, `a block of ${name}`, () => chain.beat());
}

async function untilAtRest(
  store: Store,
  scheduler: Scheduler,
  troubles: Troubles,
  dealings: readonly Dealing[],
  restMs: number,
): Promise<void> {
  let isOver = false;
  let restingSince: number | undefined;
  let limit = Number.POSITIVE_INFINITY;
  const look = async () => {
    const isDone = troubles.areOver && dealings.every((dealing) => dealing.isDone);
    if (isDone && limit === Number.POSITIVE_INFINITY) limit = scheduler.now + PATIENCE_MS;
    const [row] = isDone ? await store.db.query(BUSY) : [];
    const isResting = row !== undefined && Number(present(row.n, 'a count')) === 0;
    if (!isResting) restingSince = undefined;
    else restingSince ??= scheduler.now;
    isOver = restingSince !== undefined && scheduler.now - restingSince >= restMs;
    scheduler.after(LOOK_MS, () => void scheduler.outside('a look', look));
  };
  scheduler.after(LOOK_MS, () => void scheduler.outside('a look', look));
  await scheduler.run(() => isOver || scheduler.now > limit, START + 6 * 3_600_000);
}
