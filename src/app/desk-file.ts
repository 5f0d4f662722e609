import { readFileSync } from 'node:fs';
import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { parseUnits } from '../kernel/amount.ts';
import { Decimal, exact, PriceBand } from '../world/settings-shapes.ts';
import { checkConfig } from './check-config.ts';
import { type Config, ConfigSchema, environment } from './config.ts';
import { partAt, withPart } from './pointer.ts';
import { binderOf } from './process-keys.ts';
import { ROLES, type Role } from './roles.ts';
import { secretsAway, withStandIns } from './stand-ins.ts';
import { assetNamed, type DeskAsset, type DeskChain, deskChains, isNamed, tradedOn } from './wiring/desk-assets.ts';
import { notFor, SECRETS } from './wiring/secrets.ts';
import { signerLimitsOf } from './wiring/signer.ts';
import { coldStoresOf, stockLevelsOf } from './wiring/stock-levels.ts';

/** What a new desk begins with; it lies beside the program. */
export const exampleDesk = (): string => readFileSync(new URL('../../examples/desk.json', import.meta.url), 'utf8');

const WholeCoins = exact({
  usdPerDay: Decimal,
  engine: exact({ usdPerTransfer: Decimal, usdPerDay: Decimal }),
  assets: Type.Record(Type.String(), exact({ perTransfer: Decimal, perDay: Decimal, floorUsd: Decimal })),
  chains: Type.Record(Type.String(), exact({ gas: Decimal, gasPerDay: Decimal, cost: Decimal, costPerDay: Decimal })),
  trades: exact({
    ...{ size: Decimal, sellPerDay: Decimal, notional: Decimal, notionalPerDay: Decimal },
    price: PriceBand,
  }),
});
type WholeCoins = Static<typeof WholeCoins>;
type Atomic = Config['signer']['limits'];

const DATABASE = '/database';
const LIMITS = '/signer/limits';
const BINDERS = '/signer/binders';
/** Nothing may leave: with these the rest can be read before the limits are known. */
const NOTHING: Atomic = {
  ...{ usdPerDay: '0', engine: { usdPerTransfer: '0', usdPerDay: '0' }, assets: {}, chains: {} },
  trades: { size: '0', sellPerDay: '0', notional: '0', notionalPerDay: '0', price: { least: '1', most: '1' } },
};

/** Who logs in to the database: whoever makes and changes tables, and the two roles that use them. */
export interface DatabaseLogins {
  readonly owner: unknown;
  readonly engine: unknown;
  readonly api: unknown;
}
const Logins = exact({ owner: Type.Unknown(), engine: Type.Unknown(), api: Type.Unknown() });

/** Each its own, or one for all. */
export function databaseLogins(desk: unknown): DatabaseLogins {
  const database = partAt(desk, DATABASE);
  return Value.Check(Logins, database) ? database : { owner: database, engine: database, api: database };
}

/** Settings of every role, made from the one file that a person writes. */
export interface DeskSettings {
  /** The database as its owner. */
  readonly whole: unknown;
  readonly logins: DatabaseLogins;
  /** Assets that the desk knows and nothing may leave of: `USDT@42161`. */
  readonly unlimited: readonly string[];
}

/**
 * A desk's file is its settings with limits in whole coins by symbol, and without the secrets that nobody needs to choose.
 * `secret` gives those that the file does not have.
 */
export function settingsFromDesk(desk: unknown, secret: (path: string) => string | undefined): DeskSettings {
  const logins = databaseLogins(desk);
  const keyed = Object.keys(SECRETS).reduce(
    (settings, path) => {
      const parent = path.slice(0, path.lastIndexOf('/'));
      if (partAt(settings, path) !== undefined || (parent !== '' && partAt(settings, parent) === undefined))
        return settings;
      const made = secret(path);
      return made === undefined ? settings : withPart(settings, path, made);
    },
    withPart(desk, DATABASE, logins.owner),
  );
  const known = (settings: unknown) => structuredClone(withStandIns(settings, ConfigSchema, environment()));
  const bound = withPart(keyed, BINDERS, bindersOf(known(keyed)));
  const config = checkConfig(known(withPart(bound, LIMITS, NOTHING)), Object.keys(SECRETS));
  const chains = deskChains(config);
  const limits = inAtoms(wholeCoinsIn(desk), chains, config);
  const whole = withPart(bound, LIMITS, limits);
  const away = secretsAway(whole, environment());
  for (const role of ROLES) {
    const settings = checkConfig(known(whole), [...notFor(role), ...away]);
    for (const read of [signerLimitsOf, coldStoresOf, stockLevelsOf]) read(settings);
  }
  return { whole, logins, unlimited: withoutLimit(chains, limits) };
}

/** The signer is told the public halves; the file names only those that others still use or used until lately. */
function bindersOf(settings: unknown) {
  const of = (who: 'api' | 'engine'): readonly string[] => {
    const [key, others = []] = [partAt(settings, `/keys/${who}`), partAt(settings, `${BINDERS}/${who}`)];
    if (!isHex32(key)) return others as readonly string[];
    return [...new Set([binderOf(key).publicKey, ...(others as readonly string[])])];
  };
  return { api: of('api'), engine: of('engine') };
}
const isHex32 = (value: unknown): value is string => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);

/** What a role may know of them. */
export function settingsFor(role: Role, { whole, logins }: Pick<DeskSettings, 'whole' | 'logins'>): unknown {
  const known = role === 'signer' ? whole : withPart(whole, DATABASE, logins[role]);
  return notFor(role).reduce((settings, path) => withPart(settings, path, undefined), known);
}

export const withoutLimit = (chains: readonly DeskChain[], { assets }: Pick<Atomic, 'assets'>): readonly string[] =>
  chains.flatMap(({ id, assets: held }) =>
    held.flatMap((asset) => (Object.hasOwn(assets, asset.id) ? [] : [`${asset.symbol}@${id}`])),
  );

function wholeCoinsIn(desk: unknown): WholeCoins {
  const limits = partAt(desk, LIMITS);
  const wrong = [...Value.Errors(WholeCoins, limits)].slice(0, 10);
  if (wrong.length === 0) return limits as WholeCoins;
  throw new Error(`configuration: ${wrong.map(({ path, message }) => `${LIMITS}${path} ${message}`).join('; ')}`);
}

function inAtoms(limits: WholeCoins, chains: readonly DeskChain[], config: Config): Atomic {
  const { base, quote } = tradedOn(config);
  const { size, sellPerDay, notional, notionalPerDay, price } = limits.trades;
  const trade = (what: string, text: string, asset: DeskAsset) => atomsOf(`${LIMITS}/trades/${what}`, text, asset);
  return {
    ...{ usdPerDay: limits.usdPerDay, engine: limits.engine },
    assets: renamed(limits.assets, '/assets', (name, path, { perTransfer, perDay, floorUsd }) => {
      const asset = assetNamed(chains, name);
      if (!asset) throw new Error(`configuration: ${path} is no asset of this desk`);
      const atoms = (what: string, text: string) => atomsOf(`${path}/${what}`, text, asset);
      const limit = { perTransfer: atoms('perTransfer', perTransfer), perDay: atoms('perDay', perDay), floorUsd };
      return [asset.id, limit] as const;
    }),
    chains: renamed(limits.chains, '/chains', (name, path, { gas, gasPerDay, cost, costPerDay }) => {
      const chain = chains.find((one) => isNamed(one, name));
      if (!chain) throw new Error(`configuration: ${path} is no chain of this desk`);
      const atoms = (what: string, text: string) => atomsOf(`${path}/${what}`, text, chain.coin);
      const [one, all] = [atoms('gas', gas), atoms('gasPerDay', gasPerDay)];
      return [
        String(chain.id),
        { gas: one, gasPerDay: all, cost: atoms('cost', cost), costPerDay: atoms('costPerDay', costPerDay) },
      ] as const;
    }),
    trades: {
      ...{ size: trade('size', size, base), sellPerDay: trade('sellPerDay', sellPerDay, base), price },
      notional: trade('notional', notional, quote),
      notionalPerDay: trade('notionalPerDay', notionalPerDay, quote),
    },
  };
}

/** Two names of one thing would leave open which of them counts. */
function renamed<T, U>(
  record: Readonly<Record<string, T>>,
  at: string,
  rename: (name: string, path: string, value: T) => readonly [string, U],
): Readonly<Record<string, U>> {
  const all = new Map<string, U>();
  for (const [name, value] of Object.entries(record)) {
    const path = `${LIMITS}${at}/${name}`;
    const [id, made] = rename(name, path, value);
    if (all.has(id)) throw new Error(`configuration: ${path} is named twice`);
    all.set(id, made);
  }
  return Object.fromEntries(all);
}

function atomsOf(path: string, text: string, { symbol, decimals }: DeskAsset): string {
  const atoms = parseUnits(text, decimals);
  if (atoms === undefined)
    throw new Error(`configuration: ${path}: ${symbol} has ${decimals} decimals, and ${text} more`);
  return atoms.toString();
}
