import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { present } from '../src/kernel/assert.ts';
import { openClock } from './clock.ts';
import { type Ports, portsFrom, secretsOf, writeConfig } from './config.ts';
import { controlCalls } from './control/calls.ts';
import { controlPages } from './control/page.ts';
import { type Control, startControl } from './control/server.ts';
import { openWebhookReceiver, RECEIVER_PATH, type WebhookReceiver } from './control/webhook-receiver.ts';
import { databaseLogins } from './database-logins.ts';
import { areBridgesOpen, type Demo, demoIntegration, switchBridgesOn } from './demo.ts';
import { makeFolders, type Places, places, readJson, wipe, writeJson } from './files.ts';
import {
  claimDirectory,
  expectAlone,
  expectFree,
  expectOurs,
  forgetLastInfo,
  leaveDirectory,
  portProblem,
  untilLeftoversEnd,
} from './instance.ts';
import { onChildNews } from './kept-process.ts';
import { canResume, chooseNodes, type Nodes } from './node-choice.ts';
import type { Options } from './options.ts';
import { knownTree, writeSeed } from './seed.ts';
import { ROLES, type Role, type Supervisor, supervise } from './supervisor.ts';
import { fundTreasury, openVenueAccount } from './treasury.ts';
import { startWorld, type World } from './world.ts';

/** `.wherry/sandbox.json`. */
export interface SandboxInfo {
  readonly apiUrl: string;
  readonly operatorUrl: string;
  readonly operatorToken: string;
  readonly controlUrl: string;
  readonly pid: number;
  readonly chains: readonly {
    readonly chainId: number;
    readonly name: string;
    readonly kind: 'real' | 'simulated';
    readonly rpcUrl: string;
  }[];
  readonly demo: Demo;
  /** Takes webhooks and keeps them; `GET /sandbox/webhooks` shows what came. */
  readonly webhookUrl: string;
}

export interface Sandbox {
  readonly info: SandboxInfo;
  /** An address of the customer for the first order, to try things with. */
  readonly payTo: string;
  /** Whether the next start can go on from where this one stops. */
  readonly resumes: boolean;
  stop(): Promise<void>;
}

/** A machine under load may need many times the usual seconds. Roles that cannot start are noticed sooner, by their ends. */
const READY_WITHIN_MS = 600_000;
/** A role that ends this often before all is ready will not get better by itself. */
const ENDS_BEFORE_GIVING_UP = 4;
const ASK_EVERY_MS = 100;
/** The order that the greeting shows is paid out in Monero. */
const FIRST_ORDER_PAYS = 0;
const FORGETFUL = 'Solana’s real node keeps nothing when it stops, so everything starts afresh; --simulated resumes.';

/** `program`: what the three roles run. */
export async function startSandbox(
  options: Options,
  program: Promise<string>,
  say: (line: string) => void,
): Promise<Sandbox> {
  const at = places(options.dir);
  const ports = portsFrom(options.portBase);
  const nodes = chooseNodes(options.nodes);
  expectOurs(at);
  await expectAlone(at);
  forgetLastInfo(at);
  const wasKilled = existsSync(at.pid);
  if (wasKilled) await untilLeftoversEnd(at);
  await Promise.all([expectFree(ports.api), expectFree(ports.operator)]);
  const control = await startControl(ports.control).catch((error) => {
    throw portProblem(ports.control, error);
  });
  makeFolders(at);
  claimDirectory(at, ports.control);
  const running = new Running(at, control);
  try {
    return await bringUp({ options, at, ports, nodes, program, running, say, wasKilled });
  } catch (error) {
    await running.stop();
    throw error;
  }
}

interface BringingUp {
  readonly options: Options;
  readonly at: Places;
  readonly ports: Ports;
  readonly nodes: Nodes;
  readonly program: Promise<string>;
  readonly running: Running;
  readonly say: (line: string) => void;
  /** The sandbox before this one had no chance to stop what it had started. */
  readonly wasKilled: boolean;
}

async function bringUp({ options, at, ports, nodes, program, running, say, wasKilled }: BringingUp): Promise<Sandbox> {
  onChildNews(say);
  const resumes = takeUp(at, nodes, options.reset, wasKilled, say);
  const clock = openClock(at.clockOffset);
  const secrets = secretsOf(at);
  const { walletPassword } = secrets;
  const world = await startWorld({
    at,
    nodes,
    resumes,
    clock,
    tree: knownTree(),
    walletPassword,
    evmStates: options.evmStates,
  });
  running.world = world;
  const [database] = await Promise.all([
    world.database,
    begin(world, resumes),
    writeSeed(at.signer, secrets.passphrase),
  ]);
  writeConfig(at, ports, secrets, { ...world.counterparties, database });

  const supervisor = supervise({
    program: await program,
    env: { WHERRY_CONFIG: at.config },
    databases: await databaseLogins(database),
    logs: at.logs,
    onRestart: (role, why) => say(`The ${role} ${why} and is started again.`),
  });
  running.supervisor = supervisor;
  for (const role of ROLES) supervisor.start(role);
  const apiUrl = `http://127.0.0.1:${ports.api}`;
  const operatorUrl = `http://127.0.0.1:${ports.operator}`;
  const operator = { url: operatorUrl, token: secrets.operatorToken };
  const opening = async (): Promise<Demo> => {
    await eventually(supervisor, async () => Boolean(await fetch(operatorUrl)));
    const made = await demoIntegration(at.demo, operator, () => openVenueAccount(world));
    if (!resumes) await switchBridgesOn(operator);
    return made;
  };
  const [demo] = await Promise.all([
    opening(),
    eventually(supervisor, async () => (await fetch(`${apiUrl}/readyz`)).status === 200),
  ]);
  if (!resumes) await eventually(supervisor, () => areBridgesOpen(apiUrl, demo));
  const info: SandboxInfo = {
    apiUrl,
    operatorUrl,
    operatorToken: secrets.operatorToken,
    controlUrl: running.control.url,
    pid: process.pid,
    chains: world.places.map(({ chainId, name, kind, rpcUrl }) => ({ chainId, name, kind, rpcUrl })),
    demo,
    webhookUrl: running.control.url + RECEIVER_PATH,
  };
  const box = { world, supervisor, clock, info: withoutSecrets(info) };
  const receiver = openWebhookReceiver({ database, hashKey: secrets.hash, now: clock.now });
  running.receiver = receiver;
  const pages = controlPages({ ...box, database, apiUrl });
  running.control.open({ ...controlCalls(box), ...receiver.calls }, pages, receiver.take);
  writeJson(at.info, info);
  // Not sooner, for it would keep the service from its first look at the chains.
  for (const { wake } of world.families) wake?.().catch(() => undefined);
  // Only what was whole once is worth going on from.
  writeJson(at.saved, savedAs(nodes));
  const payTo = present(
    world.chains.find(({ chainId }) => chainId === FIRST_ORDER_PAYS),
    'the chain of the first order',
  ).customerAddress;
  return { info, payTo, resumes: canResume(nodes), stop: () => running.stop() };
}

/** Blocks come by themselves once the desk has what it starts with. */
async function begin(world: World, resumes: boolean): Promise<void> {
  if (!resumes) await fundTreasury(world);
  await world.beat();
}

function withoutSecrets({ operatorToken, demo, ...open }: SandboxInfo): object {
  return { ...open, demo: { integrationId: demo.integrationId, publicKey: demo.publicKey } };
}

/** What is up so far, and how it comes down: callers before those they call. */
class Running {
  readonly control: Control;
  world: World | undefined;
  supervisor: Supervisor | undefined;
  receiver: WebhookReceiver | undefined;
  readonly #at: Places;

  constructor(at: Places, control: Control) {
    this.#at = at;
    this.control = control;
  }

  async stop(): Promise<void> {
    await this.control.close();
    await this.supervisor?.stop();
    await this.receiver?.close();
    await this.world?.close();
    leaveDirectory(this.#at);
  }
}

/**
 * All or nothing: a database that remembers payments on a chain that has forgotten them would be a lie. What ran until it was
 * killed goes on from its last second: nodes write down what they know when their sandbox dies, and are told again what waited for a block;
 * simulators have written down each change before anybody was shown it.
 */
function takeUp(at: Places, nodes: Nodes, reset: boolean, wasKilled: boolean, say: (line: string) => void): boolean {
  const saved = readJson(at.saved);
  const isSame = JSON.stringify(saved) === JSON.stringify(savedAs(nodes));
  if (!reset && isSame && canResume(nodes)) {
    if (wasKilled) say('The last run did not end cleanly: it goes on from its last second.');
    return true;
  }
  if (!reset && saved !== undefined)
    say(isSame ? FORGETFUL : 'Other nodes than last time, or another way to keep them: everything starts afresh.');
  else if (!reset && existsSync(at.config)) say('The last run was never ready: everything starts afresh.');
  wipe(at);
  makeFolders(at);
  return false;
}

/** What was written in another way, by an older sandbox, cannot be read. */
const savedAs = (nodes: Nodes): object => ({ ...nodes, simulators: 'journals' });

/** Asks until the answer is yes; an error is a no. Gives up when a role keeps ending, with its last words. */
async function eventually(supervisor: Supervisor, isTrue: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + READY_WITHIN_MS;
  while (!(await isTrue().catch(() => false))) {
    const broken = ROLES.find((role) => supervisor.restarts(role) >= ENDS_BEFORE_GIVING_UP);
    if (broken) throw new Error(`The ${broken} does not start:\n${supervisor.tail(broken)}`);
    if (performance.now() > deadline)
      throw new Error(`Not ready after ${READY_WITHIN_MS / 1000} s.\n${lastWords(supervisor)}`);
    await sleep(ASK_EVERY_MS);
  }
}

const lastWords = (supervisor: Supervisor): string =>
  ROLES.map((role: Role) => `${role}: ${supervisor.tail(role).split('\n').at(-1)}`).join('\n');
