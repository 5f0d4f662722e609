import { randomInt } from 'node:crypto';
import type { Running } from '../engine/worker.ts';
import { unixOutbound } from '../signer/client.ts';
import { startSigner } from '../signer/start-signer.ts';
import { migrate } from '../store/migrate.ts';
import { httpOutbound } from '../world/outbound/http.ts';
import { startApi } from './api.ts';
import { openClock } from './clock.ts';
import { type Config, loadConfig } from './config.ts';
import { startEngine } from './engine.ts';
import { type AppLog, openLog } from './log.ts';
import { openMetrics } from './metrics.ts';
import { signerConfigOf } from './wiring/signer.ts';

const ROLES = ['signer', 'engine', 'api'] as const;
type Role = (typeof ROLES)[number];

const USAGE = `usage: wherry <${ROLES.join('|')}>   (settings: the JSON file that WHERRY_CONFIG names)`;

async function start(role: Role, config: Config, log: AppLog): Promise<Running> {
  const clock = openClock(config.clockOffsetFile);
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

/** Whoever supervises starts it again; what it was doing is taken over meanwhile. */
function giveUp(log: AppLog): void {
  log.error({}, 'the database connection is lost');
  process.exit(1);
}

async function main(): Promise<void> {
  const role = ROLES.find((known) => known === process.argv[2]);
  if (!role || process.argv.length > 3) {
    process.stderr.write(`${USAGE}\n`);
    process.exit(2);
  }
  const config = loadConfig();
  const log = openLog(role, config.logLevel);
  // Every process that uses the database brings it up to date; the first one does the work.
  if (role !== 'signer') log.info({ applied: await migrate(config.database) }, 'database');
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
