import { loadSettings, settingsPath } from '../settings.ts';
import { allBut } from '../wiring/secrets.ts';
import { worstCases } from '../worst-case.ts';
import type { Work } from './command.ts';

export const limits: Work = async ({ text }) => {
  const cases = worstCases(loadSettings(settingsPath('signer', text('config')), allBut()));
  const lines = cases.flatMap(({ taken, usdPerDay, parts, beside, says }) => [
    `${taken}: at most $${usdPerDay} in any 24 hours${beside.length > 0 ? `, and ${beside.join(', ')}` : ''}`,
    ...(parts.length > 1 ? parts.map(({ what, usd }) => `    $${usd} ${what}`) : []),
    `    ${says}`,
  ]);
  return { json: { perDay: cases }, lines };
};
