import { amount } from '../../../kernel/amount.ts';
import { txHash } from '../../../kernel/ids.ts';
import type { Reply } from '../../outbound/reading.ts';
import { reasonOr } from '../codec.ts';
import type { ProviderOrder, ProviderStatus } from '../provider.ts';
import { reading } from './ask.ts';
import type { Tokens } from './tokens.ts';

export function readStatus(value: unknown, order: ProviderOrder, tokens: Tokens): ProviderStatus {
  const reply = reading.record(value, 'status');
  const details = reading.record(reply.swapDetails ?? {}, 'status.swapDetails');
  switch (reply.status) {
    case 'PENDING_DEPOSIT':
    // Someone named a transaction; nothing has arrived yet.
    case 'KNOWN_DEPOSIT_TX':
      return { state: 'awaiting_deposit' };
    case 'INCOMPLETE_DEPOSIT':
      return { state: 'incomplete', received: reading.atoms(details.depositedAmount, 'swapDetails.depositedAmount') };
    case 'PROCESSING':
      return { state: 'processing' };
    case 'SUCCESS':
      return delivered(reply, details, tokens);
    case 'REFUNDED':
      return {
        state: 'refunded',
        amount: amount(order.input.asset, reading.atoms(details.refundedAmount, 'swapDetails.refundedAmount')),
        // The hashes on the origin chain are those of deposits and refunds alike, and not told apart.
        txHash: undefined,
      };
    case 'FAILED':
      return { state: 'failed', reason: reasonOr(details.refundReason, 'the provider says that it failed') };
    default:
      return reading.malformed('status.status');
  }
}

/** The asset is the one that the provider has on record, whatever we asked for. */
function delivered(reply: Reply, details: Reply, tokens: Tokens): ProviderStatus {
  const quote = reading.record(reply.quoteResponse, 'status.quoteResponse');
  const request = reading.record(quote.quoteRequest, 'quoteResponse.quoteRequest');
  const assetId = reading.text(request.destinationAsset, 'quoteRequest.destinationAsset');
  const asset = tokens.ours(assetId);
  if (!asset) return { state: 'failed', reason: `the provider says that it delivered ${assetId}` };
  const [last] = reading.list(details.destinationChainTxHashes ?? [], 'destinationChainTxHashes').slice(-1);
  return {
    state: 'delivered',
    output: amount(asset, reading.atoms(details.amountOut, 'swapDetails.amountOut')),
    txHash: last === undefined ? undefined : txHash(hashOf(last)),
  };
}

const hashOf = (value: unknown): string =>
  reading.text(reading.record(value, 'destinationChainTxHashes').hash, 'destinationChainTxHashes.hash');
