import assert from 'node:assert/strict';
import { setTimeout as pause } from 'node:timers/promises';
import { PROVIDERS } from '../../sandbox/providers.ts';
import type { Box } from '../e2e/box.ts';
import { familyOf } from '../e2e/processes.ts';
import { signal } from '../run/family.ts';

/** What befalls the desk, one thing after another. Each is over when it resolves; nothing of it loses what a chain has settled. */
export interface Mishap {
  readonly name: string;
  /** A customer's own wallet may notice it as well. */
  readonly isOfNodes?: true;
  befall(): Promise<void>;
}

type Random = () => number;

export const pick = <T>(random: Random, all: readonly T[]): T => {
  const one = all[Math.floor(random() * all.length)];
  assert.ok(one !== undefined, 'nothing to choose from');
  return one;
};

const VENUE = 1337;
/** Chains of which the sandbox can take blocks back. */
const REORGANISED = [1, 42_161, 8453, 0, 20_000_000_000_001] as const;
const ROLES = ['engine', 'signer', 'api'] as const;
const LOST = ['down', 'slow', 'error_after_effect', 'reject'] as const;
/** Programs of others that a real desk stands on, and may find hanging. */
const HANGS = /(^|\/)(anvil|evm-simulator|monerod|monero-wallet-rpc|litecoind|bitcoind|surfpool)( |$)/;
/** What keeps all it knows on the disk comes back as it was. */
const DIES = /(^|\/)monero-wallet-rpc( |$)|(^|\/)postgres -D/;

const SHORTEST_MS = 1_000;
const LONGEST_MS = 5_000;
/** So much of the desk's time passes at once. */
const STEP_MS = 4 * 60_000;

/** Everything that can happen, each as likely as the next. */
const KINDS: Readonly<Record<string, (box: Box, random: Random) => Mishap | undefined>> = {
  killed: (box, random) => {
    const role = pick(random, ROLES);
    return {
      name: `the ${role} is killed`,
      befall: () => control(box, '/sandbox/kill', { role, signal: 'SIGKILL' }),
    };
  },
  lost: (box, random) => {
    const chains = box.info.chains.map(({ chainId }) => (chainId === VENUE ? 'venue' : `chain:${chainId}`));
    const target = pick(random, [...chains, ...PROVIDERS.map((name) => `provider:${name}`)]);
    const mode = pick(random, LOST);
    const ms = between(random);
    return {
      name: `${target} is ${mode} for ${ms} ms`,
      async befall() {
        await control(box, '/sandbox/fault', { target, mode });
        await pause(ms);
        await clear(box);
      },
    };
  },
  unscreened: (box, random) => {
    const ms = between(random);
    return {
      name: `nobody screens for ${ms} ms`,
      async befall() {
        await control(box, '/sandbox/fault', { target: 'screening', mode: 'down' });
        await pause(ms);
        await clear(box);
      },
    };
  },
  reorganised: (box, random) => {
    const chainId = pick(random, REORGANISED);
    const depth = 1 + Math.floor(random() * 2);
    return {
      name: `${chainId} takes ${depth} blocks back`,
      befall: () => control(box, '/sandbox/reorg', { chainId, depth }),
    };
  },
  blockless: (box, random) => {
    const { chainId } = pick(
      random,
      box.info.chains.filter((one) => one.chainId !== VENUE),
    );
    const ms = between(random);
    const rhythm = (intervalMs: number) => control(box, '/sandbox/automine', { chainId, intervalMs });
    return {
      name: `${chainId} makes no blocks for ${ms} ms`,
      async befall() {
        await rhythm(0);
        await pause(ms);
        await rhythm(1_000);
      },
    };
  },
  later: (box) => ({
    name: 'minutes pass at once',
    befall: () => control(box, '/sandbox/clock', { advanceMs: STEP_MS }),
  }),
  hanging: (box, random) => {
    const node = oneOf(box, random, HANGS);
    const ms = between(random);
    return (
      node && {
        name: `${node.name} hangs for ${ms} ms`,
        isOfNodes: true,
        async befall() {
          signal(node.pid, 'SIGSTOP');
          await pause(ms);
          signal(node.pid, 'SIGCONT');
        },
      }
    );
  },
  dying: (box, random) => {
    const child = oneOf(box, random, DIES);
    return child && { name: `${child.name} dies`, isOfNodes: true, befall: async () => signal(child.pid, 'SIGKILL') };
  },
};

const between = (random: Random): number => Math.floor(SHORTEST_MS + random() * (LONGEST_MS - SHORTEST_MS));

/** What cannot happen in this sandbox, since it has no such part, is something else. */
export function nextMishap(box: Box, random: Random): Mishap {
  for (;;) {
    const mishap = pick(random, Object.values(KINDS))(box, random);
    if (mishap) return mishap;
  }
}

async function control(box: Box, path: string, body: object): Promise<void> {
  const reply = await box.control('POST', path, body);
  assert.equal(reply.status, 200, `${path} ${JSON.stringify(body)}: ${JSON.stringify(reply.body)}`);
}

export async function clear(box: Box): Promise<void> {
  assert.equal((await box.control('DELETE', '/sandbox/faults')).status, 200);
}

function oneOf(box: Box, random: Random, like: RegExp) {
  const found = familyOf(box.info.pid).filter(({ command }) => like.test(command));
  if (found.length === 0) return undefined;
  const { pid, command } = pick(random, found);
  return { pid, name: /(?:^|\/)([\w-]+)(?: |$)/.exec(command)?.[1] ?? command };
}
