import { migrate } from '../../store/migrate.ts';
import { loadSettings, settingsPath } from '../settings.ts';
import { allBut } from '../wiring/secrets.ts';
import { CONFIG, type Command } from './command.ts';

export const migrateCommand: Command = {
  name: 'migrate',
  summary: 'Bring the tables of the database up to date',
  options: { config: CONFIG },
  details: ['What is there already stays. It may be repeated; `start` does the same first.'],
  async run({ text }) {
    const { database } = loadSettings(settingsPath('engine', text('config')), allBut('/database'));
    const applied = await migrate(database);
    return {
      json: { applied },
      lines: applied.length === 0 ? ['The database is up to date.'] : applied.map((name) => `applied ${name}`),
    };
  },
};
