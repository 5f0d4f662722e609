import { usd } from '../kernel/usd.ts';
import { RULES, type Rules } from '../life/order/rules.ts';
import type { Config } from './config.ts';

/** The numbers of an order's life, with what the settings say of strangers. */
export function orderRules({ caution = {} }: Pick<Config, 'caution'>): Rules {
  return {
    ...RULES,
    mostClaims: caution.claimsPerOrder ?? RULES.mostClaims,
    mostSenders: caution.sendersPerOrder ?? RULES.mostSenders,
    mostUnlistedTokens: caution.unlistedTokensPerOrder ?? RULES.mostUnlistedTokens,
    mostUnlistedAtoms: caution.unlistedAtoms === undefined ? RULES.mostUnlistedAtoms : BigInt(caution.unlistedAtoms),
    mostOrphaned: caution.orphanedUsd === undefined ? RULES.mostOrphaned : usd(caution.orphanedUsd),
  };
}
