import type { Role } from '../roles.ts';
import { settingsPath } from '../settings.ts';
import { checkSettings } from '../settings-check.ts';
import { EXIT, type Work } from './command.ts';

const MARK = { ok: 'ok      ', warning: 'look    ', problem: 'PROBLEM ' } as const;

export const checkConfigOf: Work = async ({ operands: [role], text }) => {
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
};
