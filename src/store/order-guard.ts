import pg from 'pg';
import { ASKED as TOLD } from '../life/order/command.ts';
import { BORN, type Draft, firstEffects } from '../life/order/create.ts';
import { encode } from './codec.ts';
import { type StoredOrder, storedOrder } from './stored-order.ts';

/** What a process that serves customers may say of a part of an order. */
interface Say {
  /** When it is made; all else is then as with every new order, or not there. */
  readonly atBirth: boolean;
  /** Afterwards, by a customer's or an operator's word. */
  readonly later: boolean;
}

const TERM: Say = { atBirth: true, later: false };
const LIFE: Say = { atBirth: false, later: false };
const ASKED: Say = { atBirth: false, later: true };

/** Complete by type: a new part of an order must say who writes it. */
const SAY: Readonly<Record<keyof StoredOrder, Say>> = {
  id: TERM,
  generation: TERM,
  product: TERM,
  bridge: TERM,
  createdAt: TERM,
  expiresAt: TERM,
  from: TERM,
  to: TERM,
  asked: TERM,
  expected: TERM,
  minimum: TERM,
  deposits: TERM,
  collects: TERM,
  feePayer: TERM,
  destination: TERM,
  charter: TERM,
  route: TERM,
  integratorFee: TERM,
  feeSkipped: TERM,
  askedAs: TERM,
  funds: TERM,
  refundTo: { atBirth: true, later: true },
  used: { atBirth: true, later: true },
  updatedAt: { atBirth: true, later: true },
  version: ASKED,
  state: ASKED,
  claims: ASKED,
  waitClosed: ASKED,
  replacement: ASKED,
  earned: ASKED,
  feeEarned: ASKED,
  shape: ASKED,
  fallback: LIFE,
  sender: LIFE,
  traded: LIFE,
  deals: LIFE,
  strays: LIFE,
  shortfall: LIFE,
};

const partsWhere = (holds: (say: Say) => boolean): readonly string[] =>
  Object.entries(SAY).flatMap(([part, say]) => (holds(say) ? part : []));

/** Parts that a customer's or an operator's word may change. */
export const MAY_BE_ASKED: ReadonlySet<string> = new Set(partsWhere(({ later }) => later));

const NOTHING = { atoms: 0n };

/** A row of the table `order_guard`: the database's own functions know no phase, no fact and no part of an order by name. */
const GUARD = {
  phase: BORN.state.phase,
  terms: partsWhere(({ atBirth }) => atBirth),
  born: storedOrder(BORN as unknown as Draft),
  unpaid: { funds: { seen: NOTHING, confirmed: NOTHING, have: 0 }, used: NOTHING },
  effects: firstEffects(BORN as unknown as Draft).map(({ effect }) => effect),
  facts: TOLD.map((fact) => ({ fact })),
  changes: [...MAY_BE_ASKED],
};

/** Told anew whenever the code says something else. */
export const ORDER_GUARD = {
  name: 'order_guard',
  text: `DELETE FROM order_guard;
    INSERT INTO order_guard SELECT * FROM jsonb_populate_record(NULL::order_guard, ${pg.escapeLiteral(encode(GUARD))})`,
};
