import { formatUnits } from '../kernel/amount.ts';
import { type AssetId, type ChainId, chainOf } from '../kernel/ids.ts';
import { scaleInt, times } from '../kernel/ratio.ts';
import { showUsd, type UsdMicros } from '../kernel/usd.ts';
import type { Cap, Limits } from '../signer/limits.ts';
import { type Config, servingOf } from './config.ts';
import { type DeskChain, deskChains, tradedOn } from './wiring/desk-assets.ts';
import { signerLimitsOf } from './wiring/signer.ts';

/** The most that can be lost in 24 hours if something of the desk is in other hands, by the floor prices of the settings. */
export interface WorstCase {
  readonly taken: string;
  /** Dollars; what has no floor price is in `beside`. */
  readonly usdPerDay: string;
  readonly parts: readonly { readonly what: string; readonly usd: string }[];
  /** Amounts of coins whose price the settings do not say. */
  readonly beside: readonly string[];
  readonly says: string;
}

type Usd = bigint;
interface Part {
  readonly what: string;
  readonly usd: Usd;
}

/** The settings write every limit out; only tests say `unlimited`. */
const bounded = (cap: Cap): bigint => {
  if (cap === 'unlimited') throw new Error('what is unlimited has no worst case');
  return cap;
};

const sum = (values: readonly bigint[]): bigint => values.reduce((total, one) => total + one, 0n);
const least = (a: bigint, b: bigint): bigint => (a < b ? a : b);

/** What the signer lets out of these assets: each up to its own limit, and together up to the limit in dollars. */
function outflow({ assets, usdPerDay }: Limits, counts: (asset: AssetId) => boolean): Usd {
  const each = Object.entries(assets).flatMap(([asset, { perDay, floor }]) =>
    counts(asset as AssetId) ? [scaleInt(bounded(perDay), floor, 'up')] : [],
  );
  return least(sum(each), bounded(usdPerDay));
}

/** What networks take of signed transfers. Gas is no part of it: it goes to deposit addresses, whose keys the signer has. */
function burned(
  chains: readonly DeskChain[],
  limits: Limits,
): { readonly usd: Usd; readonly beside: readonly string[] } {
  const known = chains.flatMap(({ id, name, coin }) => {
    const limit = limits.chains[id];
    return limit ? [{ name, coin, atoms: bounded(limit.costPerDay), floor: limits.assets[coin.id]?.floor }] : [];
  });
  return {
    usd: sum(known.flatMap(({ atoms, floor }) => (floor ? [scaleInt(atoms, floor, 'up')] : []))),
    beside: known.flatMap(({ name, coin, atoms, floor }) =>
      floor || atoms === 0n ? [] : [`${formatUnits(atoms, coin.decimals)} ${coin.symbol} of fees on ${name}`],
    ),
  };
}

/**
 * Whoever trades against the desk wins what lies between the two ends of the price band: a sale at the lowest price while the
 * market is at the highest, and a purchase the other way round.
 */
function traded(config: Config, { trades, assets }: Limits): Usd {
  const { base, quote } = tradedOn(config);
  const floor = assets[quote.id]?.floor ?? { num: 1_000_000n, den: 10n ** BigInt(quote.decimals) };
  const { least: low, most: high } = trades.price;
  const band = { num: high.num * low.den - low.num * high.den, den: high.den * low.den };
  const perAtom = times(band, { num: 10n ** BigInt(quote.decimals), den: 10n ** BigInt(base.decimals) });
  const sold = scaleInt(bounded(trades.sellPerDay), perAtom, 'up');
  // Of each coin of money spent at the highest price, so much was too much.
  const share = times(band, { num: high.den, den: high.num });
  const bought = scaleInt(bounded(trades.notionalPerDay), share, 'up');
  return scaleInt(sold + bought, floor, 'up');
}

export function worstCases(config: Config): readonly WorstCase[] {
  const limits = signerLimitsOf(config);
  const chains = deskChains(config);
  const everywhere = () => true;
  const elsewhere = (chain: ChainId) => (asset: AssetId) => chainOf(asset) !== chain;
  const fees = burned(chains, limits);
  const paid = {
    what: 'paid to anybody, within the limits of assets and of dollars',
    usd: outflow(limits, everywhere),
  };
  const returned = {
    what: 'given back to anybody out of deposit accounts, within the same limits once more',
    usd: outflow(limits, (asset) => chains.some(({ id, collects }) => collects && id === chainOf(asset))),
  };
  const cost = { what: 'fees of networks, within the limits of chains', usd: fees.usd };
  const largest = `${config.largestOrderUsd}`;
  const { shortDeliveries } = servingOf(config);
  const told = (taken: string, parts: readonly Part[], says: string, beside: readonly string[] = []): WorstCase => ({
    ...{ taken, says, beside, usdPerDay: dollars(sum(parts.map(({ usd }) => usd))) },
    parts: parts.map(({ what, usd }) => ({ what, usd: dollars(usd) })),
  });
  return [
    told(
      'engine',
      [paid, cost, returned, { what: 'trades at the ends of the price band', usd: traded(config, limits) }],
      'It asks for every signature, and the signer gives it what the limits allow.',
      fees.beside,
    ),
    told(
      'database',
      [paid, cost, returned],
      'An honest engine proves deposits itself, but believes how far an order has come; it trades at honest prices.',
      fees.beside,
    ),
    told(
      'api',
      [paid, cost, returned],
      `It reaches the database. Beside this, customers can be shown a stranger's address: what they send there (an order over providers is quoted for up to ${largest} dollars) never reaches the desk, and no limit of the signer bounds it.`,
      fees.beside,
    ),
    ...chains.map(({ id, name }) =>
      told(
        name === 'venue' ? 'venue' : `node:${name}`,
        [{ what: 'paid elsewhere for deposits that it made up', usd: outflow(limits, elsewhere(id)) }],
        name === 'venue'
          ? 'What lies on the venue is lost with it, whatever the limits are.'
          : 'It shows deposits that are not there as final; the desk pays for them on other chains.',
      ),
    ),
    ...Object.keys(config.providers).map((provider) =>
      told(
        `provider:${provider}`,
        [{ what: 'put in its hands and never delivered', usd: paid.usd }],
        `Its breaker opens by itself after ${shortDeliveries} deals that fell short. An order is quoted for at most ${largest} dollars, but what its customer pays beyond that is swapped with the rest: only \`perTransfer\` of an asset bounds one deal.`,
      ),
    ),
  ];
}

const dollars = (micros: Usd): string => showUsd((micros + ROUND_UP) as UsdMicros);
/** Shown in cents: what cannot be lost is not shown as less than it is. */
const ROUND_UP = 9_999n;
