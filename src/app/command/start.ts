import { randomInt } from 'node:crypto';
import type { Running } from '../../engine/worker.ts';
import { unixOutbound } from '../../signer/client.ts';
import { httpOutbound } from '../../world/outbound/http.ts';
import { openClock } from '../clock.ts';
import type { Config } from '../config.ts';
import { type AppLog, openLog } from '../log.ts';
import { openMetrics } from '../metrics.ts';
import type { Role } from '../roles.ts';
import { settingsOf } from '../settings.ts';
import type { Work } from './command.ts';

export const startRole: Work = async ({ operands: [name], text }) => {
  const role = name as Role;
  const config = settingsOf(role, text('config'));
  const log = openLog(role, config.logLevel);
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
  return undefined;
};

/** A role loads what it needs and nothing of the others: no page and no database comes near the keys. */
async function start(role: Role, config: Config, log: AppLog): Promise<Running> {
  const clock = openClock(config.clockOffsetFile);
  if (role !== 'signer') await (await import('../database.ts')).readyDatabase(config, clock, log);
  const metrics = openMetrics(role);
  const outbound = metrics.observed(httpOutbound);
  const { socket, apiSocket } = config.signer;
  const signerOutbound = metrics.observed(unixOutbound(role === 'api' ? apiSocket : socket));
  switch (role) {
    case 'signer': {
      const { startSigner } = await import('../../signer/start-signer.ts');
      const { signerConfigOf } = await import('../wiring/signer.ts');
      const server = await startSigner(signerConfigOf(config), { outbound, clock, log });
      return { stop: () => server.close() };
    }
    case 'engine': {
      const { startEngine } = await import('../engine.ts');
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
    }
    case 'api': {
      const { startApi } = await import('../api.ts');
      return startApi(config, { clock, log, metrics, outbound, signerOutbound });
    }
  }
}

/** Whoever supervises starts it again; what it was doing is taken over meanwhile. */
function giveUp(log: AppLog): void {
  log.error({}, 'the database connection is lost, or the database was put back to the past');
  process.exit(1);
}
