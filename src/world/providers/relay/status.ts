import { amount } from '../../../kernel/amount.ts';
import { Fault } from '../../../kernel/fault.ts';
import { type TxHash, txHash } from '../../../kernel/ids.ts';
import type { Reply } from '../../outbound/reading.ts';
import { reasonOr } from '../codec.ts';
import type { ProviderOrder, ProviderStatus } from '../provider.ts';
import { type Ask, RELAY, reading } from './ask.ts';
import { type Currencies, readTold } from './currencies.ts';

export async function readStatus(ask: Ask, order: ProviderOrder, currencies: Currencies): Promise<ProviderStatus> {
  const id = encodeURIComponent(order.id);
  const answer = await ask('status', 'question', `/intents/status/v3?requestId=${id}`);
  if ('declined' in answer) {
    if (answer.status === 404) return { state: 'unknown' };
    throw new Fault('permanent', RELAY, answer.declined);
  }
  const reply = reading.record(answer.value, 'status');
  switch (reply.status) {
    case 'unknown':
      return { state: 'unknown' };
    case 'waiting':
      return { state: 'awaiting_deposit' };
    case 'depositing':
    case 'pending':
    case 'submitted':
    case 'delayed':
      return { state: 'processing' };
    case 'success':
      return delivered(await details(ask, id), currencies);
    case 'refund':
      return refunded(await details(ask, id), currencies);
    case 'failure':
      return { state: 'failed', reason: reasonOr(reply.details, 'the provider says that it failed') };
    default:
      return reading.malformed('status.status');
  }
}

/** The status names no sums; the record of the request does. */
async function details(ask: Ask, id: string): Promise<Reply> {
  const answer = await ask('request', 'question', `/requests/v2?id=${id}`);
  if ('declined' in answer) throw new Fault('permanent', RELAY, answer.declined);
  const [request] = reading.list(reading.record(answer.value, 'requests').requests, 'requests');
  return reading.record(reading.record(request, 'requests').data, 'requests.data');
}

function delivered(data: Reply, currencies: Currencies): ProviderStatus {
  const { currencyOut } = reading.record(data.metadata, 'data.metadata');
  const { asset, unlisted, atoms } = readTold(currencyOut, 'metadata.currencyOut', currencies);
  if (!asset) return { state: 'failed', reason: `the provider says that it delivered ${unlisted}` };
  return { state: 'delivered', output: amount(asset, atoms), txHash: firstHash(data.outTxs) };
}

function refunded(data: Reply, currencies: Currencies): ProviderStatus {
  const { asset, unlisted, atoms } = readTold(data.refundCurrencyData, 'data.refundCurrencyData', currencies);
  if (!asset) return { state: 'failed', reason: `the provider says that it refunded ${unlisted}` };
  return { state: 'refunded', amount: amount(asset, atoms), txHash: firstHash(data.outTxs) };
}

/** The first one pays; those after it settle accounts inside the provider or send back an excess. */
function firstHash(value: unknown): TxHash | undefined {
  const [first] = reading.list(value ?? [], 'data.outTxs');
  return first === undefined
    ? undefined
    : txHash(reading.text(reading.record(first, 'data.outTxs').hash, 'outTxs.hash'));
}
