import { migrate } from '../../store/migrate.ts';
import { ownersDatabase } from '../role-files.ts';
import type { Work } from './command.ts';

export const migrateDatabase: Work = async ({ text }) => {
  const warnings: string[] = [];
  const onWarning = (words: string) => warnings.push(words);
  const applied = await migrate(ownersDatabase(text('config')), { onWarning });
  const done = applied.length === 0 ? ['The database is up to date.'] : applied.map((name) => `applied ${name}`);
  return { json: { applied, warnings }, lines: [...done, ...warnings.map((words) => `Warning: ${words}`)] };
};
