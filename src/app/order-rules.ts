import { percent } from '../kernel/ratio.ts';
import { usd } from '../kernel/usd.ts';
import { RULES, type Rules } from '../life/order/rules.ts';
import { type Config, servingOf } from './config.ts';

/** The numbers of an order's life, with what the settings say of prices, of strangers, of waiting and of costs. */
export function orderRules(config: Pick<Config, 'breakers' | 'caution' | 'serving' | 'costs'>): Rules {
  const { breakers = {}, caution = {}, costs = {} } = config;
  return {
    ...RULES,
    stockPatienceMs: servingOf(config).stockPatienceMs,
    offeredBeyond: breakers.priceApartPercent === undefined ? RULES.offeredBeyond : percent(breakers.priceApartPercent),
    mostClaims: caution.claimsPerOrder ?? RULES.mostClaims,
    mostSenders: caution.sendersPerOrder ?? RULES.mostSenders,
    mostUnlistedTokens: caution.unlistedTokensPerOrder ?? RULES.mostUnlistedTokens,
    mostUnlistedAtoms: caution.unlistedAtoms === undefined ? RULES.mostUnlistedAtoms : BigInt(caution.unlistedAtoms),
    largeStake: caution.stakeUsd === undefined ? RULES.largeStake : usd(caution.stakeUsd),
    mostOrphaned: caution.orphanedUsd === undefined ? RULES.mostOrphaned : usd(caution.orphanedUsd),
    mostCostShare: costs.mostSharePercent === undefined ? RULES.mostCostShare : percent(costs.mostSharePercent),
    refundMultiple: costs.refundMultiple === undefined ? RULES.refundMultiple : BigInt(costs.refundMultiple),
  };
}
