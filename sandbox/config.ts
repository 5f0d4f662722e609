import { randomBytes } from 'node:crypto';
import { type Config, checkConfig } from '../src/app/config.ts';
import { EVM_NETWORKS } from '../src/world/chains/evm/networks.ts';
import { type Places, readJson, writeJson } from './files.ts';

/** XMR1 on the venue: found by its id, because anyone may deploy a token of that name. */
export const XMR1 = '0xbb2057659bd378d17e2e151bb04bdcaa';
/** The venue's USDC, its token number zero. */
export const VENUE_USDC = '0x6d1e7cde53ba9467b783cb7c530ce054';

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

/** Where the service finds its counterparties: the addresses of the proxies, not of the nodes themselves. */
export interface Counterparties {
  readonly database: string;
  readonly evm: readonly { readonly chainId: number; readonly rpcUrl: string }[];
  readonly monero: { readonly daemonUrl: string; readonly viewWalletUrl: string; readonly spendWalletUrl: string };
  readonly venueUrl: string;
}

/** A block comes every second here, so depth is cheap: real reorganisations can be played and orders still end soon. */
const EVM_FINALITY = { small: 2, large: 4 } as const;
const MONERO_CONFIRMATIONS = { small: 10, large: 20 } as const;
const OUTPUT_POOL = 64;
const HOST = '127.0.0.1';
const VENUE_DECIMALS = 8;

/** The same file that an operator writes for the real service; the limits are wide, for it is play money, but they work. */
export function writeConfig(at: Places, ports: Ports, secrets: Secrets, found: Counterparties): Config {
  const config = checkConfig({
    database: found.database,
    api: { host: HOST, port: ports.api },
    operator: { host: HOST, port: ports.operator, token: secrets.operatorToken },
    keys: { binding: secrets.binding, hash: secrets.hash },
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
    },
    venue: { url: found.venueUrl, baseTokenId: XMR1 },
    fees: { servicePercent: '0.3' },
    slippage: { endToEndPercent: '3' },
    treasury: { venueUsdcLow: '100000', venueUsdcHigh: '1000000', hotUsdcLow: '100000' },
    screening: { denyListFile: at.denyList },
    addressPool: 256,
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
    { id: '0:XMR', decimals: 12 },
    { id: `1337:${XMR1}`, decimals: VENUE_DECIMALS },
    { id: `1337:${VENUE_USDC}`, decimals: VENUE_DECIMALS },
  ];
  const [perTransfer, perDay] = [units(1_000_000_000), units(10_000_000_000)];
  return {
    assets: Object.fromEntries(
      assets.map(({ id, decimals }) => [id, { perTransfer: perTransfer(decimals), perDay: perDay(decimals) }]),
    ),
    chains: Object.fromEntries([
      ...EVM_NETWORKS.map(({ facts }) => [facts.id, { gas: units(1)(18), cost: units(1)(18) }]),
      [0, { gas: '0', cost: units(1)(12) }],
    ]),
    trades: {
      size: units(1_000_000)(VENUE_DECIMALS),
      notional: perTransfer(VENUE_DECIMALS),
      notionalPerDay: perDay(VENUE_DECIMALS),
    },
  };
}

const units = (whole: number) => (decimals: number) => `${whole}${'0'.repeat(decimals)}`;
