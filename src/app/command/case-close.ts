import { openOperatorClient } from '../operator-client.ts';
import { type Command, Misuse } from './command.ts';
import { OPERATOR } from './orders.ts';

export const caseCloseCommand: Command = {
  name: 'case close',
  summary: 'Take a case off the list that has been dealt with',
  operands: [{ takes: '<id>' }],
  options: {
    reason: { takes: '<text>', says: 'what was done about it; it is kept with your name', isNeeded: true },
    by: { takes: '<name>', says: 'who acts, where several people share one token' },
    ...OPERATOR,
  },
  details: ['It comes back if the trouble does. GET /operator/cases lists what is open, and what else helps.'],
  async run({ operands: [id = ''], text, needed }) {
    if (!/^[1-9]\d{0,17}$/.test(id)) throw new Misuse(`<id> is the number of a case, not "${id}"`);
    const by = text('by');
    const desk = openOperatorClient({ url: text('url'), tokenFile: text('token-file') });
    const { asked } = await desk.ask<{ asked: string }>('POST', `/operator/cases/${id}/close`, {
      ...{ reason: needed('reason'), ...(by === undefined ? {} : { by }) },
    });
    return { json: { case: id, result: asked }, lines: [`Case ${id}: ${asked}.`] };
  },
};
