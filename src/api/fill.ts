import { type Static, Type } from '@sinclair/typebox';
import { type Amount, formatUnits } from '../kernel/amount.ts';
import { isoTime } from '../kernel/clock.ts';
import type { OrderId } from '../kernel/ids.ts';
import { isRefusal, type Refusal } from '../kernel/refusal.ts';
import type { Order } from '../life/order/order.ts';
import { IS_FINAL } from '../life/order/state.ts';
import { mayHaveFills, venueLegIn } from '../life/order/view/trade-stage.ts';
import type { SavedFill } from '../store/trades.ts';
import { openCursor, sealCursor, strangeCursor } from './cursor.ts';
import type { ApiDeps } from './deps.ts';
import { FILLS_PER_PAGE } from './limits.ts';
import { definite, oneOf, Timestamp } from './wire-schemas.ts';

const DecimalText = Type.String({ examples: ['1.25'] });

export const Fill = Type.Object(
  {
    tradeId: Type.String({ description: 'Unique; use it to tell fills apart.' }),
    txHash: Type.Optional(Type.String()),
    market: Type.String(),
    side: oneOf('buy', 'sell'),
    price: DecimalText,
    size: DecimalText,
    quoteAmount: DecimalText,
    fee: DecimalText,
    feeToken: Type.String(),
    executedAt: Timestamp,
  },
  { $id: 'Fill' },
);

export type FillRow = Static<typeof Fill>;

export interface FillPage {
  readonly fills: FillRow[];
  readonly nextCursor: string | null;
}

/** Pages follow the order of collection, newest first; a page is sorted by the time of execution, newest first too. */
export async function fillPage(
  id: OrderId,
  deps: ApiDeps,
  limit = FILLS_PER_PAGE,
  cursor?: string,
): Promise<FillPage | Refusal> {
  const list = `fills:${id}`;
  const before = cursor === undefined ? undefined : openCursor(deps.hashKey, list, cursor);
  if (cursor !== undefined && before === undefined) return strangeCursor();
  const found = await deps.desk.fills(id, limit + 1, before === undefined ? undefined : Number(before));
  const page = found.slice(0, limit);
  const last = found.length > limit ? page.at(-1) : undefined;
  return {
    fills: page.toSorted((a, b) => b.at - a.at || b.seq - a.seq).map((fill) => fillRow(fill, deps)),
    nextCursor: last ? sealCursor(deps.hashKey, list, String(last.seq)) : null,
  };
}

function fillRow(fill: SavedFill, { catalog }: ApiDeps): FillRow {
  const units = ({ asset, atoms }: Amount) => formatUnits(atoms, catalog.asset(asset).decimals);
  return definite({
    tradeId: fill.tradeId,
    market: fill.market,
    side: fill.side,
    price: fill.price,
    size: units(fill.size),
    quoteAmount: units(fill.quote),
    fee: units(fill.fee),
    feeToken: catalog.asset(fill.fee.asset).symbol,
    executedAt: isoTime(fill.at),
    txHash: fill.txHash,
  });
}

/** The newest page; without a look where nothing can have been traded yet. */
export async function newestFills(order: Order, deps: ApiDeps): Promise<FillPage> {
  const page = mayHaveFills(order) ? await fillPage(order.id, deps) : undefined;
  return page && !isRefusal(page) ? page : { fills: [], nextCursor: null };
}

export type FillsStatus = 'pending' | 'complete' | 'incomplete';

/** Fills are saved before the trade's end is; an order that failed while trading may miss some. */
export function fillsStatus(order: Order): FillsStatus {
  const { state, traded } = order;
  if (traded || !venueLegIn(order)) return 'complete';
  if (state.phase === 'failed') return 'incomplete';
  return IS_FINAL[state.phase] ? 'complete' : 'pending';
}
