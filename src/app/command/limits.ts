import { loadSettings, settingsPath } from '../settings.ts';
import { allBut } from '../wiring/secrets.ts';
import { worstCases } from '../worst-case.ts';
import { CONFIG, type Command } from './command.ts';

export const limitsCommand: Command = {
  name: 'limits',
  summary: 'The most that can be lost in a day if a part of the desk is taken, by the settings',
  options: { config: CONFIG },
  details: [
    'In dollars, by the floor prices of `signer.limits.assets`: what is worth more than its floor is lost at its real price.',
    'The signer itself is no part of it: whoever has its seed has everything.',
  ],
  async run({ text }) {
    const cases = worstCases(loadSettings(settingsPath('signer', text('config')), allBut()));
    const lines = cases.flatMap(({ taken, usdPerDay, parts, beside, says }) => [
      `${taken}: at most $${usdPerDay} in any 24 hours${beside.length > 0 ? `, and ${beside.join(', ')}` : ''}`,
      ...(parts.length > 1 ? parts.map(({ what, usd }) => `    $${usd} ${what}`) : []),
      `    ${says}`,
    ]);
    return { json: { perDay: cases }, lines };
  },
};
