import type { FastifyInstance } from 'fastify';
import { type Amount, add, formatUnits, scale, zero } from '../kernel/amount.ts';
import { ratio } from '../kernel/ratio.ts';
import { isRefusal } from '../kernel/refusal.ts';
import { remember } from '../kernel/remember.ts';
import { usd } from '../kernel/usd.ts';
import { maximumAmount } from '../life/quote/deposit-bounds.ts';
import type { Quote } from '../life/quote/quote.ts';
import type { ApiDeps } from './deps.ts';
import { enter } from './endpoint.ts';
import { RATES_AGE_MS, RATES_SAMPLE_USD } from './limits.ts';
import { sendSpoken, speak } from './refusals.ts';

export const RATES_PATH = '/rates.xml';
const EXCHANGE = 'Wherry';

/**
 * The codes under which rate monitors know these assets (section 4.1), with the chain's number and the symbol there.
 */
const CODES = {
  XMR: [0, 'XMR'],
  USDTARBITRUM: [42161, 'USDT'],
  USDCARBITRUM: [42161, 'USDC'],
  ETHARBITRUM: [42161, 'ETH'],
  WBTCARBITRUM: [42161, 'WBTC'],
} as const;
type Code = keyof typeof CODES;
type Asset = Quote['from'];

const PAIRS: readonly (readonly [from: Code, to: Code])[] = [
  ['USDTARBITRUM', 'XMR'],
  ['USDCARBITRUM', 'XMR'],
  ['ETHARBITRUM', 'XMR'],
  ['WBTCARBITRUM', 'XMR'],
  ['XMR', 'USDTARBITRUM'],
  ['XMR', 'USDCARBITRUM'],
  ['XMR', 'ETHARBITRUM'],
];

/** Rate monitors read this feed; it stands beside both generations and is not in the contract. */
export function mountRates(app: FastifyInstance, deps: ApiDeps): void {
  const feed = remember(() => ratesXml(deps), RATES_AGE_MS, deps.clock);
  app.get(RATES_PATH, {
    schema: { hide: true },
    onRequest: async (request, reply) => {
      const admitted = await enter(request, 'v1', 'requests', deps);
      if (isRefusal(admitted)) return sendSpoken(reply, speak(admitted, 'v1'));
    },
    handler: async (_, reply) => {
      const xml = await feed();
      return reply
        .headers({
          'content-type': 'application/xml; charset=utf-8',
          'cache-control': `public, max-age=${RATES_AGE_MS / 1000}`,
        })
        .send(xml);
    },
  });
}

async function ratesXml(deps: ApiDeps): Promise<string> {
  const items = await Promise.all(PAIRS.map(([from, to]) => item(from, to, deps)));
  const lines = ['<?xml version="1.0" encoding="utf-8"?>', '<rates>', ...items.filter((one) => one), '</rates>'];
  return `${lines.join('\n')}\n`;
}

/** What cannot be quoted now is not in the feed; whatever the reason, the other pairs are. */
async function item(from: Code, to: Code, deps: ApiDeps): Promise<string | undefined> {
  try {
    const quote = await sample(assetOf(from, deps), assetOf(to, deps), deps);
    return quote && itemXml(from, to, quote);
  } catch (error) {
    deps.log.warn({ err: error, from, to }, 'rates: a pair is left out');
    return undefined;
  }
}

function assetOf(code: Code, { catalog }: ApiDeps): Asset | undefined {
  const [chainId, symbol] = CODES[code];
  return catalog.chain(chainId)?.facts.assets.find((asset) => asset.symbol === symbol);
}

async function sample(from: Asset | undefined, to: Asset | undefined, { quotes }: ApiDeps): Promise<Quote | undefined> {
  const price = from && (await quotes.price(from.id));
  if (!to || !price) return undefined;
  const sum = maximumAmount(from, usd(RATES_SAMPLE_USD), price);
  const quote = await quotes.quote({
    ...{ from, to, mode: 'exact_in', amount: sum },
    integrator: undefined,
    twap: undefined,
  });
  return isRefusal(quote) ? undefined : quote;
}

/**
 * As monitors read it: `in` gives `out`, from which `tofee` is taken once, whatever the sum; so the network's fee for the
 * payout is put back into `out`. The reserve is what the largest order would be paid at this rate.
 */
function itemXml(fromCode: Code, toCode: Code, quote: Quote): string {
  const { from, to, fromAmount, toAmount, minFrom, maxFrom } = quote;
  const units = ({ atoms }: Amount, { decimals }: Asset) => formatUnits(atoms, decimals);
  const payoutFee = quote.fees
    .filter(({ type, amount: { asset } }) => type === 'network' && asset === to.id)
    .reduce((sum, fee) => add(sum, fee.amount), zero(to.id));
  const largest = scale(toAmount, ratio(maxFrom.atoms, fromAmount.atoms), 'down');
  const parts: Readonly<Record<string, string>> = {
    from: fromCode,
    to: toCode,
    in: units(fromAmount, from),
    out: units(add(toAmount, payoutFee), to),
    amount: units(largest, to),
    tofee: `${units(payoutFee, to)} ${to.symbol}`,
    minamount: `${units(minFrom, from)} ${fromCode}`,
    maxamount: `${units(maxFrom, from)} ${fromCode}`,
    exchange: EXCHANGE,
    eta: `${Math.ceil(quote.estimatedSeconds / 60)} min`,
  };
  const children = Object.entries(parts).map(([name, text]) => `<${name}>${escaped(text)}</${name}>`);
  return `<item>${children.join('')}</item>`;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' };
const escaped = (text: string): string => text.replaceAll(/[&<>]/g, (found) => ENTITIES[found] ?? found);
