import type { Catalog } from '../catalog/catalog.ts';
import { amount, parseAtoms } from '../kernel/amount.ts';
import type { FeeField } from '../kernel/fee-field.ts';
import { allOf, inField } from '../kernel/field-refusals.ts';
import { type Address, chainId } from '../kernel/ids.ts';
import { isRefusal, type Refusal, refuse } from '../kernel/refusal.ts';
import { outsideBounds } from '../life/quote/deposit-bounds.ts';
import type { IntegratorTerms, Quote, QuoteRequest } from '../life/quote/quote.ts';
import type { PartnerCaller } from '../partners/key-authentication.ts';
import type { ApiDeps } from './deps.ts';

/** What both generations ask a quote for, in wire text. */
export interface SwapRequest {
  readonly fromChainId: number;
  readonly fromToken: string;
  readonly toChainId: number;
  readonly toToken: string;
  readonly fromAmount?: string | undefined;
  readonly toAmount?: string | undefined;
  /** Overrides the integration's default. */
  readonly feePercent?: number | undefined;
}

export function readSwapRequest(
  wanted: SwapRequest,
  partner: PartnerCaller | undefined,
  { catalog }: ApiDeps,
): QuoteRequest | Refusal {
  const read = allOf(
    readAsset('from', wanted.fromChainId, wanted.fromToken, catalog),
    readAsset('to', wanted.toChainId, wanted.toToken, catalog),
    readAmount(wanted),
  );
  if (isRefusal(read)) return read;
  const [from, to, { mode, atoms }] = read;
  return {
    from,
    to,
    mode,
    amount: amount(mode === 'exact_in' ? from.id : to.id, atoms),
    integrator: integratorTerms(partner, wanted, catalog.chain(from.chainId)?.facts.feeField),
    twap: undefined,
  };
}

function readAsset(
  side: 'from' | 'to',
  chain: number,
  token: string,
  catalog: Catalog,
): QuoteRequest['from'] | Refusal {
  const found = catalog.parseAsset(chain, token);
  const isChainUnknown = isRefusal(found) && found.refusal === 'unsupported_chain';
  return inField(isChainUnknown ? `${side}ChainId` : `${side}Token`, found);
}

function readAmount({ fromAmount, toAmount }: SwapRequest): (Pick<QuoteRequest, 'mode'> & { atoms: bigint }) | Refusal {
  if ((fromAmount === undefined) === (toAmount === undefined)) {
    return inField('fromAmount', refuse('exactly_one_amount', 'Give exactly one of fromAmount and toAmount.'));
  }
  const mode = fromAmount === undefined ? 'exact_out' : 'exact_in';
  const atoms = parseAtoms(fromAmount ?? toAmount);
  return atoms ? { mode, atoms } : inField(amountField(mode), NO_AMOUNT);
}

/** What is said of every amount that cannot be read. */
export const NO_AMOUNT = refuse(
  'invalid_amount',
  'Amounts are positive whole numbers of the smallest unit, as a string of digits.',
);

const amountField = (mode: QuoteRequest['mode']): string => (mode === 'exact_in' ? 'fromAmount' : 'toAmount');

/** An address that is to be paid on that chain. */
export function readDestination(chain: number, toAddress: string, { catalog }: ApiDeps): Address | Refusal {
  const found = catalog.parseDestination(chainId(chain), toAddress);
  const isChainUnknown = isRefusal(found) && found.refusal === 'unsupported_chain';
  return inField(isChainUnknown ? 'toChainId' : 'toAddress', found);
}

/** A refusal of the quote is about the amount or about the pair. */
export async function quoteOf(request: QuoteRequest, { quotes }: ApiDeps): Promise<Quote | Refusal> {
  const quote = await quotes.quote(request);
  if (!isRefusal(quote)) return quote;
  if (quote.refusal === 'unsupported_pair') return inField('toToken', quote);
  return quote.refusal === 'unavailable' ? quote : inField(amountField(request.mode), quote);
}

/** A quote outside the bounds is shown, but no order is made of it (D19). */
export function outsideBoundsIn(request: QuoteRequest, quote: Quote): Refusal | undefined {
  return inField(amountField(request.mode), outsideBounds(quote));
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
