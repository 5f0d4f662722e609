import { settingsPath } from '../settings.ts';
import { checkSettings } from '../settings-check.ts';
import { ROLES, type Role } from '../wiring/secrets.ts';
import { CONFIG, type Command, EXIT } from './command.ts';

const MARK = { ok: 'ok      ', warning: 'look    ', problem: 'PROBLEM ' } as const;

export const configCheckCommand: Command = {
  name: 'config check',
  summary: "Look whether a role's settings are right, and whether everything it needs is there",
  operands: [{ takes: '<role>', oneOf: ROLES }],
  options: { config: CONFIG },
  details: [
    'Files and their modes, limits, the database and the clock, nodes and whether they serve the right chain. Nothing is changed.',
  ],
  async run({ operands: [role], text }) {
    const path = settingsPath(role as Role, text('config'));
    const checks = await checkSettings(role as Role, path);
    const problems = checks.filter(({ result }) => result === 'problem').length;
    return {
      json: { role, settings: path, checks, problems },
      lines: [
        ...checks.map(({ result, what, says }) => `${MARK[result]}${what}: ${says}`),
        problems === 0 ? 'Nothing is in the way.' : `${problems} ${problems === 1 ? 'problem' : 'problems'}.`,
      ],
      exitCode: problems === 0 ? EXIT.done : EXIT.problems,
    };
  },
};
