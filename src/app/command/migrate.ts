import { migrate } from '../../store/migrate.ts';
import { loadSettings, settingsPath } from '../settings.ts';
import { allBut } from '../wiring/secrets.ts';
import type { Work } from './command.ts';

export const migrateDatabase: Work = async ({ text }) => {
  const { database } = loadSettings(settingsPath('engine', text('config')), allBut('/database'));
  const applied = await migrate(database);
  return {
    json: { applied },
    lines: applied.length === 0 ? ['The database is up to date.'] : applied.map((name) => `applied ${name}`),
  };
};
