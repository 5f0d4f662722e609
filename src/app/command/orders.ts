import { openOperatorClient } from '../operator-client.ts';
import { type Command, Misuse, type Option } from './command.ts';

/** How an operator reaches the desk. */
export const OPERATOR: Readonly<Record<string, Option>> = {
  url: {
    takes: '<url>',
    says: 'where operators are answered; WHERRY_OPERATOR_URL, or http://127.0.0.1:8081, without it',
  },
  'token-file': {
    takes: '<file>',
    says: 'holds your token; WHERRY_OPERATOR_TOKEN_FILE or WHERRY_OPERATOR_TOKEN without it',
  },
};

interface Listed {
  readonly orderId: string;
  readonly state: string;
  readonly cases: readonly string[];
  readonly unmovedMinutes: number;
  readonly why: string;
}

export const ordersCommand: Command = {
  name: 'orders',
  summary: 'List orders that are not done with, those that stood still longest first',
  options: {
    stuck: { says: 'only what should move by itself and does not, or has a case' },
    state: { takes: '<states>', says: 'only these, with commas between them: paying,refunding' },
    'older-than': { takes: '<minutes>', says: 'only those that nothing has moved for so long' },
    limit: { takes: '<number>', says: 'at most so many; 50 without it' },
    ...OPERATOR,
  },
  async run({ text, has }) {
    const minutes = text('older-than');
    if (minutes !== undefined && !/^\d{1,7}$/.test(minutes))
      throw new Misuse('--older-than is a whole number of minutes');
    const query = new URLSearchParams({
      ...(has('stuck') ? { stuck: 'true' } : {}),
      ...(minutes === undefined ? {} : { olderThanMinutes: minutes }),
      ...Object.fromEntries(
        ['state', 'limit'].flatMap((name) => (text(name) === undefined ? [] : [[name, text(name)]])),
      ),
    });
    const desk = openOperatorClient({ url: text('url'), tokenFile: text('token-file') });
    const found = await desk.ask<{ orders: readonly Listed[]; more: boolean }>('GET', `/operator/orders?${query}`);
    const lines = found.orders.flatMap(({ orderId, state, unmovedMinutes, cases, why }) => [
      `${orderId}  ${state}  ${unmovedMinutes} min${cases.length > 0 ? `  cases: ${cases.join(', ')}` : ''}`,
      `    ${why}`,
    ]);
    const none = has('stuck') ? 'No order is stuck.' : 'There is no such order.';
    return { json: found, lines: lines.length === 0 ? [none] : [...lines, ...(found.more ? ['There are more.'] : [])] };
  },
};
