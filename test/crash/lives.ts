import type { Statement } from '../../src/store/db.ts';
import type { Auditor } from './audit.ts';
import { type Direction, ending, type Order, pay, place } from './customer.ts';
import type { Desk } from './desk.ts';
import { type Call, type Fate, type Moment, Mortal } from './mortal.ts';

/** A call that a process makes, or is made on it, while it is about something. */
export interface Point {
  readonly who: 'engine' | 'signer';
  /** What it is for: a phase of the order, a round of the house, or the start. */
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

/** Monero is the first chain of the list, Arbitrum the second. */
const SCANNER = { usdc_to_xmr: 'scan 1', xmr_to_usdc: 'scan 0' } as const;
const BEFORE_CREDIT = new Set(['awaiting_deposit', 'confirming']);

/** Where a call of the engine belongs in an order's life; undefined for what does not concern it. */
function engineStage(direction: Direction, phase: string, { doing, label }: Call): string | undefined {
  // These come now and then, whatever the order is at.
  if (label === 'effect_free' || label === 'breakers') return 'work';
  if (doing === 'work') return BEFORE_CREDIT.has(phase) ? undefined : phase;
  if (doing === SCANNER[direction]) return BEFORE_CREDIT.has(phase) ? `${phase}, scanning` : undefined;
  return doing || undefined;
}

const OPENING = new Set(['get_version', 'generate_from_keys', 'open_wallet', 'get_address']);

function signerStage(phase: string, { doing, at, label }: Call): string | undefined {
  if (at === 'signer') return doing === 'work' ? `${phase}, asked` : undefined;
  if (OPENING.has(label)) return 'start';
  return BEFORE_CREDIT.has(phase) ? undefined : `${phase}, at work`;
}

/** Follows one order through the processes that come and go, and ends them where they are meant to die. */
class Life {
  readonly order: Order;
  readonly left: Map<string, Death>;
  readonly #witness: (point: Point) => void;
  #phase = 'awaiting_deposit';
  #version = 0;

  constructor(order: Order, deaths: readonly Death[], witness: (point: Point) => void) {
    this.order = order;
    this.left = new Map(deaths.map((death) => [nameOf(death.point), death]));
    this.#witness = witness;
  }

  readonly engine: Fate = {
    dies: (call) => this.#meet('engine', engineStage(this.order.direction, this.#phase, call), call),
    saved: (...told) => this.#follow(...told),
  };

  readonly signer: Fate = {
    dies: (call) => this.#meet('signer', signerStage(this.#phase, call), call),
  };

  #meet(who: Point['who'], stage: string | undefined, { at, label, onlyAsks }: Call): Moment | undefined {
    if (stage === undefined) return undefined;
    const point = { who, stage, at, label, onlyAsks };
    this.#witness(point);
    const name = nameOf(point);
    const death = this.left.get(name);
    this.left.delete(name);
    return death?.moment;
  }

  /** Answers may overtake one another: the newest version tells the phase. */
  #follow({ name }: Statement, [body]: readonly unknown[], [row]: readonly unknown[]): void {
    if (name !== 'step_commit' || (row as { result: string }).result !== 'ok') return;
    const { owner, order } = JSON.parse(String(body)) as { owner: string; order?: { phase: string; version: number } };
    if (owner !== this.order.id || !order || order.version < this.#version) return;
    this.#phase = order.phase;
    this.#version = order.version;
  }
}

/**
 * One order from its deposit to its end, under processes that die at each of these points where they come to it, and
 * whose successors go on. Then everything is checked. Gives the deaths that did not come about.
 */
export async function live(
  desk: Desk,
  auditor: Auditor,
  direction: Direction,
  deaths: readonly Death[],
  witness: (point: Point) => void = () => {},
): Promise<readonly Death[]> {
  const order = await place(desk, direction);
  await pay(desk, order);
  const life = new Life(order, deaths, witness);
  const isOfSigner = deaths.length === 0 || deaths.some(({ point }) => point.who === 'signer');
  if (isOfSigner) await desk.restartSigner(life.signer);
  const end = ending(desk, order);
  end.catch(() => undefined);
  for (let isOver = false; !isOver; ) {
    const doors = new Mortal(life.engine);
    const engine = await desk.startEngine(doors);
    await Promise.race([end, doors.death]);
    isOver = !doors.isDead;
    if (engine && isOver) await Promise.race([engine.stop(), doors.death]);
  }
  if (isOfSigner) await desk.restartSigner();
  await auditor.check([{ order, ending: await end }]);
  return [...life.left.values()];
}
