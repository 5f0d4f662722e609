import { openOperatorClient } from '../operator-client.ts';
import { Misuse, type Work } from './command.ts';

/** What an operator does about a case, in words that are kept. */
const aboutCase =
  (call: 'close' | 'adopt'): Work =>
  async ({ operands: [id = ''], text, needed }) => {
    if (!/^[1-9]\d{0,17}$/.test(id)) throw new Misuse(`<id> is the number of a case, not "${id}"`);
    const by = text('by');
    const desk = openOperatorClient({ url: text('url'), tokenFile: text('token-file') });
    const { asked } = await desk.ask<{ asked: string }>('POST', `/operator/cases/${id}/${call}`, {
      ...{ reason: needed('reason'), ...(by === undefined ? {} : { by }) },
    });
    return { json: { case: id, result: asked }, lines: [`Case ${id}: ${asked}.`] };
  };

export const closeCase = aboutCase('close');
export const adoptDrift = aboutCase('adopt');
