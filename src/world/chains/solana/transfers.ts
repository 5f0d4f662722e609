import { atoms } from '../../../kernel/amount.ts';
import type { Address, AssetId } from '../../../kernel/ids.ts';
import type { BlockRef, Sighting } from '../chain.ts';
import { parseSolanaAddress, TOKEN_PROGRAM, tokenAccountOf } from './address-codec.ts';
import { isSolanaAsset, mintOf, SOL_ASSET_ID, solanaToken } from './codec.ts';
import type { NodeTx } from './node.ts';

/** What a transaction brought to one account, or took from it. */
interface Change {
  readonly asset: AssetId;
  readonly account: Address;
  /** Whose it is: the wallet itself, or the owner of the token account. */
  readonly wallet: Address;
  readonly before: bigint;
  readonly after: bigint;
}

/** Wallets that hold more after it than before. Failed transactions moved nothing but their fee. */
export function payeesOf(tx: NodeTx): readonly Address[] {
  return changesIn(tx)
    .filter(({ before, after }) => after > before)
    .map(({ wallet }) => wallet);
}

/**
 * What it brought to these wallets. Tokens count only on the wallet's own account of them, from which they can be collected:
 * anybody can open another one in its name.
 */
export function sightingsIn(tx: NodeTx, { height, hash }: BlockRef, ours: ReadonlySet<Address>): readonly Sighting[] {
  const changes = changesIn(tx);
  return changes
    .filter(({ wallet, before, after }) => ours.has(wallet) && after > before)
    .filter(({ asset, account, wallet }) => isOwnAccount(account, wallet, mintOf(asset)))
    .map(({ asset, account, wallet, before, after }) => ({
      key: `${tx.hash}:${account}`,
      address: wallet,
      asset,
      atoms: atoms(after - before),
      txHash: tx.hash,
      block: { height, hash },
      sender: senderOf(tx, changes, asset),
    }));
}

const isOwnAccount = (account: Address, wallet: Address, mint: Address | undefined): boolean =>
  mint === undefined || account === tokenAccountOf(wallet, mint);

/** Tokens of the newer program may keep a fee or be taken back; whatever their mint says, they are not ours. */
function changesIn({ ok, coins, tokens }: NodeTx): readonly Change[] {
  if (!ok) return [];
  return [
    ...coins.map(({ account, before, after }) => ({ asset: SOL_ASSET_ID, account, wallet: account, before, after })),
    ...tokens
      .filter(({ program, mint }) => program === TOKEN_PROGRAM && isSolanaAsset(solanaToken(mint)))
      .map(({ mint, owner, ...rest }) => ({ ...rest, asset: solanaToken(mint), wallet: owner })),
  ];
}

/** The wallet that signed and paid the fee, where nobody else gave any of the asset. */
function senderOf({ coins }: NodeTx, changes: readonly Change[], asset: AssetId): Address | undefined {
  const givers = changes.filter((one) => one.asset === asset && one.after < one.before).map(({ wallet }) => wallet);
  const payer = coins[0]?.account;
  return payer && givers.length > 0 && givers.every((giver) => giver === payer) ? parseSolanaAddress(payer) : undefined;
}

/** By how much the wallet holds more of the asset afterwards, on all its accounts; less than nothing where it gave. */
export const changeOf = (tx: NodeTx, wallet: Address, asset: AssetId): bigint =>
  changesIn(tx)
    .filter((one) => one.wallet === wallet && one.asset === asset)
    .reduce((sum, { before, after }) => sum + after - before, 0n);
