import { accessSync, constants, existsSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Address, ChainId } from '../kernel/ids.ts';
import { Secret } from '../kernel/secret.ts';
import { openSigner, unixOutbound } from '../signer/client.ts';
import { openSeedFile } from '../signer/seed.ts';
import { databaseNow } from '../store/database-clock.ts';
import { openDb } from '../store/db.ts';
import { pendingMigrations } from '../store/migrate.ts';
import type { ConfiguredChain } from '../world/chains/family.ts';
import { httpOutbound, type Outbound } from '../world/outbound/http.ts';
import { DATABASE_MS, VENUE_MS } from './clock-rounds.ts';
import type { Config } from './config.ts';
import { withoutLimit } from './desk-file.ts';
import { operatorsOf } from './operators.ts';
import { partAt } from './pointer.ts';
import type { Role } from './roles.ts';
import { loadSettings, readJson } from './settings.ts';
import { chainsOf } from './wiring/chains.ts';
import { deskChains } from './wiring/desk-assets.ts';
import { notFor } from './wiring/secrets.ts';
import { signerConfigOf, signerLimitsOf } from './wiring/signer.ts';
import { coldStoresOf, stockLevelsOf } from './wiring/stock-levels.ts';
import { lookAtVenue } from './wiring/venue.ts';

export interface Check {
  readonly what: string;
  /** `warning`: it may be meant so. */
  readonly result: 'ok' | 'warning' | 'problem';
  readonly says: string;
}

/** A healthy counterparty answers well within this, and somebody waits for the answer. */
const LOOK_MS = 5_000;
const quickly: Outbound = (call) => httpOutbound({ deadlineMs: LOOK_MS, ...call });

const ok = (what: string, says: string): Check => ({ what, result: 'ok', says });
const warning = (what: string, says: string): Check => ({ what, result: 'warning', says });
const problem = (what: string, error: unknown): Check => ({ what, result: 'problem', says: (error as Error).message });

/** Whatever goes wrong in a look is what it found. */
const looked = (what: string, look: () => Promise<string>): Promise<Check> =>
  look().then(
    (says) => ok(what, says),
    (error) => problem(what, error),
  );

/** Everything that a role needs, looked at from where it will run. Nothing is changed. */
export async function checkSettings(role: Role, path: string, now: () => number = Date.now): Promise<readonly Check[]> {
  let config: Config;
  try {
    config = loadSettings(path, notFor(role));
  } catch (error) {
    return [problem('settings', error)];
  }
  const foreign = notFor(role).filter((secret) => partAt(readJson(path), secret) !== undefined);
  return [
    ok('settings', `${path} is whole, and nobody else may read it`),
    foreign.length === 0
      ? ok('secrets', `only those of the ${role}`)
      : warning('secrets', `the ${role} does not need ${foreign.join(', ')}`),
    ...(await OF_ROLE[role](config, now)),
  ];
}

const OF_ROLE: { readonly [R in Role]: (config: Config, now: () => number) => Promise<readonly Check[]> } = {
  signer: async (config, now) => [
    ...limitChecks(config),
    ...coldChecks(config),
    ...(await Promise.all([
      seed(config),
      folders(config),
      doors(config),
      ...(asksVenue(config) ? [venue(config, now)] : []),
    ])),
  ],
  engine: async (config, now) => [
    ...limitChecks(config),
    ...coldChecks(config),
    ...(await Promise.all([
      ...[database(config, now), denyList(config), signer(config.signer.socket), venue(config, now)],
      ...chainsOf(config).flatMap(({ rules: { facts }, look, second }) => [
        node(`node of ${facts.name}`, facts.id, look),
        ...(second ? [node(`second node of ${facts.name}`, facts.id, second.look)] : []),
      ]),
    ])),
  ],
  api: async (config, now) =>
    Promise.all([
      looked(
        'operators',
        async () =>
          `${operatorsOf(config)
            .map(({ name }) => name)
            .join(', ')} may come in`,
      ),
      ...[database(config, now), denyList(config), signer(config.signer.apiSocket), venue(config, now)],
    ]),
};

const node = (what: string, chain: ChainId, look: ConfiguredChain['look']): Promise<Check> =>
  looked(what, async () => {
    await look(quickly);
    return `serves chain ${chain}`;
  });

function limitChecks(config: Config): readonly Check[] {
  try {
    const { assets } = signerLimitsOf(config);
    const none = withoutLimit(deskChains(config), config.signer.limits);
    const unlimited = warning('limits', `nothing of ${none.join(', ')} can leave: there is no limit for it`);
    return [
      ok('limits', `${Object.keys(assets).length} assets by their true ids`),
      ...(none.length > 0 ? [unlimited] : []),
    ];
  } catch (error) {
    return [problem('limits', error)];
  }
}

/** A ceiling without a place for what is above it holds nothing down, and a place without a ceiling is never used. */
function coldChecks(config: Config): readonly Check[] {
  try {
    const [stores, levels] = [Object.keys(coldStoresOf(config)), stockLevelsOf(config)];
    const capped = levels.flatMap(({ asset, high }) => (high === undefined ? [] : [asset as string]));
    const homeless = capped.filter((asset) => !stores.includes(asset));
    const idle = stores.filter((asset) => !capped.includes(asset));
    return [
      ...(levels.length > 0 ? [ok('stock', `levels of ${levels.length} assets`)] : []),
      ...(homeless.length > 0 ? [warning('cold', `signer.cold names no store for ${homeless.join(', ')}`)] : []),
      ...(idle.length > 0 ? [warning('cold', `treasury.stock names no high for ${idle.join(', ')}`)] : []),
    ];
  } catch (error) {
    return [problem('stock', error)];
  }
}

/** A signer that keeps prices to the desk's own trades reads them at the venue itself, and signs no trade where it cannot. */
const asksVenue = ({ signer: { limits } }: Config): boolean => limits.trades.price.perHourPercent !== undefined;

const seed = ({ signer: { seedFile, passphrase } }: Config): Promise<Check> =>
  looked('seed', async () => {
    if (!existsSync(seedFile)) throw new Error(`there is none in ${seedFile}: wherry seed new makes it`);
    await openSeedFile(seedFile, new Secret(passphrase));
    return `${seedFile} opens with the passphrase`;
  });

const folders = ({ signer: { journal, socket, apiSocket } }: Config): Promise<Check> =>
  looked('folders', async () => {
    for (const folder of new Set([journal, socket, apiSocket].map(dirname))) {
      try {
        accessSync(folder, constants.W_OK);
      } catch {
        throw new Error(`the signer must be able to write in ${folder}`);
      }
    }
    return 'journal and socket can be made';
  });

const doors = (config: Config): Promise<Check> =>
  looked('sockets', async () => {
    const isRoot = process.getuid?.() === 0;
    const mine = new Set([process.getgid?.(), ...(process.getgroups?.() ?? [])]);
    for (const { path, group } of signerConfigOf(config).doors) {
      if (group !== undefined && !isRoot && !mine.has(group))
        throw new Error(`the signer cannot give ${path} to the group ${group}, of which its user is no member`);
    }
    return 'can be given to their groups';
  });

const signer = async (socket: string): Promise<Check> => {
  const asked = await looked('signer', async () => {
    const keys = await openSigner(unixOutbound(socket)).publicKeys();
    return `answers for ${Object.keys(keys).join(', ')}`;
  });
  // It may be started later.
  return asked.result === 'ok' ? asked : { ...asked, result: 'warning' };
};

function database(config: Config, now: () => number): Promise<Check> {
  return looked('database', async () => {
    const db = openDb(config.database, 1);
    try {
      const before = now();
      const there = await databaseNow(db);
      const apart = skew(there, before, now());
      if (apart > DATABASE_MS) throw new Error(`its clock is ${Math.round(apart / 1_000)} s away from the one here`);
      const pending = await pendingMigrations(config.database);
      return pending.length === 0
        ? 'is up to date, its clock too'
        : `answers; wherry migrate will apply ${pending.length} changes`;
    } finally {
      await db.close();
    }
  });
}

function venue(config: Config, now: () => number): Promise<Check> {
  return looked('venue', async () => {
    const before = now();
    const there = await lookAtVenue(config, NOBODY, quickly, { now: () => now() as never });
    const apart = skew(there, before, now());
    if (apart > VENUE_MS) throw new Error(`its clock is ${Math.round(apart / 1_000)} s away from the one here`);
    return 'has the market, and the same time';
  });
}

/** An account that holds nothing: only public things are asked. */
const NOBODY = `0x${'0'.repeat(40)}` as Address;

/** Milliseconds between a clock that was read at some moment between these two, and this one. */
const skew = (there: number, before: number, after: number): number =>
  there < before ? before - there : Math.max(0, there - after);

const denyList = ({ screening: { denyListFile } }: Config): Promise<Check> =>
  looked('deny list', async () => {
    try {
      accessSync(denyListFile, constants.R_OK);
    } catch {
      throw new Error(`${denyListFile} cannot be read: while it is missing, nobody is cleared`);
    }
    return `${denyListFile} can be read`;
  });
