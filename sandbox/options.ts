import { parseArgs } from 'node:util';

export interface Options {
  /** undefined: real where the software is there, simulated elsewhere. */
  readonly nodes: 'real' | 'simulated' | undefined;
  readonly reset: boolean;
  readonly portBase: number;
  readonly dir: string;
  readonly evmStates: number;
}

export const HELP = `Wherry in a box: the whole service with its own database, chains, trading venue and swap providers, with
play money.

  npm start -- [options]

  --simulated      simulate every chain that can be simulated
  --real           real node software for every chain that has it, or nothing at all
  --reset          forget the last run
  --port-base N    API on N, operator API on N+1, sandbox control on N+2 (default 8080)
  --dir PATH       where everything is kept (default .wherry)
  --evm-states N   EVM nodes keep the states of the last N blocks (at least 128, which is the default). All of them are written every
                   20 seconds: with many a sandbox grows slow and large within the hour
  --help           this text

  Chains           real node, where it is found                simulated
  Ethereum, Optimism, BNB Chain, Polygon, Base, Arbitrum
                   anvil (npm)                                 otherwise
  Monero           monerod and monero-wallet-rpc (PATH)        otherwise
  Bitcoin          bitcoind or litecoind (PATH)                otherwise
  Solana           Surfpool (npm), with --real alone: it       otherwise
                   forgets all when it stops
  Tron, Zcash      none                                        always
  The venue (Hyperliquid) and the providers (1Click, Relay) are simulated.
`;

/** Three ports from the base on must be valid. */
const LAST_PORT_BASE = 65_533;
/** More blocks than may be replaced at once. */
const LEAST_STATES = 128;

export function readOptions(args: readonly string[]): Options | 'help' {
  const { values } = parseArgs({
    args: [...args],
    options: {
      real: { type: 'boolean', default: false },
      simulated: { type: 'boolean', default: false },
      reset: { type: 'boolean', default: false },
      'port-base': { type: 'string', default: '8080' },
      dir: { type: 'string', default: '.wherry' },
      'evm-states': { type: 'string', default: `${LEAST_STATES}` },
      help: { type: 'boolean', default: false },
    },
    strict: true,
  });
  if (values.help) return 'help';
  if (values.real && values.simulated) throw new Error('--real and --simulated exclude each other.');
  const portBase = /^\d{1,5}$/.test(values['port-base']) ? Number(values['port-base']) : 0;
  if (portBase < 1 || portBase > LAST_PORT_BASE)
    throw new Error(`--port-base takes a number from 1 to ${LAST_PORT_BASE}.`);
  const evmStates = Number(values['evm-states']);
  if (!Number.isSafeInteger(evmStates) || evmStates < LEAST_STATES)
    throw new Error(`--evm-states takes a number from ${LEAST_STATES} on.`);
  if (values.dir === '') throw new Error('--dir takes a path.');
  return {
    nodes: values.real ? 'real' : values.simulated ? 'simulated' : undefined,
    reset: values.reset,
    portBase,
    dir: values.dir,
    evmStates,
  };
}
