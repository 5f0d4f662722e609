import type { Family } from '../catalog/catalog.ts';
import { amount, parseAtoms } from '../kernel/amount.ts';
import type { Address } from '../kernel/ids.ts';
import { isRefusal, type Refusal, refuse } from '../kernel/refusal.ts';
import type { IntegratorTerms, QuoteRequest, TwapRequest } from '../life/quote/quote.ts';
import type { PartnerCaller } from '../partners/key-authentication.ts';
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
  readonly twap?: TwapRequest | undefined;
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
    integrator: integratorTerms(partner, wish, catalog.chain(from.chainId)?.facts.family),
    twap: wish.twap,
  };
}

/** Without a key nobody collects a fee. */
function integratorTerms(
  partner: PartnerCaller | undefined,
  { feePercent }: SwapRequest,
  family: Family | undefined,
): IntegratorTerms | undefined {
  if (!partner) return undefined;
  const percent = feePercent ?? partner.feePercent;
  if (percent === 0) return undefined;
  return { integrationId: partner.integrationId, percent, payoutAddress: family && feeAddressOf(partner, family) };
}

/** Each source family is paid at its own address, XMR on the venue; without one the fee is skipped (5.4). */
function feeAddressOf(partner: PartnerCaller, family: Family): Address | undefined {
  const addresses: Readonly<Record<Family, Address | undefined>> = {
    evm: partner.feeAddress,
    monero: partner.feeAddress,
    venue: partner.feeAddress,
    solana: partner.feeAddressSol,
    bitcoin: partner.feeAddressBtc,
    tron: undefined,
    zcash: undefined,
  };
  return addresses[family];
}
