#!/usr/bin/env node
import { randomInt } from 'node:crypto';
import type { Running } from '../engine/worker.ts';
import { unixOutbound } from '../signer/client.ts';
import { startSigner } from '../signer/start-signer.ts';
import { openDb } from '../store/db.ts';
import { migrate } from '../store/migrate.ts';
import { newestInstant } from '../store/newest-instant.ts';
import { httpOutbound } from '../world/outbound/http.ts';
import { startApi } from './api.ts';
import { openClock, type ServiceClock } from './clock.ts';
import { COMMANDS, runCommand } from './commands.ts';
import { type Config, loadConfig } from './config.ts';
import { startEngine } from './engine.ts';
import { type AppLog, openLog } from './log.ts';
import { openMetrics } from './metrics.ts';
import { signerConfigOf } from './wiring/signer.ts';

const ROLES = ['signer', 'engine', 'api'] as const;
type Role = (typeof ROLES)[number];

const USAGE = [
  `usage: wherry <${ROLES.join('|')}>`,
  ...Object.values(COMMANDS).map(({ usage }) => `       wherry ${usage}`),
  'Settings are in the JSON file that WHERRY_CONFIG names.',
].join('\n');

async function start(role: Role, config: Config, log: AppLog): Promise<Running> {
  const clock = openClock(config.clockOffsetFile);
  if (role !== 'signer') await goOnFrom(clock, config);
  const metrics = openMetrics(role);
  const outbound = metrics.observed(httpOutbound);
  const signerOutbound = metrics.observed(unixOutbound(config.signer.socket));
  switch (role) {
    case 'signer': {
      const server = await startSigner(signerConfigOf(config), { outbound, clock, log });
      return { stop: () => server.close() };
    }
    case 'engine':
      return startEngine(config, {
        metrics,
        clock,
        unmoved: clock.unmoved,
        log,
        outbound,
        signerOutbound,
        worker: randomInt(1, 2 ** 31 - 1),
        onLost: () => giveUp(log),
      });
    case 'api':
      return startApi(config, { clock, log, metrics, outbound, signerOutbound });
  }
}

/** What others did, or this one before it ended, was not done in the future: what is due by it would wait. */
async function goOnFrom(clock: ServiceClock, { database }: Config): Promise<void> {
  const db = openDb(database, 1);
  try {
    const newest = await newestInstant(db);
    if (newest !== undefined) clock.notBefore(newest);
  } finally {
    await db.close();
  }
}

/** Whoever supervises starts it again; what it was doing is taken over meanwhile. */
function giveUp(log: AppLog): void {
  log.error({}, 'the database connection is lost, or the database was put back to the past');
  process.exit(1);
}

async function main(): Promise<void> {
  const [name = '', ...args] = process.argv.slice(2);
  const command = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (command) process.exit(await runCommand(command, args));
  const role = ROLES.find((known) => known === name);
  if (!role || args.length > 0) {
    process.stderr.write(`${USAGE}\n`);
    process.exit(2);
  }
  const config = loadConfig();
  const log = openLog(role, config.logLevel);
  // Every process that uses the database brings it up to date; the first one does the work.
  if (role !== 'signer') {
    const onWarning = (words: string) => log.warn({ words }, 'database');
    log.info({ applied: await migrate(config.database, { onWarning }) }, 'database');
  }
  const running = await start(role, config, log);
  log.info({}, 'ready');
  let isStopping = false;
  const stop = (signal: string) => {
    if (isStopping) return;
    isStopping = true;
    log.info({ signal }, 'stopping');
    running.stop().then(
      () => process.exit(0),
      (error) => {
        log.error({ error }, 'stopping failed');
        process.exit(1);
      },
    );
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
}

main().catch((error: unknown) => {
  process.stderr.write(`wherry: ${(error as Error).message}\n`);
  process.exit(1);
});
