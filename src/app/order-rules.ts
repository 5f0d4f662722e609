import { percent } from '../kernel/ratio.ts';
import { RULES, type Rules } from '../life/order/rules.ts';
import type { Config } from './config.ts';

/** The business numbers of an order's life, as the settings say or as is usual. */
export function orderRulesOf({ costs }: Pick<Config, 'costs'>): Rules {
  return {
    ...RULES,
    ...(costs?.mostSharePercent === undefined ? {} : { mostCostShare: percent(costs.mostSharePercent) }),
    ...(costs?.refundMultiple === undefined ? {} : { refundMultiple: BigInt(costs.refundMultiple) }),
  };
}
