import type { VNode } from 'preact';
import { Field } from '../parts/field.tsx';
import type { Site } from '../server/site.ts';
import { dollars, plainName, showTime, type View } from '../server/view.ts';
import { amountOf, feeMoney } from './money.ts';
import { Pager } from './pager.tsx';
import { FEE_STATUSES, type FeeStatus, type OrderFilter, type ReportedOrder } from './partner-desk.ts';
import { Pill, type Room, roomPage, roomPath, roomsOn, type Tone } from './room.tsx';

const STATUSES = [
  ...['awaiting_deposit', 'awaiting_xmr1', 'awaiting_trx1', 'processing', 'needs_review'],
  ...['completed', 'refunded', 'failed', 'expired'],
];
/** One file holds as much as a spreadsheet likes, and costs no more than this many readings. */
const CSV_PAGES = 50;
const CSV_ROWS = 5_000;

/** The orders of an integration, with what is earned by each. */
export function mountPartnerOrders(site: Site): void {
  const rooms = roomsOn(site);
  rooms.get('/orders', async (visit, room) => {
    const { view, query, partner } = visit;
    const { words } = view;
    const { filter, trouble } = filterOf(view, query);
    const { orders, nextCursor } = await partner.orders(room.integration.integrationId, filter);
    return roomPage(visit, room, {
      name: 'orders',
      title: words.partnerOrders.title,
      status: trouble ? 422 : 200,
      children: (
        <>
          <Filter view={view} room={room} query={query} trouble={trouble} />
          <section class="card">
            {orders.length === 0 ? (
              <p>{words.partners.nothing}</p>
            ) : (
              <ul class="entries">
                {orders.map((order) => (
                  <Row view={view} order={order} />
                ))}
              </ul>
            )}
            <Pager view={view} path={roomPath(room, 'orders')} query={query} next={nextCursor} />
          </section>
        </>
      ),
    });
  });

  rooms.get('/orders.csv', async ({ view, query, partner }, room) => {
    const { filter } = filterOf(view, query);
    const parts: string[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < CSV_PAGES; page += 1) {
      const { text, next } = await partner.ordersCsv(room.integration.integrationId, {
        ...filter,
        ...(cursor ? { cursor } : {}),
      });
      // Every page of the answer has the line of names, and the file has it once.
      parts.push(page === 0 ? text : text.slice(text.indexOf('\n') + 1));
      cursor = next;
      if (!next) break;
    }
    return { text: parts.join(''), type: 'text/csv; charset=utf-8', file: 'orders.csv' };
  });
}

const DAY = /^\d{4}-\d\d-\d\d$/;

/** Days are whole and by UTC: the last one is a part of what is shown. */
function filterOf(
  { words }: View,
  query: URLSearchParams,
): { readonly filter: OrderFilter; readonly trouble: string | undefined } {
  const given = (name: string) => (query.get(name) ?? '').trim();
  const isDay = (text: string) => DAY.test(text) && !Number.isNaN(Date.parse(text));
  const days = ['from', 'to'].map(given).filter((text) => text !== '');
  const trouble = days.every(isDay) ? undefined : words.partnerOrders.badDay;
  const [from, to] = [given('from'), given('to')].map((text) => (isDay(text) ? text : ''));
  const fee = FEE_STATUSES.find((one) => one === given('feeStatus'));
  return {
    trouble,
    filter: {
      ...(STATUSES.includes(given('status')) ? { status: given('status') } : {}),
      ...(fee ? { feeStatus: fee } : {}),
      ...(from ? { from } : {}),
      ...(to ? { to: dayAfter(to) } : {}),
      ...(given('cursor') ? { cursor: given('cursor').slice(0, 256) } : {}),
    },
  };
}

const dayAfter = (day: string): string => new Date(Date.parse(day) + 86_400_000).toISOString().slice(0, 10);

function Filter({
  view,
  room,
  query,
  trouble,
}: {
  readonly view: View;
  readonly room: Room;
  readonly query: URLSearchParams;
  readonly trouble: string | undefined;
}): VNode {
  const { words, base } = view;
  const { partnerOrders } = words;
  const path = `${base}${roomPath(room, 'orders')}`;
  const fields = new URLSearchParams([...query].filter(([name, value]) => name !== 'cursor' && value !== ''));
  return (
    <form method="get" action={path} class="card filter">
      <Choice
        name="status"
        label={partnerOrders.status}
        unset={partnerOrders.any}
        options={STATUSES.map((one) => [one, partnerOrders.states[one] ?? one])}
        chosen={query.get('status')}
      />
      <Choice
        name="feeStatus"
        label={partnerOrders.fee}
        unset={partnerOrders.any}
        options={FEE_STATUSES.map((one) => [one, partnerOrders.feeStates[one]])}
        chosen={query.get('feeStatus')}
      />
      <Day name="from" label={partnerOrders.from} query={query} trouble={trouble} />
      <Day name="to" label={partnerOrders.to} query={query} trouble={trouble} />
      <p class="filter-end">
        <button type="submit" class="button quiet">
          {partnerOrders.filter}
        </button>
        <a href={`${path}.csv${fields.size > 0 ? `?${fields}` : ''}`}>{partnerOrders.csv}</a>
      </p>
      <p class="hint">{partnerOrders.csvLine(CSV_ROWS)}</p>
    </form>
  );
}

interface DayProps {
  readonly name: string;
  readonly label: string;
  readonly query: URLSearchParams;
  readonly trouble: string | undefined;
}

const Day = ({ name, label, query, trouble }: DayProps): VNode => {
  const value = query.get(name) ?? '';
  return <Field name={name} label={label} value={value} isDay error={value === '' ? undefined : trouble} />;
};

function Choice({
  name,
  label,
  unset,
  options,
  chosen,
}: {
  readonly name: string;
  readonly label: string;
  readonly unset: string;
  readonly options: readonly (readonly [value: string, text: string])[];
  readonly chosen: string | null;
}): VNode {
  return (
    <div class="field">
      <label for={name}>{label}</label>
      <select id={name} name={name}>
        <option value="">{unset}</option>
        {options.map(([value, text]) => (
          <option value={value} selected={value === chosen}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}

const TONES: Readonly<Record<string, Tone>> = {
  completed: 'good',
  failed: 'bad',
  needs_review: 'warn',
  processing: 'warn',
};
export const FEE_TONES: Readonly<Record<FeeStatus, Tone>> = {
  none: 'soft',
  projected: 'warn',
  paid: 'good',
  skipped: 'soft',
};

function Row({ view, order }: { readonly view: View; readonly order: ReportedOrder }): VNode {
  const { words } = view;
  const { partnerOrders } = words;
  const sent = amountOf(view, order.fromSymbol, order.depositAmount);
  return (
    <li class="stacked">
      <span class="entry-head">
        <strong>
          <bdi>{`${sent ?? plainName(order.fromSymbol)} → ${plainName(order.toSymbol)}`}</bdi>
        </strong>
        <Pill tone={TONES[order.status] ?? 'soft'}>{partnerOrders.states[order.status] ?? order.status}</Pill>
      </span>
      <span class="entry-line">
        <span>
          {partnerOrders.fee}: <bdi>{feeText(view, order)}</bdi>
        </span>
        <Pill tone={FEE_TONES[order.feeStatus]}>
          {order.feeSkipReason
            ? `${partnerOrders.feeStates.skipped}: ${partnerOrders.skipReasons[order.feeSkipReason] ?? order.feeSkipReason}`
            : partnerOrders.feeStates[order.feeStatus]}
        </Pill>
      </span>
      <span class="hint">
        <bdi>{showTime(view, order.createdAt)}</bdi>
        {' · '}
        <bdi>{order.keyId === null ? partnerOrders.byLink : plainName(order.keyName ?? order.keyId)}</bdi>
      </span>
      <bdi class="hint code">{order.orderId}</bdi>
    </li>
  );
}

function feeText(
  view: View,
  { feeAmount, feeChainId, feeToken, feeSymbol, feeUsd, feePercent }: ReportedOrder,
): string {
  const rate = `${feePercent} %`;
  if (feeAmount === null || feeChainId === null || feeToken === null || feeSymbol === null) return rate;
  const coin = { chainId: feeChainId, token: feeToken, symbol: feeSymbol };
  return `${feeMoney(view, coin, feeAmount)} (${dollars(view, feeUsd)}, ${rate})`;
}
