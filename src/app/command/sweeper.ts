import { placingOf } from '../wiring/chains.ts';
import { Misuse, type Work } from './command.ts';

export const sweeper: Work = async ({ operands: [hot = ''] }) => {
  const placing = placingOf(hot);
  if (!placing) throw new Misuse(`${hot} is no account for which anything could be placed`);
  const { sweeper: address, sendTo, data } = placing;
  return { json: placing, lines: [`sweeper  ${address}`, `send to  ${sendTo}`, `data     ${data}`] };
};
