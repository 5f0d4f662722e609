import { writeRoleFiles } from '../role-files.ts';
import { settingsFolder } from '../settings.ts';
import type { Work } from './command.ts';

export const initConfig: Work = async ({ text }) => {
  const written = writeRoleFiles(settingsFolder(text('dir')));
  const { desk, isNew, files, unlimited } = written;
  return {
    json: written,
    lines: [
      ...(isNew ? [`${desk} is an example: edit it, and run this again.`] : []),
      ...files.map((file) => `wrote ${file}`),
      ...(unlimited.length > 0 ? [`Without a limit, so that nothing of it can leave: ${unlimited.join(', ')}`] : []),
    ],
  };
};
