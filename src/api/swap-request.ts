import { amount, parseAtoms } from '../kernel/amount.ts';
import type { FeeField } from '../kernel/fee-field.ts';
import { isRefusal, type Refusal, refuse } from '../kernel/refusal.ts';
import type { IntegratorTerms, QuoteRequest, TwapWish } from '../life/quote/quote.ts';
import type { PartnerCaller } from '../partners/door.ts';
import type { ApiDeps } from './deps.ts';

/** What both generations ask a quote for, in wire text. */
export interface SwapRequest {
  readonly fromChainId: number;
  readonly fromToken: string;
  readonly toChainId: number;
  readonly toToken: string;
  readonly fromAmount?: string;
  readonly toAmount?: string;
  /** Overrides the integration's default. */
  readonly feePercent?: number | undefined;
  readonly twap?: TwapWish | undefined;
}

export function readSwapRequest(
  wish: SwapRequest,
  partner: PartnerCaller | undefined,
  { catalog }: ApiDeps,
): QuoteRequest | Refusal {
  const from = catalog.parseAsset(wish.fromChainId, wish.fromToken);
  if (isRefusal(from)) return from;
  const to = catalog.parseAsset(wish.toChainId, wish.toToken);
  if (isRefusal(to)) return to;
  const { fromAmount, toAmount } = wish;
  if ((fromAmount === undefined) === (toAmount === undefined)) {
    return refuse('exactly_one_amount', 'Give exactly one of fromAmount and toAmount.');
  }
  const atoms = parseAtoms(fromAmount ?? toAmount);
  if (atoms === undefined || atoms === 0n) {
    return refuse('invalid_amount', 'Amounts are positive whole numbers of the smallest unit, in digits.');
  }
  const mode = fromAmount === undefined ? 'exact_out' : 'exact_in';
  return {
    from,
    to,
    mode,
    amount: amount(mode === 'exact_in' ? from.id : to.id, atoms),
    integrator: integratorTerms(partner, wish, catalog.chain(from.chainId)?.facts.feeField),
    twap: wish.twap,
  };
}

/** Without a key nobody collects a fee; without an address for the deposit's chain it is skipped (5.4). */
function integratorTerms(
  partner: PartnerCaller | undefined,
  { feePercent }: SwapRequest,
  field: FeeField | undefined,
): IntegratorTerms | undefined {
  if (!partner) return undefined;
  const percent = feePercent ?? partner.feePercent;
  if (percent === 0) return undefined;
  return { integrationId: partner.integrationId, percent, payoutAddress: field && partner[field] };
}
