import { amount } from '../../../kernel/amount.ts';
import { present } from '../../../kernel/assert.ts';
import { type Clock, type Instant, instant } from '../../../kernel/clock.ts';
import { Fault } from '../../../kernel/fault.ts';
import { type Address, type ChainId, chainOf } from '../../../kernel/ids.ts';
import type { Secret } from '../../../kernel/secret.ts';
import type { Asset } from '../../chains/chain.ts';
import type { Outbound } from '../../outbound/http.ts';
import type { Reply } from '../../outbound/reading.ts';
import { type Answer, basisPoints, earlier, isWithin } from '../codec.ts';
import type { Provider, ProviderOrder, ProviderQuote, Swap } from '../provider.ts';
import { asker, RELAY, reading } from './ask.ts';
import { amountOf, type Currencies, readCurrencies, readTold } from './currencies.ts';
import { readStatus } from './status.ts';

export interface RelayConfig {
  /** Without a trailing slash: `https://api.relay.link`. */
  readonly url: string;
  readonly apiKey?: Secret;
  /** The parser of a chain: where we are told to pay is checked before anyone pays there. */
  readonly parseAddress: (chain: ChainId, text: string) => Address | undefined;
}

/** For quotes that name no time; most fills take seconds. */
const USUAL_SECONDS = 60;

export async function openRelay(
  config: RelayConfig,
  assets: readonly Asset[],
  outbound: Outbound,
  clock: Clock,
): Promise<Provider> {
  const ask = asker(config, outbound);
  const currencies = await readCurrencies(ask, assets);
  /**
   * A price is the same request as an order: there is no dry one, and without a deposit address other costs apply. The
   * address that comes with a mere quote binds nobody and is forgotten.
   */
  const requested = (swap: Swap, purpose: 'question' | 'act'): Promise<Answer> =>
    ask('quote', purpose, '/quote/v2', quoteRequest(swap, currencies));
  return {
    name: 'relay',
    supports: (input, output) =>
      input !== output && currencies.theirs(input) !== undefined && currencies.theirs(output) !== undefined,
    async quote(swap) {
      const answer = await requested(swap, 'question');
      if ('declined' in answer) return undefined;
      const quote = readQuote(reading.record(answer.value, 'quote'), swap, currencies);
      return isWithin(swap, quote) ? quote : undefined;
    },
    async open(swap) {
      const answer = await requested(swap, 'act');
      if ('declined' in answer) throw new Fault('permanent', RELAY, answer.declined);
      const reply = reading.record(answer.value, 'quote');
      const offer = readQuote(reply, swap, currencies);
      if (!isWithin(swap, offer)) throw new Fault('permanent', RELAY, 'quote: less than the slippage leaves');
      const order = readOrder(reply, swap, offer, config.parseAddress);
      if (order.deadline <= clock.now()) throw new Fault('permanent', RELAY, 'quote: its deadline is past');
      return order;
    },
    status: (order) => readStatus(ask, order, currencies),
    async funded(order, txHash) {
      const { chainId } = present(currencies.theirs(order.input.asset), `Relay's name of ${order.input.asset}`);
      // A transaction that the provider cannot see yet is declined; it finds the deposit by itself.
      await ask('index', 'act', '/transactions/index', { chainId: String(chainId), txHash, requestId: order.id });
    },
  };
}

function quoteRequest(swap: Swap, currencies: Currencies) {
  const { input, output } = swap;
  const origin = present(currencies.theirs(input.asset), `Relay's name of ${input.asset}`);
  const destination = present(currencies.theirs(output), `Relay's name of ${output}`);
  return {
    user: swap.refundTo,
    recipient: swap.recipient,
    originChainId: origin.chainId,
    originCurrency: origin.address,
    destinationChainId: destination.chainId,
    destinationCurrency: destination.address,
    amount: input.atoms.toString(),
    tradeType: 'EXACT_INPUT',
    slippageTolerance: basisPoints(swap.slippage),
    useDepositAddress: true,
    strict: true,
    refundTo: swap.refundTo,
  };
}

function readQuote(reply: Reply, swap: Swap, currencies: Currencies): ProviderQuote {
  const details = reading.record(reply.details, 'quote.details');
  const paid = readTold(details.currencyIn, 'details.currencyIn', currencies);
  if (amountOf(paid, swap.input.asset, 'details.currencyIn').atoms !== swap.input.atoms)
    reading.malformed('details.currencyIn.amount');
  const told = readTold(details.currencyOut, 'details.currencyOut', currencies);
  return {
    output: amountOf(told, swap.output, 'details.currencyOut'),
    least: amount(swap.output, reading.atoms(told.minimum, 'details.currencyOut.minimumAmount')),
    seconds:
      details.timeEstimate === undefined ? USUAL_SECONDS : reading.whole(details.timeEstimate, 'details.timeEstimate'),
  };
}

/** Exactly one step asks for a deposit; its address and its request are the order. */
function readOrder(
  reply: Reply,
  swap: Swap,
  { output, least }: ProviderQuote,
  parseAddress: RelayConfig['parseAddress'],
): ProviderOrder {
  const steps = reading.list(reply.steps, 'quote.steps').map((step) => reading.record(step, 'quote.steps'));
  const [step, ...more] = steps.filter(({ depositAddress }) => depositAddress);
  if (!step || more.length > 0) return reading.malformed('quote.steps');
  const told = reading.text(step.depositAddress, 'steps.depositAddress');
  return {
    id: reading.text(step.requestId, 'steps.requestId'),
    depositAddress: parseAddress(chainOf(swap.input.asset), told) ?? reading.malformed('steps.depositAddress'),
    input: swap.input,
    output,
    least,
    deadline: earlier(deadlineOf(reply) ?? swap.deadline, swap.deadline),
  };
}

/** Relay takes no deadline from us; its order has one, in seconds. */
function deadlineOf(reply: Reply): Instant | undefined {
  if (reply.protocol === undefined) return undefined;
  const { v2 } = reading.record(reply.protocol, 'quote.protocol');
  const { orderData } = reading.record(v2 ?? {}, 'protocol.v2');
  const { output } = reading.record(orderData ?? {}, 'protocol.v2.orderData');
  const { deadline } = reading.record(output ?? {}, 'orderData.output');
  return deadline === undefined ? undefined : instant(reading.whole(deadline, 'output.deadline') * 1000);
}
