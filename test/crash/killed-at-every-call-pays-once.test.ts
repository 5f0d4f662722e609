import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import { type Seat, scannerSeat } from '../../src/app/seats.ts';
import { chainId } from '../../src/kernel/ids.ts';
import { Auditor } from './audit.ts';
import { DIRECTIONS, type Direction, isFromMonero, swapOf, usesVenue } from './customer.ts';
import { type Desk, HOUSE_SEATS, openDesk } from './desk.ts';
import { type Death, type Journey, live, nameOf, type Point, record } from './lives.ts';
import type { Moment } from './mortal.ts';
import { openWorld } from './world.ts';

/**
 * CRASH='before / engine / trading' runs, each with an order of its own, the cases whose id has this in it.
 * CRASH=all interrupts questions at all three moments, too.
 */
const WANTED = process.env['CRASH'] ?? '';
const MOMENTS: readonly Moment[] = ['before', 'during', 'after'];
/** One order survives this many deaths: each of them costs a start, but not the way there. */
const DEATHS_PER_ORDER = 16;
/** Rounds of the house do not depend on the direction. */
const HOUSE = /^(start|work|addresses|readings|deposits|prices|treasury|outputs|levels|months|scan \d+)$/;

/** The same bytes are sent again; others are signed, saved and sent in their place. */
const AMONG_CROWDED = [
  'engine / payout sent / chain:42161 eth_sendRawTransaction',
  'engine / payout sent again / signer /transfer',
  'engine / payout sent again / database step_commit',
  'engine / payout signed again / chain:42161 eth_sendRawTransaction',
  'signer / payout sent again, asked / signer /transfer',
];

/** The partner's fee is set apart, signed, saved and sent like any other payment. */
const OF_A_FEE = [
  /^engine \/ fee due \/ database step_commit$/,
  /^engine \/ fee \w+ \/ signer \/transfer$/,
  /^engine \/ fee \w+ \/ database step_commit$/,
  /^engine \/ fee \w+ \/ chain:42161 eth_sendRawTransaction$/,
  /^signer \/ fee \w+, asked \/ signer \/transfer$/,
];

/** What settles a payment runs beside its order: whether a call comes before or after a step may differ between lives. */
const MISSED_PER_CENT = 2;
let met = 0;
const missed: string[] = [];

let desk: Desk;
let auditor: Auditor;
const known = new Set<string>();

before(async () => {
  desk = await openDesk(await openWorld());
  auditor = await Auditor.begin(desk);
});
after(() => desk?.close());

for (const direction of DIRECTIONS) {
  test(`${direction}: whoever is killed at whatever call, the order is paid once`, async (t) => {
    // The first are collected with gas that goes ahead, the others by the hot account.
    if (direction === 'wbtc_to_eth') await desk.world.sweeper.place();
    // One direction is enough to see that a fee is paid once, whoever dies.
    const journey = { direction, bearsFee: direction === 'usdc_to_xmr' };
    const points = await record(desk, auditor, journey);
    const isHouse = (point: Point) => point.who === 'engine' && HOUSE.test(point.stage);
    const isNew = (point: Point) => !known.has(nameOf(point));
    const ofHouse = points.filter((point) => isHouse(point) && isNew(point));
    const own = points.filter((point) => !isHouse(point) && isWorthwhile(direction, point, isNew(point)));
    for (const point of points) known.add(nameOf(point));
    if (journey.bearsFee)
      for (const call of OF_A_FEE)
        assert.ok(
          points.some((point) => call.test(nameOf(point))),
          `${call} is not among ${points.map(nameOf).join('\n')}`,
        );
    t.diagnostic(`${direction}: ${own.length + ofHouse.length} points`);
    await kill(t, journey, ofHouse);

    // From here on another process makes the rounds that are not this order's.
    const seats = await desk.takeSeats([...HOUSE_SEATS, ...idleScanners(direction)]);
    for (const victim of ['engine', 'signer'] as const) {
      const points = own.filter(({ who }) => who === victim);
      await kill(t, journey, points);
    }
    await seats.close();
  });
}

test('on a crowded chain, whoever is killed while a payment is sent again or outbid, it is paid once', async (t) => {
  const journey = { direction: 'xmr_to_usdc', isCrowded: true } as const;
  const seats = await desk.takeSeats([...HOUSE_SEATS, ...idleScanners('xmr_to_usdc')]);
  // On a slow computer a payment of another journey may have been outbid as well, and none of these is left out for that.
  const isWanted = (name: string) => !known.has(name) || AMONG_CROWDED.includes(name);
  const points = (await record(desk, auditor, journey)).filter(
    (point) => isWanted(nameOf(point)) && !HOUSE.test(point.stage),
  );
  const names = new Set(points.map(nameOf));
  for (const name of AMONG_CROWDED) assert.ok(names.has(name), `${name} is not among ${[...names].join('\n')}`);
  t.diagnostic(`crowded: ${points.length} points`);
  for (const victim of ['engine', 'signer'] as const) {
    const its = points.filter(({ who }) => who === victim);
    await kill(t, journey, its);
  }
  await seats.close();
});

test('nearly every call that was seen in two lives was one at which somebody died', (t) => {
  for (const death of missed) t.diagnostic(`did not come again: ${death}`);
  assert.ok(
    missed.length * 100 <= (met + missed.length) * MISSED_PER_CENT,
    `${met} met, missed:\n${missed.join('\n')}`,
  );
});

/** Of trips by a provider, what no trip before did; and of their other half, by the venue, what leaves something behind. */
function isWorthwhile(direction: Direction, { onlyAsks }: Point, isNew: boolean): boolean {
  if (!swapOf(direction)) return true;
  return isNew && !(usesVenue(direction) && onlyAsks);
}

/** What a provider delivers is seen by Arbitrum's scanner, a deposit by its own chain's. */
function idleScanners(direction: Direction): readonly Seat[] {
  const [monero, arbitrum] = [scannerSeat(chainId(0)), scannerSeat(chainId(42161))];
  if (!isFromMonero(direction)) return [monero];
  return swapOf(direction) ? [] : [arbitrum];
}

async function kill(t: TestContext, journey: Journey, points: readonly Point[]): Promise<void> {
  for (const moment of MOMENTS) {
    const deaths = points
      .filter(({ onlyAsks }) => !onlyAsks || moment === 'after' || WANTED !== '')
      .map((point): Death => ({ point, moment }))
      .filter((death) => WANTED === 'all' || idOf(journey, death).includes(WANTED));
    const lives = WANTED === '' || WANTED === 'all' ? spread(deaths) : deaths.map((death) => [death]);
    for (const life of lives) await t.test(sentence(life), () => survive(journey, life));
  }
}

const idOf = ({ direction, isCrowded }: Journey, { point, moment }: Death): string =>
  `${direction}${isCrowded ? ', crowded' : ''} / ${moment} / ${nameOf(point)}`;

/** Deaths of one order lie far from each other, so that each of them is met in ordinary circumstances. */
function spread(deaths: readonly Death[]): readonly (readonly Death[])[] {
  const count = Math.ceil(deaths.length / DEATHS_PER_ORDER);
  return Array.from({ length: count }, (_, nth) => deaths.filter((_, at) => at % count === nth));
}

function sentence([first, ...more]: readonly Death[]): string {
  if (!first) return 'nobody dies';
  const { point, moment } = first;
  const others = more.length > 0 ? ` and at ${more.length} other calls` : '';
  return `the ${point.who} dies ${moment} ${point.label} (${point.stage})${others}, and the order is paid once`;
}

/** What did not come about beside other deaths is tried alone. */
async function survive(journey: Journey, deaths: readonly Death[]): Promise<void> {
  try {
    const { direction, isCrowded = false, bearsFee = false } = journey;
    const unmet = await live(desk, auditor, direction, { deaths, isCrowded, bearsFee });
    met += deaths.length - unmet.length;
    for (const death of unmet)
      if (deaths.length > 1) await survive(journey, [death]);
      else missed.push(idOf(journey, death));
  } catch (error) {
    const cases = deaths.map((death) => `CRASH='${idOf(journey, death)}'`).join('\n');
    const words = `${(error as Error).message}\nOne of these, which can be run alone:\n${cases}`;
    throw new Error(`${words}\n${desk.complaints.slice(-5).join('\n')}`, { cause: error });
  }
}
