import type { Rpc } from '../../src/world/outbound/json-rpc.ts';
import type { Received } from '../place.ts';

interface WireTx {
  readonly slot: number;
  readonly meta: {
    readonly err: unknown;
    readonly preBalances: readonly number[];
    readonly postBalances: readonly number[];
    readonly preTokenBalances: readonly WireTokens[];
    readonly postTokenBalances: readonly WireTokens[];
  };
  readonly transaction: { readonly message: { readonly accountKeys: readonly string[] } };
}

interface WireTokens {
  readonly accountIndex: number;
  readonly uiTokenAmount: { readonly amount: string };
}

/** More than any address of the box is paid. */
const MOST = 1_000;
const SEEN = { commitment: 'confirmed' };

/** What came to one account, a wallet or its account of a token, by the node's own index of it. */
export async function solanaReceived(rpc: Rpc, account: string, token: string): Promise<Received> {
  const found = (await rpc('getSignaturesForAddress', [account, { ...SEEN, limit: MOST }])) as { signature: string }[];
  const transfers: { txHash: string; amount: bigint; height: number }[] = [];
  for (const { signature } of found.reverse()) {
    const options = { ...SEEN, encoding: 'json', maxSupportedTransactionVersion: 0 };
    const tx = (await rpc('getTransaction', [signature, options])) as WireTx;
    const amount = tx.meta.err === null ? gain(tx, account, token) : 0n;
    if (amount > 0n) transfers.push({ txHash: signature, amount, height: tx.slot });
  }
  return { total: transfers.reduce((sum, { amount }) => sum + amount, 0n), transfers };
}

function gain({ meta, transaction }: WireTx, account: string, token: string): bigint {
  const at = transaction.message.accountKeys.indexOf(account);
  if (token === 'SOL') return BigInt(meta.postBalances[at] ?? 0) - BigInt(meta.preBalances[at] ?? 0);
  const held = (balances: readonly WireTokens[]) =>
    BigInt(balances.find(({ accountIndex }) => accountIndex === at)?.uiTokenAmount.amount ?? '0');
  return held(meta.postTokenBalances) - held(meta.preTokenBalances);
}
