import { migrate } from '../../store/migrate.ts';
import { ownersDatabase } from '../role-files.ts';
import { CONFIG, type Command } from './command.ts';

export const migrateCommand: Command = {
  name: 'migrate',
  summary: 'Bring the tables of the database up to date',
  options: { config: CONFIG },
  details: [
    'What is there already stays. It may be repeated; `start` does the same first, where its login may. It takes the login of the',
    'owner of the tables (`database.owner` of desk.json), where roles have logins of their own.',
  ],
  async run({ text }) {
    const warnings: string[] = [];
    const onWarning = (words: string) => warnings.push(words);
    const applied = await migrate(ownersDatabase(text('config')), { onWarning });
    const done = applied.length === 0 ? ['The database is up to date.'] : applied.map((name) => `applied ${name}`);
    return { json: { applied, warnings }, lines: [...done, ...warnings.map((words) => `Warning: ${words}`)] };
  },
};
