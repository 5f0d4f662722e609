import { denyList } from '../../world/screening/list/deny-list.ts';
import type { Config } from '../config.ts';

export const screenOf = (config: Config) => denyList(config.screening.denyListFile);
