import { randomBytes } from 'node:crypto';
import { type Config, checkConfig } from '../src/app/config.ts';
import { BITCOIN_ID } from '../src/world/chains/bitcoin/codec.ts';
import { BTC_ASSET } from '../src/world/chains/bitcoin/rules.ts';
import { EVM_NETWORKS } from '../src/world/chains/evm/networks.ts';
import { MONERO_ID, XMR_ASSET } from '../src/world/chains/monero/rules.ts';
import { SOLANA_ID } from '../src/world/chains/solana/codec.ts';
import { SOLANA_ASSETS } from '../src/world/chains/solana/rules.ts';
import { TRON_ID } from '../src/world/chains/tron/codec.ts';
import { TRX_ASSET, USDT_ASSET } from '../src/world/chains/tron/rules.ts';
import { ZCASH_ID, ZEC_ASSET } from '../src/world/chains/zcash/rules.ts';
import { type Places, readJson, writeJson } from './files.ts';
import { BITCOIN_START } from './nodes/bitcoin-world.ts';
import type { PlaceToken } from './place.ts';
import { TOKEN_DECIMALS, TOKENS, type TokenName } from './simulators/hyperliquid/state.ts';

/** The venue's tokens, found by their ids, because anyone may deploy a token of the same name. */
export const XMR1 = TOKENS.XMR1.tokenId;
export const VENUE_USDC = TOKENS.USDC.tokenId;
const VENUE_DECIMALS = TOKEN_DECIMALS;
export const VENUE_ID = 1337;
const wrapped = (name: TokenName) => ({ tokenId: TOKENS[name].tokenId, decimals: VENUE_DECIMALS });
export const VENUE_TOKENS: readonly PlaceToken[] = Object.entries(TOKENS).map(([symbol, { tokenId }]) => ({
  ...{ token: tokenId, symbol, decimals: VENUE_DECIMALS },
}));

export interface Ports {
  readonly api: number;
  readonly operator: number;
  readonly control: number;
}

export const portsFrom = (first: number): Ports => ({ api: first, operator: first + 1, control: first + 2 });

/** Made once per directory: a database that outlives a run needs the keys it was written with. */
export interface Secrets {
  readonly binding: string;
  readonly hash: string;
  readonly passphrase: string;
  readonly operatorToken: string;
  readonly walletPassword: string;
}

export function secretsOf(at: Places): Secrets {
  const saved = readJson(at.secrets) as Secrets | undefined;
  if (saved) return saved;
  const fresh: Secrets = {
    binding: randomBytes(32).toString('hex'),
    hash: randomBytes(32).toString('hex'),
    passphrase: randomBytes(24).toString('base64url'),
    operatorToken: randomBytes(24).toString('base64url'),
    walletPassword: randomBytes(12).toString('base64url'),
  };
  writeJson(at.secrets, fresh);
  return fresh;
}

/**
 * Where the service finds its counterparties: the addresses of the proxies, not of the nodes themselves. A world may do
 * without some of them.
 */
export interface Counterparties {
  readonly database: string;
  readonly evm: readonly { readonly chainId: number; readonly rpcUrl: string }[];
  readonly monero: { readonly daemonUrl: string; readonly viewWalletUrl: string; readonly spendWalletUrl: string };
  readonly bitcoin?: Pick<Bitcoin, 'network' | 'rpcUrl' | 'rpcLogin'>;
  readonly solana?: Pick<Solana, 'rpcUrl' | 'genesisHash'>;
  readonly tron?: Pick<Tron, 'nodeUrl'>;
  readonly zcash?: Omit<Zcash, 'confirmations' | 'scanFrom'>;
  readonly providers?: Config['providers'];
  readonly venueUrl: string;
}

type Bitcoin = NonNullable<Config['chains']['bitcoin']>;
type Solana = NonNullable<Config['chains']['solana']>;
type Tron = NonNullable<Config['chains']['tron']>;
type Zcash = NonNullable<Config['chains']['zcash']>;

/** A block comes every second here, so depth is cheap: real reorganisations can be played and orders still end soon. */
const EVM_FINALITY = { small: 2, large: 4 } as const;
const MONERO_CONFIRMATIONS = { small: 10, large: 20 } as const;
const TRON_CONFIRMATIONS = { small: 2, large: 4 } as const;
const ZCASH_CONFIRMATIONS = 3;
/** Blocks of the box are never full, so no node can tell what haste costs. */
const BITCOIN = { confirmations: { small: 2, large: 3 }, blindFeeRate: '20000', scanFrom: BITCOIN_START } as const;
const OUTPUT_POOL = 64;
const HOST = '127.0.0.1';

/** The same file that an operator writes for the real service; the limits are wide, for it is play money, but they work. */
export function writeConfig(at: Places, ports: Ports, secrets: Secrets, found: Counterparties): Config {
  const config = checkConfig({
    database: found.database,
    databaseConnections: 5,
    api: { host: HOST, port: ports.api },
    operator: { host: HOST, port: ports.operator, token: secrets.operatorToken },
    keys: { binding: secrets.binding, hash: secrets.hash },
    partners: { localReceiver: `http://${HOST}:${ports.control}` },
    signer: {
      socket: at.signer.socket,
      seedFile: at.signer.seed,
      passphrase: secrets.passphrase,
      journal: at.signer.journal,
      limits: signerLimits(),
    },
    chains: {
      evm: found.evm.map((chain) => ({ ...chain, finality: EVM_FINALITY, scanFrom: 0 })),
      monero: {
        ...found.monero,
        walletPassword: secrets.walletPassword,
        restoreHeight: 0,
        confirmations: MONERO_CONFIRMATIONS,
        outputPool: OUTPUT_POOL,
      },
      // What the desk was given before it first started is found as well: it is inventory.
      ...(found.bitcoin && { bitcoin: { ...found.bitcoin, ...BITCOIN } }),
      ...(found.solana && { solana: { ...found.solana, scanFrom: 0 } }),
      ...(found.tron && { tron: { ...found.tron, confirmations: TRON_CONFIRMATIONS, scanFrom: 0 } }),
      ...(found.zcash && { zcash: { ...found.zcash, confirmations: ZCASH_CONFIRMATIONS, scanFrom: 0 } }),
    },
    providers: found.providers ?? {},
    venue: { url: found.venueUrl, baseTokenId: XMR1, bridges: { trx: wrapped('TRX1'), zec: wrapped('ZEC1') } },
    fees: { servicePercent: '0.3' },
    bridges: {
      depositPercent: '0.1',
      withdrawalPercent: '0.1',
      withdrawalFlat: { xmr: '0.001', trx: '2', zec: '0.001' },
      minimums: { xmr: '0.05', trx: '50', zec: '0.05' },
    },
    slippage: { endToEndPercent: '3', perLegPercent: '1' },
    largestOrderUsd: 1_000_000,
    treasury: { venueUsdcLow: '500000', venueUsdcHigh: '5000000', hotUsdcLow: '500000' },
    screening: { denyListFile: at.denyList },
    addressPool: 128,
    clockOffsetFile: at.clockOffset,
    logLevel: 'info',
  } satisfies Config);
  writeJson(at.config, config);
  return config;
}

/** By asset what may leave; by chain what gas and a transfer may cost, in its own coin; trades in the venue's atoms. */
function signerLimits(): Config['signer']['limits'] {
  const assets = [
    ...EVM_NETWORKS.flatMap(({ facts }) => facts.assets),
    ...[XMR_ASSET, BTC_ASSET, ...SOLANA_ASSETS, TRX_ASSET, USDT_ASSET, ZEC_ASSET],
    ...VENUE_TOKENS.map(({ token, decimals }) => ({ id: `${VENUE_ID}:${token}`, decimals })),
  ];
  const [perTransfer, perDay] = [units(1_000_000_000), units(10_000_000_000)];
  return {
    assets: Object.fromEntries(
      assets.map(({ id, decimals }) => [id, { perTransfer: perTransfer(decimals), perDay: perDay(decimals) }]),
    ),
    chains: Object.fromEntries([
      ...EVM_NETWORKS.map(({ facts }) => [facts.id, { gas: units(1)(18), cost: units(1)(18) }] as const),
      [MONERO_ID, { gas: '0', cost: units(1)(12) }],
      [BITCOIN_ID, { gas: '0', cost: units(1)(7) }],
      // Opening a customer's token account costs two thousandths of a coin.
      [SOLANA_ID, { gas: units(1)(8), cost: units(1)(8) }],
      // A call of the token may burn up to a hundred and fifty.
      [TRON_ID, { gas: units(200)(6), cost: units(200)(6) }],
      [ZCASH_ID, { gas: '0', cost: units(1)(6) }],
      // Opening an account costs a dollar, and a deposit account is given twice what it needs.
      [VENUE_ID, { gas: units(2)(VENUE_DECIMALS), cost: units(1)(VENUE_DECIMALS) }],
    ]),
    trades: {
      size: units(1_000_000)(VENUE_DECIMALS),
      notional: perTransfer(VENUE_DECIMALS),
      notionalPerDay: perDay(VENUE_DECIMALS),
    },
  };
}

const units = (whole: number) => (decimals: number) => `${whole}${'0'.repeat(decimals)}`;
