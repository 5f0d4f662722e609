import type { Amount } from '../../../kernel/amount.ts';
import { present } from '../../../kernel/assert.ts';
import type { Clock } from '../../../kernel/clock.ts';
import { Fault } from '../../../kernel/fault.ts';
import { type Address, type AssetId, type ChainId, chainOf } from '../../../kernel/ids.ts';
import type { Secret } from '../../../kernel/secret.ts';
import type { Outbound } from '../../outbound/http.ts';
import { earlier, isWithin, spellingOf } from '../codec.ts';
import type { Provider, ProviderOrder, ProviderQuote, Swap } from '../provider.ts';
import { asker, BRIDGE, reading } from './ask.ts';
import { nameOf, readStatus } from './status.ts';
import { type BridgedPair, bridged, listed, type Way } from './terms.ts';

export interface BridgeConfig {
  /** Without a trailing slash. */
  readonly url: string;
  readonly key?: Secret;
  readonly pairs: readonly BridgedPair[];
  /** The parser of a chain: where we are told to pay is checked before anyone pays there. */
  readonly parseAddress: (chain: ChainId, text: string) => Address | undefined;
}

/** Deposits of coins wait for twenty confirmations. */
const USUAL_SECONDS = 45 * 60;

/**
 * Another desk that exchanges coins and their wrapped forms: it speaks the bridge calls of the interface that this desk speaks, too
 * (`/v2/bridges`). It takes what comes and names no sum beforehand, so what it will deliver follows from its terms.
 */
export async function openBridge(config: BridgeConfig, outbound: Outbound, clock: Clock): Promise<Provider> {
  const ask = asker(config, outbound);
  const known = await listed(ask);
  const wayOf = (input: AssetId, output: AssetId): Way | undefined => {
    for (const pair of config.pairs.filter(({ name }) => known.has(name))) {
      if (pair.native.asset === input && pair.wrapped.asset === output) return { pair, direction: 'deposit' };
      if (pair.wrapped.asset === input && pair.native.asset === output) return { pair, direction: 'withdraw' };
    }
    return undefined;
  };
  const quote = async (swap: Swap): Promise<ProviderQuote | undefined> => {
    const way = present(wayOf(swap.input.asset, swap.output), 'a bridge');
    const output = await bridged(ask, way, swap.input);
    const offer = output && { output, least: output, seconds: USUAL_SECONDS };
    return offer && isWithin(swap, offer) ? offer : undefined;
  };
  return {
    name: 'bridge',
    supports: (input, output) => wayOf(input, output) !== undefined,
    quote,
    async open(swap) {
      const offer = await quote(swap);
      if (!offer) throw new Fault('permanent', BRIDGE, 'it takes nothing of the kind at the moment');
      const { pair, direction } = present(wayOf(swap.input.asset, swap.output), 'a bridge');
      const request = { asset: pair.name, direction, toAddress: swap.recipient, refundAddress: swap.refundTo };
      const answer = await ask('create', 'act', '/v2/bridges', request);
      if ('declined' in answer) throw new Fault('permanent', BRIDGE, answer.declined);
      const order = readOrder(answer.value, swap, offer.output, config.parseAddress);
      if (order.deadline <= clock.now()) throw new Fault('permanent', BRIDGE, 'create: its deadline is past');
      return order;
    },
    status: (order) => readStatus(ask, order),
    // It finds what comes by itself, and has no call to be told.
    funded: async () => {},
  };
}

/** Nothing is funded on an order that pays somebody else, or wants another coin. */
function readOrder(
  value: unknown,
  swap: Swap,
  output: Amount,
  parseAddress: BridgeConfig['parseAddress'],
): ProviderOrder {
  const reply = reading.record(value, 'order');
  const said = (field: string): string => reading.text(reply[field], field);
  for (const [field, asked] of [
    ['toAddress', swap.recipient],
    ['refundAddress', swap.refundTo],
  ] as const)
    if (spellingOf(said(field)) !== spellingOf(asked)) reading.malformed(field, reply[field]);
  const chain = chainOf(swap.input.asset);
  if (reply.fromChainId !== chain) reading.malformed('fromChainId', reply.fromChainId);
  return {
    id: nameOf({ orderId: said('orderId'), toAddress: swap.recipient }),
    depositAddress: parseAddress(chain, said('depositAddress')) ?? reading.malformed('depositAddress'),
    input: swap.input,
    output,
    least: output,
    deadline: earlier(reading.time(reply.expiresAt, 'expiresAt'), swap.deadline),
  };
}
