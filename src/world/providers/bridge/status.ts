import { amount } from '../../../kernel/amount.ts';
import { Fault } from '../../../kernel/fault.ts';
import { type TxHash, txHash } from '../../../kernel/ids.ts';
import type { Reply } from '../../outbound/reading.ts';
import { reasonOr } from '../codec.ts';
import type { ProviderOrder, ProviderStatus } from '../provider.ts';
import { type Ask, BRIDGE, reading } from './ask.ts';

/** As an order is known there, and the address by which it may be read. */
export interface Named {
  readonly orderId: string;
  readonly toAddress: string;
}
export const nameOf = ({ orderId, toAddress }: Named): string => `${orderId} ${toAddress}`;
function namedBy(id: string): Named {
  const [orderId = '', toAddress = ''] = id.split(' ');
  return { orderId, toAddress };
}

export async function readStatus(ask: Ask, order: ProviderOrder): Promise<ProviderStatus> {
  const { orderId, toAddress } = namedBy(order.id);
  const path = `/v2/bridges/${encodeURIComponent(orderId)}?verify=${encodeURIComponent(toAddress)}`;
  const answer = await ask('status', 'question', path);
  if ('declined' in answer) {
    if (answer.status === 404) return { state: 'unknown' };
    throw new Fault('permanent', BRIDGE, answer.declined);
  }
  const reply = reading.record(answer.value, 'order');
  const status = reading.text(reply.status, 'status');
  switch (status) {
    case 'completed':
      return delivered(reply, order);
    case 'refunded':
      return refunded(reply, order);
    case 'processing':
      return { state: 'processing' };
    case 'failed':
      return { state: 'failed', reason: reasonOr(reply.errorMessage, 'the bridge says that it failed') };
    case 'expired':
      return late(reply, order);
    default:
      return status.startsWith('awaiting_') ? awaited(reply) : reading.malformed('status', status);
  }
}

/** What comes after the end goes back; that nothing came yet is no news. */
function late(reply: Reply, order: ProviderOrder): ProviderStatus {
  if (reply.refundRecovery === undefined) return { state: 'awaiting_deposit' };
  const { phase } = reading.record(reply.refundRecovery, 'refundRecovery');
  return phase === 'completed' ? refunded(reply, order) : { state: 'processing' };
}

/** What is below its minimum waits there, or goes back at its deadline. */
function awaited({ observedDepositAmount: seen }: Reply): ProviderStatus {
  if (seen === undefined) return { state: 'awaiting_deposit' };
  return { state: 'incomplete', received: reading.atoms(seen, 'observedDepositAmount') };
}

function delivered(reply: Reply, { output }: ProviderOrder): ProviderStatus {
  if (reply.deliveredToken !== undefined)
    return { state: 'failed', reason: 'the bridge says that it delivered something else' };
  const came = amount(output.asset, reading.atoms(reply.actualOutput, 'actualOutput'));
  return { state: 'delivered', output: came, txHash: hashIn(reply.payoutTxHash, 'payoutTxHash') };
}

function refunded(reply: Reply, { input }: ProviderOrder): ProviderStatus {
  const { amount: back } = reading.record(reply.refundRecovery, 'refundRecovery');
  const came = amount(input.asset, reading.atoms(back, 'refundRecovery.amount'));
  return { state: 'refunded', amount: came, txHash: hashIn(reply.refundTxHash, 'refundTxHash') };
}

const hashIn = (value: unknown, where: string): TxHash | undefined =>
  value === null || value === undefined ? undefined : txHash(reading.text(value, where));
