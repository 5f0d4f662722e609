import { readFileSync } from 'node:fs';
import { type Atoms, atoms, parseUnits } from '../../kernel/amount.ts';
import { present } from '../../kernel/assert.ts';
import { percent, ratioFromDecimal } from '../../kernel/ratio.ts';
import { Secret } from '../../kernel/secret.ts';
import { usdPrice } from '../../kernel/usd.ts';
import type { Limits } from '../../signer/limits.ts';
import type { SignerConfig } from '../../signer/start-signer.ts';
import { VENUE } from '../../world/venues/index.ts';
import type { Config } from '../config.ts';
import { assetsOf, chainsOf } from './chains.ts';
import { coldStoresOf } from './stock-levels.ts';
import { bridgeOf, venueTokensOf } from './venue.ts';

export function signerConfigOf(config: Config): SignerConfig {
  const { signer, chains } = config;
  return {
    seedFile: signer.seedFile,
    passphrase: new Secret(signer.passphrase),
    journalFile: signer.journal,
    doors: [
      { path: signer.socket, ...access(signer.socketMode, signer.socketGroup), calls: 'all' },
      { path: signer.apiSocket, ...access(signer.apiSocketMode, signer.apiSocketGroup), calls: 'public' },
    ],
    binders: signer.binders,
    approval: signer.approval && { above: dollars(signer.approval.aboveUsd), approvers: signer.approval.approvers },
    chains,
    venue: {
      chainId: VENUE.chainId,
      usdc: VENUE.coin,
      bridge: bridgeOf(config),
      market: VENUE.market(config.venue),
      url: VENUE.url(config.venue),
      tokens: venueTokensOf(config),
    },
    cold: coldStoresOf(config),
    fills: signer.fillsUsdPerDay === undefined ? undefined : dollars(signer.fillsUsdPerDay),
    limits: signerLimitsOf(config),
  };
}

/** What may be signed at all, in atoms. A limit that names nothing, or in another spelling, is refused. */
export function signerLimitsOf(config: Config): Limits {
  const { assets, chains: perChain, trades, usdPerDay, engine } = config.signer.limits;
  const decimals = decimalsOf(config);
  const chainIds = new Set([...chainsOf(config).map(({ rules }) => rules.facts.id), VENUE.chainId].map(String));
  return {
    assets: mapValues(assets, ({ perTransfer, perDay, floorUsd }, asset) => ({
      perTransfer: cap(perTransfer),
      perDay: cap(perDay),
      floor: usdPrice(ratioFromDecimal(floorUsd), decimals.get(asset) ?? unknownAsset(config, asset)),
    })),
    otherAssets: undefined,
    usdPerDay: dollars(usdPerDay),
    engine: lower(mapValues(engine, dollars), dollars(usdPerDay)),
    chains: mapValues(perChain, (most, chain) => {
      if (!chainIds.has(chain))
        throw new Error(`configuration: /signer/limits/chains/${chain} is no chain of this desk`);
      return mapValues(most, cap);
    }),
    trades: {
      baseDecimals: VENUE.decimals,
      quoteDecimals: VENUE.decimals,
      size: cap(trades.size),
      notional: cap(trades.notional),
      sellPerDay: cap(trades.sellPerDay),
      notionalPerDay: cap(trades.notionalPerDay),
      price: priceBand(trades.price),
    },
  };
}

const priceBand = ({ least, most, perHourPercent }: Config['signer']['limits']['trades']['price']) => ({
  ...{ least: ratioFromDecimal(least), most: ratioFromDecimal(most) },
  perHour: perHourPercent === undefined ? undefined : percent(perHourPercent),
});

const cap = (text: string): Atoms => atoms(BigInt(text));

const USD_DECIMALS = 6;

const dollars = (text: string): Atoms => atoms(present(parseUnits(text, USD_DECIMALS), 'dollars'));

/** A limit within another that is not below it is none; where nothing may leave, there is nothing to be below. */
function lower<T extends { readonly usdPerDay: Atoms }>(engine: T, all: Atoms): T {
  if (engine.usdPerDay < all || all === 0n) return engine;
  throw new Error('configuration: /signer/limits/engine/usdPerDay must be below /signer/limits/usdPerDay');
}

const access = (mode = '0600', group?: number | string) => ({
  mode: Number.parseInt(mode, 8),
  group: typeof group === 'string' ? groupNumber(group) : group,
});

function groupNumber(name: string): number {
  const [, , number] = readFileSync('/etc/group', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
    .find(([known]) => known === name) ?? [undefined, undefined, undefined];
  if (number === undefined) throw new Error(`configuration: /signer: this computer has no group ${name}`);
  return Number.parseInt(number, 10);
}

const decimalsOf = (config: Config): ReadonlyMap<string, number> =>
  new Map([
    ...assetsOf(config).map(({ id, decimals }) => [id, decimals] as const),
    ...Object.entries(venueTokensOf(config)),
  ]);

/** A limit that names nothing would leave the asset that was meant without one: the start is refused. */
function unknownAsset(config: Config, asset: string): never {
  const where = `configuration: /signer/limits/assets/${asset}`;
  const known = [...decimalsOf(config).keys()].find((id) => id.toLowerCase() === canonicalCase(asset));
  throw new Error(known === undefined ? `${where} is no asset of this desk` : `${where} is spelt ${known} here`);
}

const canonicalCase = (asset: string): string => asset.replace(/^0+(?=\d)/, '').toLowerCase();

function mapValues<K extends string, T, U>(
  record: Readonly<Record<K, T>>,
  change: (value: T, name: K) => U,
): Record<K, U> {
  const entries = Object.entries(record) as [K, T][];
  return Object.fromEntries(entries.map(([name, value]) => [name, change(value, name)])) as Record<K, U>;
}
