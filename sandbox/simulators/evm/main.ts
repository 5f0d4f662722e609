import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { answerLater, type Methods, RpcFailure, serveText } from '../rpc-server.ts';
import { EvmChain } from './chain.ts';
import { readChain, saveChain } from './file.ts';
import { handMethods } from './hand-methods.ts';
import { type Params, readMethods } from './read-methods.ts';

/** A program of its own, told what to do as the real node is, so that whoever starts, ends and kills the one does so with the other. */
const { values } = parseArgs({
  options: {
    host: { type: 'string' },
    port: { type: 'string', default: '0' },
    'chain-id': { type: 'string', default: '31337' },
    'no-mining': { type: 'boolean' },
    'slots-in-an-epoch': { type: 'string' },
    'load-state': { type: 'string' },
    'dump-state': { type: 'string' },
    'state-interval': { type: 'string' },
    'preserve-historical-states': { type: 'boolean' },
    'prune-history': { type: 'string' },
    'cache-path': { type: 'string' },
    'fork-url': { type: 'string' },
  },
});
process.title = ['evm-simulator', ...process.argv.slice(2)].join(' ');

const statesKept = values['prune-history'] === undefined ? Number.POSITIVE_INFINITY : Number(values['prune-history']);
const chain = await EvmChain.open(Number(values['chain-id']), statesKept);
const isNew = values['load-state'] === undefined && values['fork-url'] === undefined;
if (values['load-state'] !== undefined) readChain(chain, readFileSync(values['load-state'], 'utf8'));
if (values['fork-url'] !== undefined) readChain(chain, await copyFrom(values['fork-url']));
const methods = withRefusals({ ...readMethods(chain), ...handMethods(chain, isNew, copyFrom) });

/** One thing after the other: the machine works on one state. */
let last: Promise<unknown> = Promise.resolve();
const server = await serveText(
  (body) => {
    const next = last.then(() => answerLater(body, methods, { params: [], result: null }));
    last = next.catch(() => undefined);
    return next.then((said) => [200, JSON.stringify(said)] as const);
  },
  { port: Number(values.port) },
);
console.log(`Listening on 127.0.0.1:${server.port}`);

const file = values['dump-state'];
const save = (): void => {
  last = last.then(() => file && saveChain(chain, file));
};
if (file !== undefined) setInterval(save, Number(values['state-interval'] ?? 60) * 1000).unref();
for (const signal of ['SIGTERM', 'SIGINT'] as const)
  process.once(signal, () => {
    save();
    void last.finally(() => process.exit(0));
  });

/** Numbers and bytes are read where they are used, and whatever is wrong with them is the caller's. */
function withRefusals(known: Methods<Params>): Methods<Params> {
  const refusing = (run: (params: Params) => unknown) => async (params: Params) => {
    try {
      return await run(params);
    } catch (error) {
      throw error instanceof RpcFailure ? error : new RpcFailure(-32602, (error as Error).message);
    }
  };
  return Object.fromEntries(Object.entries(known).map(([name, run]) => [name, refusing(run)]));
}

async function copyFrom(url: string): Promise<string> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'anvil_dumpState', params: [] });
  const reply = await fetch(url, { method: 'POST', body });
  const { result } = (await reply.json()) as { readonly result: string };
  return gunzipSync(Buffer.from(result.slice(2), 'hex')).toString('utf8');
}
