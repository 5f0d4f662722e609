import { randomInt } from 'node:crypto';
import type { Running } from '../../engine/worker.ts';
import { unixOutbound } from '../../signer/client.ts';
import { startSigner } from '../../signer/start-signer.ts';
import { openDb } from '../../store/db.ts';
import { migrate } from '../../store/migrate.ts';
import { newestInstant } from '../../store/newest-instant.ts';
import { httpOutbound } from '../../world/outbound/http.ts';
import { startApi } from '../api.ts';
import { openClock, type ServiceClock } from '../clock.ts';
import type { Config } from '../config.ts';
import { startEngine } from '../engine.ts';
import { type AppLog, openLog } from '../log.ts';
import { openMetrics } from '../metrics.ts';
import { settingsOf } from '../settings.ts';
import { ROLES, type Role } from '../wiring/secrets.ts';
import { signerConfigOf } from '../wiring/signer.ts';
import { CONFIG, type Command } from './command.ts';

export const startCommand: Command = {
  name: 'start',
  summary: 'Run one of the roles until it is told to end',
  operands: [{ takes: '<role>', oneOf: ROLES }],
  options: { config: CONFIG },
  details: ['It logs JSON lines to its output. SIGTERM and Ctrl-C let it finish what it does.'],
  async run({ operands: [name], text }) {
    await startRole(name as Role, text('config'));
    return undefined;
  },
};

async function startRole(role: Role, named: string | undefined): Promise<void> {
  const config = settingsOf(role, named);
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

async function start(role: Role, config: Config, log: AppLog): Promise<Running> {
  const clock = openClock(config.clockOffsetFile);
  if (role !== 'signer') await goOnFrom(clock, config);
  const metrics = openMetrics(role);
  const outbound = metrics.observed(httpOutbound);
  const { socket, apiSocket } = config.signer;
  const signerOutbound = metrics.observed(unixOutbound(role === 'api' ? apiSocket : socket));
  switch (role) {
    case 'signer': {
      const server = await startSigner(signerConfigOf(config), { outbound, clock, log });
      return { stop: () => server.close() };
    }
    case 'engine':
      return startEngine(config, {
        metrics,
        clock,
        times: clock,
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
