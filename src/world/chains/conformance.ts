import { after, before, describe } from 'node:test';
import type { ChainBench, Lack } from './conformance/bench.ts';
import { depositStories } from './conformance/deposits.ts';
import { floodStories } from './conformance/floods.ts';
import { namedStories } from './conformance/named.ts';
import { outbiddingStories } from './conformance/outbidding.ts';
import { payoutStories } from './conformance/payouts.ts';
import { reorgStories } from './conformance/reorgs.ts';
import { settlingStories } from './conformance/settling.ts';
import { textStories } from './conformance/texts.ts';

export type { BenchRequest, ChainBench, FeeMarket, Lack } from './conformance/bench.ts';

/** The promises of the `Chain` port, told as stories. Every chain passes them on its node or its simulator. */
export function chainConformance(name: string, open: () => Promise<ChainBench>, lacks: readonly Lack[] = []): void {
  describe(`${name} keeps the promises of a chain`, () => {
    let opened: ChainBench;
    const bench = () => opened;

    before(async () => {
      opened = await open();
    });
    after(() => opened?.close());

    textStories(bench);
    depositStories(bench, lacks);
    if (!lacks.includes('floods')) floodStories(bench, !lacks.includes('reorgs'));
    if (!lacks.includes('reorgs')) reorgStories(bench);
    payoutStories(bench, lacks);
    settlingStories(bench, lacks);
    if (!lacks.includes('market')) outbiddingStories(bench);
    namedStories(bench);
  });
}
