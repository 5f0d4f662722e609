import { randomBytes } from 'node:crypto';
import { checkConfig } from '../src/app/check-config.ts';
import type { Config } from '../src/app/config.ts';
import { binderOf } from '../src/app/process-keys.ts';
import { BOX_FAMILIES } from './families.ts';
import { units } from './family.ts';
import { type Places, readJson, writeJson } from './files.ts';
import { VENUE_DECIMALS, VENUE_ID, VENUE_TOKENS, wrapped, XMR1, XMR1_MARKET } from './venue-tokens.ts';

export interface Ports {
  readonly api: number;
  readonly operator: number;
  readonly control: number;
}

export const portsFrom = (first: number): Ports => ({ api: first, operator: first + 1, control: first + 2 });

/** Made once per directory: a database that outlives a run needs the keys it was written with. */
export interface Secrets {
  readonly api: string;
  readonly engine: string;
  readonly hash: string;
  readonly passphrase: string;
  readonly operatorToken: string;
  readonly walletPassword: string;
}

export function secretsOf(at: Places): Secrets {
  const saved = readJson(at.secrets) as Partial<Secrets> | undefined;
  const secrets: Secrets = {
    api: randomBytes(32).toString('hex'),
    engine: randomBytes(32).toString('hex'),
    hash: randomBytes(32).toString('hex'),
    passphrase: randomBytes(24).toString('base64url'),
    operatorToken: randomBytes(24).toString('base64url'),
    walletPassword: randomBytes(12).toString('base64url'),
    // One that an earlier release did not know yet is made now.
    ...saved,
  };
  writeJson(at.secrets, secrets);
  return secrets;
}

/** Where the service finds its counterparties: the addresses of the proxies, not of the nodes themselves. */
export interface Counterparties {
  readonly database: string;
  /** As each family has them in the settings. */
  readonly chains: Config['chains'];
  readonly providers?: Config['providers'];
  readonly venueUrl: string;
}

/** Nobody in the box has its key, as nobody at a desk has. */
export const COLD_STORE = '0xc01dc01dc01dc01dc01dc01dc01dc01dc01dc01d';

/** Far from what the box starts with and what is usually traded in it: nothing moves before somebody wants it to. */
const stockOf = ({ tron, zcash }: Config['chains']) => ({
  'USDT@42161': { low: '1000', target: '3000000', high: '50000000' },
  ...(tron ? { TRX1: { low: '3500000', target: '4000000' } } : {}),
  ...(zcash ? { ZEC: { low: '11000', target: '12500', fill: BRIDGED }, ZEC1: { low: '1000', target: '9900' } } : {}),
});
const BRIDGED = { from: 'ZEC1', mostCostPercent: '1', usdPerDay: '5000000', usdAtOnce: '1000000' };
/** By floor prices, which are a cent here. */
const FILLS_USD_PER_DAY = '1000000';

const HOST = '127.0.0.1';
const publicHalf = (key: string): string => binderOf(key).publicKey;

/** The same file that an operator writes for the real service; the limits are wide, for it is play money, but they work. */
export function writeConfig(at: Places, ports: Ports, secrets: Secrets, found: Counterparties): Config {
  const config = checkConfig({
    database: found.database,
    databaseConnections: 5,
    // Whoever tests here can be many visitors, each with an address and an allowance of their own.
    api: { host: HOST, port: ports.api, trustedProxies: [HOST] },
    pages: {
      publicUrl: `http://${HOST}:${ports.api}`,
      banner: {
        text: 'Play money: this is a sandbox. Here are addresses for you, and buttons that pay your orders.',
        link: `http://${HOST}:${ports.control}`,
        level: 'warning',
      },
    },
    operator: { host: HOST, port: ports.operator, token: secrets.operatorToken },
    keys: { api: secrets.api, engine: secrets.engine, hash: secrets.hash },
    partners: { localReceiver: `http://${HOST}:${ports.control}` },
    signer: {
      socket: at.signer.socket,
      apiSocket: at.signer.apiSocket,
      binders: { api: [publicHalf(secrets.api)], engine: [publicHalf(secrets.engine)] },
      seedFile: at.signer.seed,
      passphrase: secrets.passphrase,
      journal: at.signer.journal,
      cold: { 'USDT@42161': { address: COLD_STORE, perDay: '1000000000' } },
      fillsUsdPerDay: FILLS_USD_PER_DAY,
      limits: signerLimits(),
    },
    chains: found.chains,
    providers: found.providers ?? {},
    venue: {
      url: found.venueUrl,
      baseTokenId: XMR1,
      market: XMR1_MARKET,
      bridges: { trx: wrapped('TRX1'), zec: wrapped('ZEC1') },
    },
    fees: { servicePercent: '0.3' },
    bridges: {
      depositPercent: '0.1',
      withdrawalPercent: '0.1',
      withdrawalFlat: { xmr: '0.001', trx: '2', zec: '0.001' },
      minimums: { xmr: '0.05', trx: '50', zec: '0.05' },
    },
    slippage: { endToEndPercent: '3', perLegPercent: '1' },
    largestOrderUsd: 1_000_000,
    treasury: { venueUsdcLow: '500000', venueUsdcHigh: '5000000', hotUsdcLow: '500000', stock: stockOf(found.chains) },
    screening: { denyListFile: at.denyList },
    addressPool: 64,
    clockOffsetFile: at.clockOffset,
    logLevel: 'info',
  } satisfies Config);
  writeJson(at.config, config);
  return config;
}

/** Coins here are worth what their makers say; the limit over all of them is not what is shown by play money. */
const FLOOR_USD = '0.01';

/** By asset what may leave; by chain what gas and a transfer may cost, in its own coin; trades in the venue's atoms. */
function signerLimits(): Config['signer']['limits'] {
  const chains = BOX_FAMILIES.flatMap(({ limits }) => limits);
  const assets = [
    ...chains.flatMap((chain) => chain.assets),
    ...VENUE_TOKENS.map(({ token, decimals }) => ({ id: `${VENUE_ID}:${token}`, decimals })),
  ];
  const [perTransfer, perDay] = [1_000_000_000, 10_000_000_000];
  return {
    assets: Object.fromEntries(
      assets.map(({ id, decimals }) => [
        id,
        { perTransfer: units(perTransfer, decimals), perDay: units(perDay, decimals), floorUsd: FLOOR_USD },
      ]),
    ),
    usdPerDay: `${perDay}`,
    engine: { usdPerTransfer: `${perTransfer}`, usdPerDay: `${perDay / 2}` },
    chains: Object.fromEntries([
      ...chains.map(({ chainId, gas, cost }) => [chainId, aDay({ gas, cost })] as const),
      // Opening an account costs a dollar, and a deposit account is given twice what it needs.
      [VENUE_ID, aDay({ gas: units(2, VENUE_DECIMALS), cost: units(1, VENUE_DECIMALS) })],
    ]),
    trades: {
      size: units(1_000_000, VENUE_DECIMALS),
      sellPerDay: units(10_000_000, VENUE_DECIMALS),
      price: { least: '1', most: '100000' },
      notional: units(perTransfer, VENUE_DECIMALS),
      notionalPerDay: units(perDay, VENUE_DECIMALS),
    },
  };
}

/** Ten thousand times the most of one. */
const aDay = ({ gas, cost }: { readonly gas: string; readonly cost: string }) => ({
  ...{ gas, gasPerDay: `${BigInt(gas) * 10_000n}`, cost, costPerDay: `${BigInt(cost) * 10_000n}` },
});
