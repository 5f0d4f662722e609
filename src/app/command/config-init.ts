import { writeRoleFiles } from '../role-files.ts';
import { settingsFolder } from '../settings.ts';
import type { Command, Option } from './command.ts';

export const DIR: Option = {
  takes: '<folder>',
  says: 'where the settings are; WHERRY_DIR, or /etc/wherry, without it',
};

export const configInitCommand: Command = {
  name: 'config init',
  summary: 'Write the settings of every role from the one file that you edit',
  options: { dir: DIR },
  details: [
    'desk.json in that folder is yours: everything but secrets, with limits in whole coins by symbol (USDC@42161). Where it is',
    'missing, an example is put there. From it signer/, engine/ and api/ are written, each with the secrets that its role',
    'needs and no others. Secrets that nobody needs to choose are made once and stay, so that it may be repeated.',
  ],
  async run({ text }) {
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
  },
};
