import { openOperatorClient } from '../operator-client.ts';
import { Misuse, type Work } from './command.ts';

interface Listed {
  readonly orderId: string;
  readonly state: string;
  readonly cases: readonly string[];
  readonly unmovedMinutes: number;
  readonly why: string;
}

export const listOrders: Work = async ({ text, has }) => {
  const minutes = text('older-than');
  if (minutes !== undefined && !/^\d{1,7}$/.test(minutes))
    throw new Misuse('--older-than is a whole number of minutes');
  const query = new URLSearchParams({
    ...(has('stuck') ? { stuck: 'true' } : {}),
    ...(minutes === undefined ? {} : { olderThanMinutes: minutes }),
    ...Object.fromEntries(['state', 'limit'].flatMap((name) => (text(name) === undefined ? [] : [[name, text(name)]]))),
  });
  const desk = openOperatorClient({ url: text('url'), tokenFile: text('token-file') });
  const found = await desk.ask<{ orders: readonly Listed[]; more: boolean }>('GET', `/operator/orders?${query}`);
  const lines = found.orders.flatMap(({ orderId, state, unmovedMinutes, cases, why }) => [
    `${orderId}  ${state}  ${unmovedMinutes} min${cases.length > 0 ? `  cases: ${cases.join(', ')}` : ''}`,
    `    ${why}`,
  ]);
  const none = has('stuck') ? 'No order is stuck.' : 'There is no such order.';
  return { json: found, lines: lines.length === 0 ? [none] : [...lines, ...(found.more ? ['There are more.'] : [])] };
};
