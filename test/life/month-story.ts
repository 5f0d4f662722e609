import pg from 'pg';
import { type Instant, instant } from '../../src/kernel/clock.ts';
import type { AssetId, OrderId } from '../../src/kernel/ids.ts';
import type { Order } from '../../src/life/order/order.ts';
import { type CaseRoom, openCaseRoom } from './case-room.ts';
import { ETH, USDC, usdc, XMR, xmr1 } from './market.ts';
import { AT, filled, screened } from './order-phases.ts';
import { newsOf, paymentOf, wayOf } from './payment-facts.ts';
import { buyOrder, final } from './world.ts';

export const MONTH = 202311;
export const NEXT = 202312;
export const NEXT_AT = instant(Date.UTC(2023, 11, 20));
/** Both months are over and have rested. */
export const LATER = Date.UTC(2024, 1, 1);

export interface Story extends CaseRoom {
  /** Made in the first month, and paid. */
  readonly done: OrderId;
  /** Made in the next, and on its way. */
  readonly open: OrderId;
  sql<R = Record<string, string>>(text: string, values?: readonly unknown[]): Promise<readonly R[]>;
  readonly admin: pg.Client;
}

/** One order of each month, in a database that has both. */
export async function openStory(): Promise<Story> {
  const room = await openCaseRoom();
  const admin = new pg.Client({ connectionString: room.url });
  await admin.connect();
  await admin.query('SELECT make_month(m) FROM unnest($1::integer[]) AS m', [[MONTH, NEXT]]);
  await room.stock(USDC.id, XMR.id, ETH.id, xmr1('1').asset, '1337:USDC' as AssetId);
  const done = await room.keep(buyOrder());
  await finish(room, done);
  const open = await room.keep(of(NEXT_AT));
  await room.tell(open, final(usdc('100'), NEXT_AT));
  await admin.query('DELETE FROM effect WHERE owner = $1', [done]);
  return {
    ...room,
    ...{ done, open, admin },
    sql: async (text, values = []) => (await admin.query(text, [...values])).rows,
    close: async () => {
      await admin.end();
      await room.close();
    },
  } as Story;
}

export const of = (createdAt: Instant): Order => ({
  ...buyOrder(),
  createdAt,
  expiresAt: instant(createdAt + 3_600_000),
});

/** From its deposit to a payment that is final, with gas sent ahead and some of it left. */
async function finish(room: CaseRoom, id: OrderId): Promise<void> {
  const collected = await room.tell(id, final(usdc('100'), AT), screened(true));
  const collection = paymentOf(collected, 'collection');
  const gas = newsOf(collection, AT, 'gas');
  const main = newsOf(collection, AT);
  await room.tell(id, main.priced(10n), gas.signed, gas.sent, gas.confirmed, main.signed, main.sent, main.confirmed);
  await room.tell(id, { fact: 'stock_reserved', at: AT }, filled, { fact: 'payout_reserved', at: AT });
  await room.tell(id, ...wayOf(paymentOf(await room.find(id), 'payout'), AT));
  const order = await room.find(id);
  for (const one of order.payments) {
    const news = newsOf(one, AT);
    await room.tell(id, ...(one.purpose.for === 'collection' ? [newsOf(one, AT, 'gas').settled] : []), news.settled);
  }
}

/** Every balance is what postings, and months that were taken away, add up to. */
export const RECOUNT = `SELECT account, asset FROM (
    SELECT account, asset, atoms FROM balance
    UNION ALL SELECT to_account, asset, -atoms FROM posting UNION ALL SELECT from_account, asset, atoms FROM posting
    UNION ALL SELECT account, asset, -atoms FROM month_sum) AS all_of_it
  WHERE account <> 'world' GROUP BY account, asset HAVING sum(atoms) <> 0`;
