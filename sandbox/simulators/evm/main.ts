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
const inTurn = <T>(work: () => T | Promise<T>): Promise<T> => {
  const next = last.then(work);
  last = next.catch(() => undefined);
  return next;
};
const saving = values['dump-state'] === undefined ? undefined : keepSaved(values['dump-state']);
const server = await serveText(
  (body) =>
    inTurn(async () => {
      const said = await answerLater(body, methods, { params: [], result: null });
      saving?.look();
      return [200, JSON.stringify(said)] as const;
    }),
  { port: Number(values.port) },
);
console.log(`Listening on 127.0.0.1:${server.port}`);
for (const signal of ['SIGTERM', 'SIGINT'] as const)
  process.once(signal, () => void inTurn(() => saving?.save()).finally(() => process.exit(0)));

/**
 * Writes the chain now and then, and soon after a block with a payment: whoever kills the node takes as little with him as that costs. Of
 * its time it spends a twentieth on it.
 */
function keepSaved(file: string) {
  let [seen, tookMs] = [chain.tip.height, 0];
  let soon: NodeJS.Timeout | undefined;
  const save = () => {
    const began = performance.now();
    clearTimeout(soon);
    soon = undefined;
    saveChain(chain, file);
    tookMs = performance.now() - began;
  };
  const saveInTurn = () => void inTurn(save);
  setInterval(saveInTurn, Number(values['state-interval'] ?? 60) * 1000).unref();
  const look = () => {
    const isPaid = chain.blocks.slice(seen + 1).some(({ txs }) => txs.length > 0);
    seen = chain.tip.height;
    if (isPaid) soon ??= setTimeout(saveInTurn, tookMs * 20).unref();
  };
  return { save, look };
}

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
