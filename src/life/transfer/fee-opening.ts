import { type Amount, amount, atLeast } from '../../kernel/amount.ts';
import { type Chain, coinOf, type Refused, type Terms } from '../../world/chains/chain.ts';
import type { TransferStage } from './stage.ts';

/**
 * Why a fee is not sent. Whether its address has an account is up to the integration: one that closes it before each fee would be
 * given what opens it every time, so the fee must be worth that. It stays owed, and is paid once the account is open.
 */
export async function openingRefused(
  { inAsset }: Pick<TransferStage, 'inAsset'>,
  { facts }: Pick<Chain, 'facts'>,
  fee: Amount,
  terms: Terms | Refused,
): Promise<Refused | undefined> {
  if ('refused' in terms || !terms.opening) return undefined;
  const opening = await inAsset(amount(coinOf(facts).id, terms.opening), fee.asset);
  if (atLeast(fee, opening)) return undefined;
  return {
    refused: `the account of its address is not open, and opening it costs ${opening.atoms}, more than the fee of ${fee.atoms}`,
  };
}
