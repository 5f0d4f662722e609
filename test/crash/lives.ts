import type { Seat } from '../../src/app/seats.ts';
import { intentOf, type Payment, type PaymentState } from '../../src/life/payment/payment.ts';
import type { Statement } from '../../src/store/db.ts';
import type { Auditor } from './audit.ts';
import { type Direction, ending, isFromMonero, type Order, pay, place } from './customer.ts';
import type { Desk, Plant } from './desk.ts';
import { type Call, type Fate, type Moment, Mortal, type Named, namedIn, type Saved, TRANSFER } from './mortal.ts';

/** A call that a process makes, or is made on it, while it is about something. */
export interface Point {
  readonly who: 'engine' | 'signer';
  /** What it is for: a phase of the order, how far one of its transfers is, a round of the house, or the start. */
  readonly stage: string;
  readonly at: string;
  readonly label: string;
  readonly onlyAsks: boolean;
}

export interface Death {
  readonly point: Point;
  readonly moment: Moment;
}

export const nameOf = ({ who, stage, at, label }: Point): string => `${who} / ${stage} / ${at} ${label}`;

/** A scanner is named by its chain's number. */
const [MONERO, ARBITRUM] = ['scan 0', 'scan 42161'];
const scannerOf = (direction: Direction) => (isFromMonero(direction) ? MONERO : ARBITRUM);
const HOUSE = 'treasury';
const OF_OTHERS = 'of others';
const BEFORE_CREDIT = new Set(['awaiting_deposit', 'confirming']);

const LOOKS: ReadonlySet<string> = new Set(['breakers', 'solvency'] satisfies readonly Seat[]);

/** Where a call of the engine belongs in an order's life; undefined for what does not concern it. */
function engineStage(order: Order, { phase, transfers }: Progress, call: Call): string | undefined {
  const { direction, id } = order;
  const { label } = call;
  const doing = doingFor(id, call);
  // These only look, at everything at once and by the clock.
  if (LOOKS.has(doing) || doing === OF_OTHERS) return undefined;
  // These come now and then, whatever the order is at.
  if (label === 'effect_free' || label === 'breakers') return 'work';
  if (doing.startsWith(TRANSFER)) return transfers.get(doing.slice(TRANSFER.length));
  const isEarly = BEFORE_CREDIT.has(phase);
  // Of what comes after the customer was paid, setting the partner's fee apart.
  if (doing === 'work' && phase === 'completed') return label === 'step_commit' ? 'fee due' : undefined;
  if (doing === 'work') return isEarly ? undefined : phase;
  if (doing === ARBITRUM && phase.startsWith('swapping')) return 'swapping, scanning';
  if (doing === scannerOf(direction)) return isEarly ? `${phase}, scanning` : undefined;
  if (doing.startsWith('scan')) return isEarly ? doing : undefined;
  return doing || undefined;
}

/** A batch is sent by one of those who are in it, and what a step is about stands in its own words. */
function doingFor(id: string, { doing, about }: Call): string {
  const isAtWork = doing === 'work' || doing.startsWith(TRANSFER);
  const own = about.find(({ owner }) => owner === id);
  if (!own) return isAtWork && about.some(({ owner }) => owner !== HOUSE) ? OF_OTHERS : doing;
  if (!isAtWork) return doing;
  const { fact, payments = [] } = own;
  const payment = payments.find(({ doc }) => doc.id === fact?.payment)?.doc;
  if (payment) return `${TRANSFER}${intentOf(payment, fact?.part ?? 'main')}`;
  return about.length === 1 ? doing : 'work';
}

/** The signer is killed when it is asked something, and when it calls its wallet for what it signs. */
function signerStage({ phase, transfers }: Progress, { doing, at, isSigning }: Call): string | undefined {
  if (BEFORE_CREDIT.has(phase)) return undefined;
  if (at !== 'signer') return isSigning ? `${phase}, signing` : undefined;
  const stage = doing.startsWith(TRANSFER) ? transfers.get(doing.slice(TRANSFER.length)) : undefined;
  return stage !== undefined || doing === 'work' ? `${stage ?? phase}, asked` : undefined;
}

/** Follows one order through the processes that come and go, and ends them where they are meant to die. */
export class Life {
  readonly order: Order;
  readonly left: Map<string, Death>;
  readonly #witness: ((point: Point) => void) | undefined;
  #progress: Progress = { phase: 'awaiting_deposit', version: 0, transfers: new Map() };

  constructor(order: Order, deaths: readonly Death[] = [], witness?: (point: Point) => void) {
    this.order = order;
    this.left = new Map(deaths.map((death) => [nameOf(death.point), death]));
    this.#witness = witness;
  }

  readonly engine: Fate = {
    dies: (call) => this.#meet('engine', engineStage(this.order, this.#progress, call), call),
    saves: (statement, values) => this.#follow(statement, values),
  };

  readonly signer: Fate = {
    dies: (call) => this.#meet('signer', signerStage(this.#progress, call), call),
  };

  #meet(who: Point['who'], stage: string | undefined, { at, label, onlyAsks }: Call): Moment | undefined {
    if (stage === undefined) return undefined;
    const point = { who, stage, at, label, onlyAsks };
    this.#witness?.(point);
    const name = nameOf(point);
    const death = this.left.get(name);
    this.left.delete(name);
    return death?.moment;
  }

  /** Others hear of a commit before its own answer is there, so the phase changes as it leaves, and back if it fails. */
  #follow(statement: Statement, values: readonly unknown[]): (rows: readonly unknown[] | undefined) => void {
    const nothing = () => {};
    const steps = namedIn(statement, values);
    const at = steps.findIndex(({ owner }) => owner === this.order.id);
    const { order, payments = [] } = steps[at] ?? {};
    if (!order || order.version <= this.#progress.version) return nothing;
    const before = this.#progress;
    const now = progressOf(before, order, payments);
    this.#progress = now;
    return (rows) => {
      const isDone = (rows?.[0] as { results: readonly string[] } | undefined)?.results[at] === 'ok';
      if (!isDone && this.#progress === now) this.#progress = before;
    };
  }
}

interface Progress {
  readonly phase: string;
  readonly version: number;
  /** By intent, how far each transfer of the order is. */
  readonly transfers: ReadonlyMap<string, string>;
}

/** The second leg of a route is another matter than the same phase of the first, and so is a version that outbids another. */
function progressOf({ transfers }: Progress, saved: Saved, payments: NonNullable<Named['payments']>): Progress {
  const { phase, version, doc } = saved;
  const now = payments.flatMap(({ doc: payment }): [string, string][] => {
    const { gas, state } = payment;
    const main = stageOf(payment, 'main', state);
    return gas ? [main, stageOf(payment, 'gas', gas.progress)] : [main];
  });
  return {
    phase: doc.state.leg === 1 && phase !== 'refunding' ? `${phase} 2` : phase,
    version,
    transfers: new Map([...transfers, ...now]),
  };
}

function stageOf(payment: Payment, part: 'main' | 'gas', state: PaymentState): [string, string] {
  const intent = intentOf(payment, part);
  const [, name] = intent.split(':');
  const kind = payment.isDelegated ? `delegated ${name}` : name;
  const isRaised = 'raised' in state && state.raised > 0;
  return [intent, `${kind} ${state.state}${isRaised ? ' again' : ''}`];
}

export interface Script {
  /** The partner earns by it. */
  readonly bearsFee?: boolean;
  /** The chain forgets the first bytes of a payout, and takes it only once it is outbid. */
  readonly isCrowded?: boolean;
  readonly deaths?: readonly Death[];
  readonly witness?: (point: Point) => void;
  /** What is wrong with the engine itself. */
  readonly plant?: Plant;
}

/**
 * One order from its deposit to its end, under processes that die at each of these points where they come to it, and
 * whose successors go on. Then everything is checked. Gives the deaths that did not come about.
 */
export async function live(
  desk: Desk,
  auditor: Auditor,
  direction: Direction,
  { deaths = [], witness, plant = {}, isCrowded = false, bearsFee = false }: Script,
): Promise<readonly Death[]> {
  const order = await place(desk, direction, bearsFee);
  await pay(desk, order);
  desk.watchman.isCrowded = isCrowded;
  const life = new Life(order, deaths, witness);
  const isSignerKilled = deaths.some(({ point }) => point.who === 'signer');
  const isOfSigner = witness !== undefined || isSignerKilled;
  if (isOfSigner) await desk.restartSigner(life.signer);
  const end = ending(desk, order);
  end.catch(() => undefined);
  let doors = new Mortal();
  try {
    do {
      doors = new Mortal({ ...life.engine, ...plant });
      const engine = await desk.startEngine(doors, plant);
      await Promise.race([end, doors.death]);
      if (engine && !doors.isDead) await Promise.race([engine.stop(), doors.death]);
    } while (doors.isDead);
  } catch (error) {
    doors.die();
    throw error;
  } finally {
    if (isOfSigner) await desk.restartSigner();
  }
  await auditor.check([{ order, ending: await end, isOutbid: isCrowded }], isSignerKilled);
  return [...life.left.values()];
}

/** An order's way, on chains that are free or on one where payments must be outbid. */
export interface Journey {
  readonly direction: Direction;
  readonly isCrowded?: boolean;
  readonly bearsFee?: boolean;
}

/** The calls that are made in every life of an order without trouble, in the order of their first time. */
export async function record(
  desk: Desk,
  auditor: Auditor,
  { direction, isCrowded = false, bearsFee = false }: Journey,
): Promise<readonly Point[]> {
  const [first, second] = [new Map<string, Point>(), new Map<string, Point>()];
  for (const seen of [first, second]) {
    const note = (point: Point) => void (seen.has(nameOf(point)) || seen.set(nameOf(point), point));
    await live(desk, auditor, direction, { witness: note, isCrowded, bearsFee });
  }
  return [...first.values()].filter((point) => second.has(nameOf(point)));
}
