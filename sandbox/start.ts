import { HELP, type Options, readOptions } from './options.ts';
import { type Sandbox, startSandbox } from './sandbox.ts';

/** USDC on Arbitrum. */
const USDC = '0xaf88d065e77c8cC2239327C5EDb3A432268e5831';

const say = (line: string) => console.log(line);

/** Since when somebody waits for us. */
const [launchedAt = '', ...args] = process.argv.slice(2);
/** The service's program is told as soon as it is built. */
const program = new Promise<string>((resolve) => process.once('message', (path) => resolve(String(path))));
const sandbox = await startOrLeave(optionsOrLeave(args));
let isStopping = false;
/** Whatever one part of the world fails at in the background, the others go on: a slow node is no reason to forget everything. */
process.on('unhandledRejection', (error) => say(`Something failed in the background: ${(error as Error).message}`));
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void stop(signal));

function optionsOrLeave(given: readonly string[]): Options {
  try {
    const read = readOptions(given);
    if (read !== 'help') return read;
    console.log(HELP);
    process.exit(0);
  } catch (error) {
    return leave(`${(error as Error).message}\nTry --help.`);
  }
}

/** A signal before all is up ends this process at once; everything that it started notices and goes too. */
async function startOrLeave(options: Options): Promise<Sandbox> {
  say('Starting Wherry with its own database, chains, venue and providers. Play money only.');
  try {
    const started = await startSandbox(options, program, say);
    say(welcome(started, (Date.now() - Number(launchedAt)) / 1000));
    return started;
  } catch (error) {
    return leave((error as Error).message);
  }
}

function leave(why: string): never {
  console.error(why);
  process.exit(1);
}

async function stop(signal: NodeJS.Signals): Promise<void> {
  // Whoever asks twice does not want to wait.
  if (isStopping) process.exit(130);
  isStopping = true;
  say(signal === 'SIGINT' ? '\nStopping.' : 'Stopping.');
  await sandbox.stop();
  const next = sandbox.resumes
    ? 'The next start takes up from here; --reset forgets.'
    : 'The next start is a fresh one.';
  say(`Stopped. ${next}`);
  process.exit(0);
}

function welcome({ info, payTo }: Sandbox, seconds: number): string {
  const chains = info.chains.map(({ name, kind, rpcUrl }) => `  ${name.padEnd(14)} ${kind.padEnd(10)} ${rpcUrl}`);
  const swap = {
    fromChainId: 42161,
    fromToken: USDC,
    fromAmount: '100000000',
    toChainId: 0,
    toToken: 'XMR',
    toAddress: payTo,
  };
  const payment = { chainId: 42161, token: USDC, to: '<depositAddress>', amount: '100000000' };
  const curl = (url: string, body: object) =>
    `  curl ${url} -H 'content-type: application/json' -d '${JSON.stringify(body)}'`;
  return `
${chains.join('\n')}

  pages and API  ${info.apiUrl}
  operator API   ${info.operatorUrl}
  control        ${info.controlUrl}

What are 100 USDC on Arbitrum worth in Monero? Then an order for them, and the customer pays:

${curl(`${info.apiUrl}/v2/swaps/quote`, swap)}
${curl(`${info.apiUrl}/v2/swaps`, swap)}
${curl(`${info.controlUrl}/sandbox/pay`, payment)}

Ready after ${seconds.toFixed(1)} s. Ctrl-C stops everything.`;
}
