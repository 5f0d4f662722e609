import type { VNode } from 'preact';
import type { Quote } from '../../sdk/src/index.ts';
import { tokenKey } from '../server/desk.ts';
import { money, plainName, showSeconds, type View } from '../server/view.ts';
import { Moment } from './deadline.tsx';
import { Facts } from './notice.tsx';

/** What a quote says, line by line. Limits are buttons of the form around it that fill in the amount. */
export function QuoteLines({ view, quote }: { readonly view: View; readonly quote: Quote }): VNode {
  const { words } = view;
  const least = money(quote.limits.minFromAmount, quote.fromDecimals, quote.fromSymbol);
  const most = money(quote.limits.maxFromAmount, quote.fromDecimals, quote.fromSymbol);
  return (
    <Facts
      look="brief"
      rows={[
        [words.quote.rate, words.quote.rateLine(plainName(quote.fromSymbol), rateOf(quote))],
        ...quote.fees.map((fee) => {
          const decimals = decimalsOf(view, quote, fee.token, fee.symbol);
          const shown =
            decimals === undefined
              ? `$${fee.amountUsd}`
              : `${money(fee.amount, decimals, fee.symbol)} ($${fee.amountUsd})`;
          return [words.quote.fee[fee.type] ?? fee.type, <bdi>{shown}</bdi>] as const;
        }),
        [
          words.quote.limits,
          <span class="limits">
            <button type="submit" class="link" name="fill" value={least.split(' ')[0]}>
              {words.quote.least(least)}
            </button>{' '}
            <button type="submit" class="link" name="fill" value={most.split(' ')[0]}>
              {words.quote.most(most)}
            </button>
          </span>,
        ],
        [words.quote.time, showSeconds(view, quote.estimatedTime)],
        quote.twap && [
          words.quote.chunks,
          words.quote.chunksLine(quote.twap.chunksTotal, `${quote.twap.chunkSizeUsd}`),
        ],
        [words.quote.until, <Moment view={view} at={quote.expiresAt} />],
      ]}
    />
  );
}

/** A fee names its token and not its chain: it is one of the two ends, or something whose value in dollars must do. */
function decimalsOf({ book }: View, quote: Quote, token: string, symbol: string): number | undefined {
  if (token === quote.fromToken && symbol === quote.fromSymbol) return quote.fromDecimals;
  if (token === quote.toToken && symbol === quote.toSymbol) return quote.toDecimals;
  return [quote.fromChainId, quote.toChainId]
    .map((chainId) => book.token(tokenKey({ chainId, token }))?.decimals)
    .find((one) => one !== undefined);
}

const RATE_DIGITS = 8;

/** What one whole unit is worth at this quote, cut and not rounded. */
function rateOf({ fromAmount, fromDecimals, toAmount, toDecimals, toSymbol }: Quote): string {
  const sent = BigInt(fromAmount);
  if (sent === 0n) return '–';
  const scaled =
    (BigInt(toAmount) * 10n ** BigInt(fromDecimals) * 10n ** BigInt(RATE_DIGITS)) / (sent * 10n ** BigInt(toDecimals));
  return money(scaled, RATE_DIGITS, toSymbol);
}
