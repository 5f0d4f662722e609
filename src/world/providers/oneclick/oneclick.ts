import { amount } from '../../../kernel/amount.ts';
import { present } from '../../../kernel/assert.ts';
import { type Clock, isoTime } from '../../../kernel/clock.ts';
import { Fault } from '../../../kernel/fault.ts';
import { type Address, type ChainId, chainOf } from '../../../kernel/ids.ts';
import type { Secret } from '../../../kernel/secret.ts';
import type { Asset } from '../../chains/chain.ts';
import type { Outbound } from '../../outbound/http.ts';
import type { Reply } from '../../outbound/reading.ts';
import { type Answer, basisPoints, earlier, isWithin, spellingOf } from '../codec.ts';
import type { Provider, ProviderOrder, ProviderQuote, Swap } from '../provider.ts';
import { asker, ONECLICK, reading } from './ask.ts';
import { readStatus } from './status.ts';
import { readTokens, type Tokens } from './tokens.ts';

export interface OneClickConfig {
  /** Without a trailing slash: `https://1click.chaindefuser.com`. */
  readonly url: string;
  /** Without one the provider takes a fee of its own. */
  readonly jwt?: Secret;
  /** Part of the input, in basis points, for accounts inside NEAR Intents. */
  readonly appFees?: readonly { readonly recipient: string; readonly fee: number }[];
  /** The parser of a chain: where we are told to pay is checked before anyone pays there. */
  readonly parseAddress: (chain: ChainId, text: string) => Address | undefined;
}

/** For quotes that name no time; most swaps are faster. */
const USUAL_SECONDS = 120;

export async function openOneClick(
  config: OneClickConfig,
  assets: readonly Asset[],
  outbound: Outbound,
  clock: Clock,
): Promise<Provider> {
  const ask = asker(config, outbound);
  const tokens = await readTokens(ask, assets);
  const requested = (swap: Swap, dry: boolean): Promise<Answer> =>
    ask('quote', dry ? 'question' : 'act', '/v0/quote', {
      ...quoteRequest(swap, tokens, dry),
      ...(config.appFees ? { appFees: config.appFees } : {}),
    });
  return {
    name: 'oneclick',
    supports: (input, output) =>
      input !== output && tokens.theirs(input) !== undefined && tokens.theirs(output) !== undefined,
    async quote(swap) {
      const answer = await requested(swap, true);
      if ('declined' in answer) return undefined;
      const quote = readQuote(quoteIn(answer.value), swap);
      return isWithin(swap, quote) ? quote : undefined;
    },
    async open(swap) {
      const answer = await requested(swap, false);
      if ('declined' in answer) throw new Fault('permanent', ONECLICK, answer.declined);
      checkEcho(answer.value, quoteRequest(swap, tokens, false));
      const order = readOrder(quoteIn(answer.value), swap, config.parseAddress);
      if (order.deadline <= clock.now()) throw new Fault('permanent', ONECLICK, 'quote: its deadline is past');
      return order;
    },
    async status(order) {
      const answer = await ask('status', 'question', `/v0/status?depositAddress=${encodeURIComponent(order.id)}`);
      if (!('declined' in answer)) return readStatus(answer.value, order, tokens);
      if (answer.status === 404) return { state: 'unknown' };
      throw new Fault('permanent', ONECLICK, answer.declined);
    },
    async funded(order, txHash) {
      // A transaction that the provider cannot see yet is declined; it finds the deposit by itself.
      await ask('deposit', 'act', '/v0/deposit/submit', { txHash, depositAddress: order.id });
    },
  };
}

function quoteRequest(swap: Swap, tokens: Tokens, dry: boolean) {
  const { input, output } = swap;
  return {
    dry,
    depositMode: 'SIMPLE',
    swapType: 'EXACT_INPUT',
    slippageTolerance: Number.parseInt(basisPoints(swap.slippage), 10),
    originAsset: present(tokens.theirs(input.asset), `1Click's name of ${input.asset}`),
    depositType: 'ORIGIN_CHAIN',
    destinationAsset: present(tokens.theirs(output), `1Click's name of ${output}`),
    amount: input.atoms.toString(),
    refundTo: swap.refundTo,
    refundType: 'ORIGIN_CHAIN',
    recipient: swap.recipient,
    recipientType: 'DESTINATION_CHAIN',
    deadline: isoTime(swap.deadline),
  };
}

const quoteIn = (value: unknown): Reply => reading.record(reading.record(value, 'quote').quote, 'quote.quote');

function readQuote(quote: Reply, swap: Swap): ProviderQuote {
  if (reading.atoms(quote.amountIn, 'quote.amountIn') !== swap.input.atoms) return reading.malformed('quote.amountIn');
  return {
    output: amount(swap.output, reading.atoms(quote.amountOut, 'quote.amountOut')),
    least: amount(swap.output, reading.atoms(quote.minAmountOut, 'quote.minAmountOut')),
    seconds: quote.timeEstimate === undefined ? USUAL_SECONDS : reading.whole(quote.timeEstimate, 'quote.timeEstimate'),
  };
}

/** Nothing is funded on an order that says other than what was asked for. The deadline may be one of its own. */
function checkEcho(value: unknown, request: ReturnType<typeof quoteRequest>): void {
  const echo = reading.record(reading.record(value, 'quote').quoteRequest, 'quote.quoteRequest');
  for (const [name, asked] of Object.entries(request))
    if (name !== 'deadline' && spellingOf(String(echo[name])) !== spellingOf(String(asked)))
      reading.malformed(`quoteRequest.${name}`);
}

function readOrder(quote: Reply, swap: Swap, parseAddress: OneClickConfig['parseAddress']): ProviderOrder {
  const offer = readQuote(quote, swap);
  if (!isWithin(swap, offer)) throw new Fault('permanent', ONECLICK, 'quote: less than the slippage leaves');
  // A plain transfer carries no memo.
  if (quote.depositMemo) throw new Fault('permanent', ONECLICK, 'quote: the deposit would need a memo');
  const id = reading.text(quote.depositAddress, 'quote.depositAddress');
  return {
    id,
    depositAddress: parseAddress(chainOf(swap.input.asset), id) ?? reading.malformed('quote.depositAddress'),
    input: swap.input,
    output: offer.output,
    least: offer.least,
    deadline: earlier(reading.time(quote.deadline, 'quote.deadline'), swap.deadline),
  };
}
