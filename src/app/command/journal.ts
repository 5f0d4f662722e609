import { openClock } from '../clock.ts';
import { beginNewJournal } from '../new-journal.ts';
import { handOver, ownersDatabase } from '../role-files.ts';
import { loadSettings, settingsPath } from '../settings.ts';
import { notFor } from '../wiring/secrets.ts';
import { Misuse, type Work } from './command.ts';

/** So many are named; the rest is a number. */
const NAMED = 10;

export const newJournal: Work = async ({ text, has }) => {
  const config = loadSettings(settingsPath('signer', text('config')), notFor('signer'));
  const clock = openClock(config.clockOffsetFile);
  const told = await beginNewJournal(config, ownersDatabase(text('config')), clock, has('despite-unsettled'));
  const { isBegun, journal, unsettled } = told;
  if (!isBegun) {
    throw new Misuse(
      `${unsettled.length} payments or moves are not settled, and only the old journal knows what was signed for them: ${unsettled.slice(0, NAMED).join(', ')}. Wait until they are, or say --despite-unsettled once you have looked each of them up on its chain`,
    );
  }
  handOver(journal);
  return {
    json: told,
    lines: [`${journal} is begun; daily limits begin at 0.`, ...unsettled.map((id) => `Not settled: ${id}`)],
  };
};
