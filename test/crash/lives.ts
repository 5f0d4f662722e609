import type { Statement } from '../../src/store/db.ts';
import type { Auditor } from './audit.ts';
import { type Direction, ending, pay, place } from './customer.ts';
import type { Desk } from './desk.ts';
import { type Call, type Moment, Mortal } from './mortal.ts';

/** A call that the engine makes while it does something. */
export interface Point {
  /** What it is for: a phase of the order, a round of the house, or the start. */
  readonly stage: string;
  readonly at: string;
  readonly label: string;
}

export interface Death {
  readonly point: Point;
  readonly moment: Moment;
}

export const nameOf = ({ stage, at, label }: Point): string => `${stage} / ${at} ${label}`;

/** Monero is the first chain of the list, Arbitrum the second. */
const SCANNER = { usdc_to_xmr: 'scan 1', xmr_to_usdc: 'scan 0' } as const;
const BEFORE_CREDIT = new Set(['awaiting_deposit', 'confirming']);

/** Where a call belongs in an order's life; undefined for what does not concern it. */
function stageOf(direction: Direction, phase: string, { doing, label }: Call): string | undefined {
  if (doing === 'work') return label === 'effect_free' ? 'work' : BEFORE_CREDIT.has(phase) ? undefined : phase;
  if (doing === SCANNER[direction]) return BEFORE_CREDIT.has(phase) ? `${phase}, scanning` : undefined;
  return doing === '' ? undefined : doing;
}

/**
 * One order from its deposit to its end, under an engine that dies at each of these points where it comes to it, and
 * whose successor goes on. Gives the deaths that did not come about.
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
  const left = new Map(deaths.map((death) => [nameOf(death.point), death]));
  let phase = 'awaiting_deposit';
  const dies = (call: Call): Moment | undefined => {
    const stage = stageOf(direction, phase, call);
    if (stage === undefined) return undefined;
    const point = { stage, at: call.at, label: call.label };
    witness(point);
    const death = left.get(nameOf(point));
    left.delete(nameOf(point));
    return death?.moment;
  };
  const saved = ({ name }: Statement, [body]: readonly unknown[], [row]: readonly unknown[]) => {
    if (name !== 'step_commit' || (row as { result: string }).result !== 'ok') return;
    const step = JSON.parse(String(body)) as { owner: string; order?: { phase: string } };
    if (step.owner === order.id) phase = step.order?.phase ?? phase;
  };
  const end = ending(desk, order);
  end.catch(() => undefined);
  for (let isOver = false; !isOver; ) {
    const doors = new Mortal({ dies, saved });
    const engine = await desk.startEngine(doors);
    await Promise.race([end, doors.death]);
    isOver = !doors.isDead;
    if (engine && isOver) await Promise.race([engine.stop(), doors.death]);
  }
  await auditor.check([{ order, ending: await end }]);
  return [...left.values()];
}
