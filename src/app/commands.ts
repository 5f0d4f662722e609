import { chmodSync, createReadStream, createWriteStream, renameSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { createGunzip, createGzip } from 'node:zlib';
import { unixOutbound } from '../signer/client.ts';
import { type BackupHead, backupLines, fillFromBackup } from '../store/backup.ts';
import { migrate } from '../store/migrate.ts';
import { httpOutbound } from '../world/outbound/http.ts';
import { openClock } from './clock.ts';
import { type Config, loadConfig } from './config.ts';
import { openLog } from './log.ts';
import { beginNewJournal } from './new-journal.ts';
import { DEFAULT_MARGIN, runRestore } from './restore.ts';

/** What a command found or did: for people as lines, for programs as it is. */
interface Told {
  readonly json: object;
  readonly lines: readonly string[];
}

interface Command {
  readonly usage: string;
  readonly run: (args: readonly string[]) => Promise<Told>;
}

/** Wrong use of a command, said in one sentence. */
export class Misuse extends Error {}

const OPTIONS = {
  json: { type: 'boolean' },
  to: { type: 'string' },
  from: { type: 'string' },
  margin: { type: 'string' },
  'despite-unsettled': { type: 'boolean' },
} as const;
type OptionName = keyof typeof OPTIONS;

function read(args: readonly string[], allowed: readonly OptionName[]) {
  try {
    const options = Object.fromEntries(allowed.map((name) => [name, OPTIONS[name]]));
    return parseArgs({ args: [...args], options, strict: true, allowPositionals: false }).values as {
      readonly [K in OptionName]?: string;
    };
  } catch (error) {
    throw new Misuse((error as Error).message);
  }
}

async function backup(args: readonly string[]): Promise<Told> {
  const { to } = read(args, ['json', 'to']);
  if (to === undefined || to === '') throw new Misuse('--to names the file that the backup is written to');
  const config = loadConfig();
  const clock = openClock(config.clockOffsetFile);
  // Under another name first: what bears the name is whole.
  const unfinished = `${to}.unfinished`;
  let lines = 0;
  async function* counted() {
    for await (const line of backupLines(config.database, clock.now())) {
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
}

async function restoreCommand(args: readonly string[]): Promise<Told> {
  const { from, margin = String(DEFAULT_MARGIN) } = read(args, ['json', 'from', 'margin']);
  if (!/^\d{1,6}$/.test(margin)) throw new Misuse('--margin is a whole number of addresses, at most 999999');
  const config = loadConfig();
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
  const { lines, forgottenOrders, leftToAPerson, addresses } = report;
  return {
    json: { ...(filled ? { backup: filled } : {}), ...report },
    lines: [
      ...(filled ? [`The database is as it was at ${new Date(filled.at).toISOString()}.`] : []),
      `The signer's journal was followed from line ${report.from.seq} to ${report.to.seq}.`,
      `Taken up: ${lines.attempt} payments of orders, ${lines.house_payment} of the house or of forgotten orders, ${lines.move} moves on the venue, ${lines.by_client_id} trades by their client id.`,
      `Forgotten orders: ${forgottenOrders.length} (each is a case). Left to a person: ${leftToAPerson.length}.`,
      ...addresses.map(
        ({ family, burned, nextIndex }) =>
          `${family}: ${burned} addresses are burned; orders get those from ${nextIndex} on.`,
      ),
      'Engines go on by themselves now. Read GET /operator/cases.',
    ],
  };
}

function fill({ database }: Config, path: string): Promise<BackupHead> {
  const file = createReadStream(path);
  const text = file.pipe(createGunzip());
  file.once('error', (error) => text.destroy(error));
  return fillFromBackup(database, createInterface({ input: text, crlfDelay: Number.POSITIVE_INFINITY }));
}

async function journal([what, ...args]: readonly string[]): Promise<Told> {
  if (what !== 'new') throw new Misuse('new is all that can be done to a journal');
  const { 'despite-unsettled': despite } = read(args, ['json', 'despite-unsettled']);
  const config = loadConfig();
  const told = await beginNewJournal(config, openClock(config.clockOffsetFile), Boolean(despite));
  const { isBegun, unsettled } = told;
  if (!isBegun) {
    throw new Misuse(
      `${unsettled.length} payments or moves are not settled, and only the old journal knows what was signed for them: ${unsettled.slice(0, 10).join(', ')}. Wait until they are, or say --despite-unsettled once you have looked each of them up on its chain.`,
    );
  }
  return {
    json: told,
    lines: [`${told.journal} is begun; daily limits begin at 0.`, ...unsettled.map((id) => `Not settled: ${id}`)],
  };
}

/** Everything that `wherry` does beside running a role. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  journal: { usage: 'journal new [--despite-unsettled] [--json]', run: journal },
  backup: { usage: 'backup --to <file> [--json]', run: backup },
  restore: { usage: 'restore [--from <file>] [--margin <addresses>] [--json]', run: restoreCommand },
};

/** Runs one and says what came of it; the answer is the exit code. */
export async function runCommand({ run, usage }: Command, args: readonly string[]): Promise<number> {
  try {
    const { json, lines } = await run(args);
    process.stdout.write(args.includes('--json') ? `${JSON.stringify(json)}\n` : `${lines.join('\n')}\n`);
    return 0;
  } catch (error) {
    if (!(error instanceof Misuse)) throw error;
    process.stderr.write(`${error.message}\nusage: wherry ${usage}\n`);
    return 2;
  }
}
