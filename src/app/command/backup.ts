import { chmodSync, createWriteStream, renameSync } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { backupLines } from '../../store/backup.ts';
import { openClock } from '../clock.ts';
import { ownersDatabase } from '../role-files.ts';
import { loadSettings, settingsPath } from '../settings.ts';
import { allBut } from '../wiring/secrets.ts';
import type { Work } from './command.ts';

export const backUp: Work = async ({ needed, text }) => {
  const to = needed('to');
  const clock = openClock(loadSettings(settingsPath('engine', text('config')), allBut()).clockOffsetFile);
  const database = ownersDatabase(text('config'));
  // Under another name first: what bears the name is whole.
  const unfinished = `${to}.unfinished`;
  let lines = 0;
  async function* counted() {
    for await (const line of backupLines(database, clock.now())) {
      lines += 1;
      yield line;
    }
  }
  const file = createWriteStream(unfinished, { mode: 0o600 });
  await pipeline(Readable.from(counted()), createGzip(), file);
  chmodSync(unfinished, 0o600);
  renameSync(unfinished, to);
  return {
    json: { backup: to, lines },
    lines: [
      `${to} holds the whole database.`,
      "Keep the signer's journal as it grows: a restore needs the newest one.",
    ],
  };
};
