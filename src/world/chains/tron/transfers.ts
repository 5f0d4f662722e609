import { type Atoms, atoms } from '../../../kernel/amount.ts';
import type { Address, AssetId, TxHash } from '../../../kernel/ids.ts';
import type { BlockRef, Sighting } from '../chain.ts';
import { tronAddressOfHex, tronAsset } from './codec.ts';
import type { NodeInfo, NodeLog, NodeTx } from './node-shapes.ts';
import { tronFault } from './reply.ts';

/** keccak256("Transfer(address,address,uint256)"). */
export const TRANSFER_TOPIC = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';

/** Something that moved in a transaction that succeeded. */
export interface Movement {
  /** Hash and place within the transaction: the same wherever the transaction is mined. */
  readonly key: string;
  readonly txHash: TxHash;
  readonly asset: AssetId;
  readonly from: Address;
  readonly to: Address;
  /** Throws a `Fault` where the node cannot say it exactly. */
  atoms(): Atoms;
  /** The account that signed the transaction moved its own money, with no contract in between. */
  readonly isDirect: boolean;
}

/**
 * Only supported contracts speak for an asset: whatever another one logs, by whatever symbol, is no money.
 * Contracts' own payments of coins leave no log and are not seen.
 */
export function movementsOf(
  contracts: ReadonlySet<Address>,
  { hash, ok, ask }: NodeTx,
  info: NodeInfo | undefined,
): readonly Movement[] {
  if (!ok || !ask) return [];
  if (ask.kind === 'transfer') {
    const { owner, to, amount } = ask;
    const exact = () => atoms(exactly(amount, hash));
    const asset = tronAsset(undefined);
    return [{ key: `${hash}:value`, txHash: hash, asset, from: owner, to, atoms: exact, isDirect: true }];
  }
  if (!info?.ok) return [];
  return info.logs.flatMap((log, place) => {
    const parties = contracts.has(log.contract) ? partiesOf(log) : undefined;
    if (!parties) return [];
    const { from, to, value } = parties;
    const isDirect = ask.contract === log.contract && ask.owner === from;
    const asset = tronAsset(log.contract);
    return [{ key: `${hash}:${place}`, txHash: hash, asset, from, to, atoms: () => atoms(value), isDirect }];
  });
}

export const sightingOf = (
  { key, txHash, asset, from, to, atoms: value, isDirect }: Movement,
  block: BlockRef,
): Sighting => ({
  ...{ key, address: to, asset, atoms: value(), txHash, block },
  // Whoever signs is no contract: on this chain those have no keys.
  sender: isDirect ? from : undefined,
});

function exactly(amount: bigint | undefined, hash: TxHash): bigint {
  if (amount === undefined) throw tronFault(`the amount of ${hash} is too long for JSON`);
  return amount;
}

/** Empty for anything but a TRC-20 Transfer of more than nothing. */
function partiesOf({ topics, data }: NodeLog): { from: Address; to: Address; value: bigint } | undefined {
  const [event, from, to] = topics;
  if (event !== TRANSFER_TOPIC || !from || !to || topics.length !== 3 || !/^[0-9a-f]{64}$/i.test(data)) {
    return undefined;
  }
  const value = BigInt(`0x${data}`);
  const [sender, recipient] = [from, to].map((topic) => tronAddressOfHex(topic.slice(-40)));
  return value > 0n && sender && recipient ? { from: sender, to: recipient, value } : undefined;
}
