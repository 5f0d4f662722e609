import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';
import { unixOutbound } from '../../signer/client.ts';
import { type BackupHead, fillFromBackup } from '../../store/backup.ts';
import { migrate } from '../../store/migrate.ts';
import { httpOutbound } from '../../world/outbound/http.ts';
import { openClock } from '../clock.ts';
import type { Config } from '../config.ts';
import { openLog } from '../log.ts';
import { runRestore } from '../restore.ts';
import { ownersDatabase } from '../role-files.ts';
import { settingsOf } from '../settings.ts';
import { Misuse, type Work } from './command.ts';
import { DEFAULT_MARGIN } from './options.ts';

export const restoreDatabase: Work = async ({ text }) => {
  const margin = text('margin') ?? String(DEFAULT_MARGIN);
  if (!/^\d{1,6}$/.test(margin)) throw new Misuse('--margin is a whole number of addresses, at most 999999');
  const from = text('from');
  const config = { ...settingsOf('engine', text('config')), database: ownersDatabase(text('config')) };
  const clock = openClock(config.clockOffsetFile);
  const filled = from === undefined ? undefined : await fill(config, from);
  await migrate(config.database);
  const report = await runRestore(config, {
    clock,
    log: openLog('restore', config.logLevel, 'beside'),
    outbound: httpOutbound,
    signerOutbound: unixOutbound(config.signer.socket),
    margin: Number(margin),
  });
  const { lines, forgottenOrders, leftToAPerson, awaitingStock, addresses } = report;
  return {
    json: { ...(filled ? { backup: filled } : {}), ...report },
    lines: [
      ...(filled ? [`The database is as it was at ${new Date(filled.at).toISOString()}.`] : []),
      `The signer's journal was followed from line ${report.from.seq} to ${report.to.seq}.`,
      `Taken up: ${lines.attempt} payments of orders, ${lines.house_payment} of the house or of forgotten orders, ${lines.move} moves on the venue, ${lines.by_client_id} trades by their client id.`,
      `Forgotten orders: ${forgottenOrders.length} (each is a case). Left to a person: ${leftToAPerson.length}.`,
      ...awaitingStock.map(
        (what) => `Signed, and more than this treasury has: ${what}. It is followed once it has it.`,
      ),
      ...addresses.map(
        ({ family, burned, nextIndex }) =>
          `${family}: ${burned} addresses are burned; orders get those from ${nextIndex} on.`,
      ),
      'Engines go on by themselves now. Read GET /operator/cases.',
    ],
  };
};

function fill({ database }: Config, path: string): Promise<BackupHead> {
  const file = createReadStream(path);
  const text = file.pipe(createGunzip());
  file.once('error', (error) => text.destroy(error));
  return fillFromBackup(database, createInterface({ input: text, crlfDelay: Number.POSITIVE_INFINITY }));
}
