import { chmodSync, createReadStream, createWriteStream, renameSync } from 'node:fs';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import {
  inWords,
  listMonths,
  type MonthTail,
  mayGo,
  monthLines,
  takeMonth,
  verifiedMonth,
} from '../../store/month-file.ts';
import { openClock } from '../clock.ts';
import { ownersDatabase } from '../role-files.ts';
import { loadSettings, settingsPath } from '../settings.ts';
import { allBut } from '../wiring/secrets.ts';
import { type Given, Misuse, type Work } from './command.ts';

const now = ({ text }: Given): number =>
  openClock(loadSettings(settingsPath('engine', text('config')), allBut()).clockOffsetFile).now();

export const months: Work = async (given) => {
  const found = await listMonths(ownersDatabase(given.text('config')), now(given));
  const lines = found.map(
    ({ month, size, blockers }) =>
      `${month}  ${size}  ${blockers.length === 0 ? 'can go' : blockers.map(inWords).join('; ')}`,
  );
  return { json: { months: found }, lines };
};

export const takeMonthAway: Work = async (given) => {
  const month = Number.parseInt(
    /^(\d{4})-?(0[1-9]|1[0-2])$/
      .exec(given.operands[0] ?? '')
      ?.slice(1)
      .join('') ?? '',
    10,
  );
  if (!month) throw new Misuse('<month> is a year and a month: 2026-11');
  const file = resolve(given.needed('to'));
  const database = ownersDatabase(given.text('config'));
  const at = now(given);
  await mayGo(database, month, at);
  const { rows, sha256 } = await exported(database, month, file);
  await takeMonth(database, month, { file, sha256, now: at });
  return {
    json: { month, file, rows, sha256 },
    lines: [`${file} holds month ${month}: ${rows} rows, SHA-256 ${sha256}.`, 'The database has it no more.'],
  };
};

/** Under another name first: what bears the name was read again and is whole. */
export async function exported(database: string, month: number, file: string): Promise<MonthTail> {
  const unfinished = `${file}.unfinished`;
  const to = createWriteStream(unfinished, { mode: 0o600, flush: true });
  await pipeline(Readable.from(monthLines(database, month)), createGzip(), to);
  chmodSync(unfinished, 0o600);
  const text = createReadStream(unfinished).pipe(createGunzip());
  const tail = await verifiedMonth(createInterface({ input: text, crlfDelay: Number.POSITIVE_INFINITY }), month);
  renameSync(unfinished, file);
  return tail;
}
