import { VENUE_ID } from '../../sandbox/venue-tokens.ts';
import type { Config } from '../../src/app/config.ts';
import { type AssetId, chainOf } from '../../src/kernel/ids.ts';
import type { Asset } from '../../src/world/chains/chain.ts';
import type { Wants } from './events.ts';
import { LEVELS } from './levels.ts';

const ADDRESSES_READY = 8;
/** Else the house moves nothing between its own places: all that is seen to move is an order's. */
const WELL_STOCKED = { venueUsdcLow: '0', venueUsdcHigh: '5000000', hotUsdcLow: '0' } as const;

/** The sandbox's settings, of these chains and of what the venue has of theirs. */
export const campaignConfig = (
  { clockOffsetFile: _, ...config }: Config,
  chains: readonly number[],
  onVenue: readonly Asset[],
  wants: Wants | undefined,
): Config => {
  const { treasury = WELL_STOCKED, cold = config.signer.cold } = wants ? LEVELS[wants] : {};
  const limits = ofTheseChains(config.signer.limits, chains, onVenue);
  return {
    ...config,
    addressPool: ADDRESSES_READY,
    treasury,
    signer: { ...config.signer, ...(cold ? { cold } : {}), limits },
  };
};

/** The sandbox names limits for every chain that it plays; a signer refuses those of chains that it does not have. */
const ofTheseChains = (
  { assets, chains, ...limits }: Config['signer']['limits'],
  played: readonly number[],
  onVenue: readonly Asset[],
): Config['signer']['limits'] => ({
  ...limits,
  assets: only(assets, (id) => onVenue.some((one) => one.id === id) || played.includes(chainOf(id as AssetId))),
  chains: only(chains, (id) => [...played, VENUE_ID].some((one) => id === `${one}`)),
});

const only = <T>(all: Readonly<Record<string, T>>, isWanted: (name: string) => boolean): Record<string, T> =>
  Object.fromEntries(Object.entries(all).filter(([name]) => isWanted(name)));
