import { openOperatorClient } from '../operator-client.ts';
import { Misuse, type Work } from './command.ts';

export const closeCase: Work = async ({ operands: [id = ''], text, needed }) => {
  if (!/^[1-9]\d{0,17}$/.test(id)) throw new Misuse(`<id> is the number of a case, not "${id}"`);
  const by = text('by');
  const desk = openOperatorClient({ url: text('url'), tokenFile: text('token-file') });
  const { asked } = await desk.ask<{ asked: string }>('POST', `/operator/cases/${id}/close`, {
    ...{ reason: needed('reason'), ...(by === undefined ? {} : { by }) },
  });
  return { json: { case: id, result: asked }, lines: [`Case ${id}: ${asked}.`] };
};
