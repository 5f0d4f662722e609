import { denyList } from '../../world/screening/list/deny-list.ts';
import { inEverySpelling, type Screen } from '../../world/screening/screen.ts';
import type { Config } from '../config.ts';
import { rulesOf } from './chains.ts';

export function screenOf(config: Config): Screen {
  const rules = new Map(rulesOf(config).map((one) => [one.facts.id, one]));
  return inEverySpelling(
    denyList(config.screening.denyListFile),
    (chain, address) => rules.get(chain)?.spellings?.(address) ?? [],
  );
}
