import { openOperatorClient } from '../operator-client.ts';
import { type Command, Misuse } from './command.ts';
import { OPERATOR } from './orders.ts';

export const driftAdoptCommand: Command = {
  name: 'drift adopt',
  summary: "Book a lasting difference between ledger and chain as the treasury's",
  operands: [{ takes: '<id>' }],
  options: {
    reason: { takes: '<text>', says: 'what the difference is; it is kept with your name', isNeeded: true },
    by: { takes: '<name>', says: 'who acts, where several people share one token' },
    ...OPERATOR,
  },
  details: [
    '<id> is the number of its case, drift in GET /operator/cases. It is booked once, and only if the account still shows it.',
  ],
  async run({ operands: [id = ''], text, needed }) {
    if (!/^[1-9]\d{0,17}$/.test(id)) throw new Misuse(`<id> is the number of a case, not "${id}"`);
    const by = text('by');
    const desk = openOperatorClient({ url: text('url'), tokenFile: text('token-file') });
    const { asked } = await desk.ask<{ asked: string }>('POST', `/operator/cases/${id}/adopt`, {
      ...{ reason: needed('reason'), ...(by === undefined ? {} : { by }) },
    });
    return { json: { case: id, result: asked }, lines: [`Case ${id}: ${asked}.`] };
  },
};
