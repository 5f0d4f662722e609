import { nodeReports } from '../engine/node-reports.ts';
import type { RoundReports } from '../engine/reported-round.ts';
import { type Amount, amount } from '../kernel/amount.ts';
import type { ChainId } from '../kernel/ids.ts';
import type { UsdMicros } from '../kernel/usd.ts';
import type { Sighting } from '../world/chains/chain.ts';
import type { Opinions } from '../world/chains/second-opinion.ts';
import type { Config } from './config.ts';

const DEFAULT_ABOVE_USD = 1_000;
const MICROS = 1_000_000n;

export const secondAbove = ({ second }: Pick<Config, 'second'>): bigint =>
  BigInt(second?.aboveUsd ?? DEFAULT_ABOVE_USD) * MICROS;

export interface OpinionParts {
  /** Millionths of a dollar that may be credited on the word of one node. */
  readonly above: bigint;
  readonly worth: (of: Amount) => Promise<UsdMicros | undefined>;
  readonly reports: RoundReports;
}

/**
 * Many small deposits are as much as a large one: what one node alone was believed adds up until both have agreed about something. What
 * has no price is asked of both.
 */
export function openOpinions(chain: ChainId, { above, worth, reports }: OpinionParts): Opinions {
  const { disagree, agree } = nodeReports(chain, reports);
  let believed = 0n;
  let asked = new Set<string>();
  const valued = async (sightings: readonly Sighting[]): Promise<bigint | undefined> => {
    const each = await Promise.all(sightings.map(({ asset, atoms }) => worth(amount(asset, atoms))));
    return each.reduce<bigint | undefined>(
      (sum, one) => (sum === undefined || one === undefined ? undefined : sum + one),
      0n,
    );
  };
  return {
    disagree,
    async isNeeded(sightings) {
      // What was asked of both once is not believed of one because it is asked for alone, or prices have fallen.
      if (sightings.some(({ key }) => asked.has(key))) return true;
      const value = await valued(sightings);
      const isNeeded = value === undefined || believed + value > above;
      if (isNeeded) asked = new Set([...asked, ...sightings.map(({ key }) => key)]);
      else believed += value;
      return isNeeded;
    },
    async agree(about) {
      asked.delete(about);
      believed = 0n;
      await agree(about);
    },
  };
}
