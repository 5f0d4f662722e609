import { type Atoms, atoms } from '../../../kernel/amount.ts';
import type { Address, AssetId, ChainId, TxHash } from '../../../kernel/ids.ts';
import { evmAsset, parseEvmAddress } from './codec.ts';
import { type NodeLog, type NodeReceipt, type NodeTx, TRANSFER_TOPIC } from './node.ts';

/** Something that moved in a transaction that succeeded, as its logs and its value claim. */
export interface Movement {
  /** Hash and place within the transaction: the same wherever the transaction is mined. */
  readonly key: string;
  readonly txHash: TxHash;
  readonly asset: AssetId;
  readonly from: Address;
  readonly to: Address;
  readonly atoms: Atoms;
  /** The account that signed the transaction moved its own money, with no contract in between. */
  readonly isDirect: boolean;
}

/** Only supported contracts speak for an asset: whatever another one logs, by whatever symbol, is no money. */
export function movementsOf(
  chain: ChainId,
  contracts: ReadonlySet<Address>,
  tx: NodeTx,
  receipt: NodeReceipt,
): readonly Movement[] {
  if (!receipt.ok) return [];
  const found: Movement[] = [];
  if (tx.to && tx.value > 0n) {
    const asset = evmAsset(chain, undefined);
    const { hash, from, to, value } = tx;
    found.push({ key: `${hash}:value`, txHash: hash, asset, from, to, atoms: atoms(value), isDirect: true });
  }
  for (const [place, log] of receipt.logs.entries()) {
    const parties = contracts.has(log.contract) ? partiesOf(log) : undefined;
    if (!parties) continue;
    const isDirect = tx.to === log.contract && tx.from === parties.from;
    const asset = evmAsset(chain, log.contract);
    found.push({ key: `${tx.hash}:${place}`, txHash: tx.hash, asset, ...parties, isDirect });
  }
  return found.filter(({ from, to }) => from !== to);
}

/** Empty for anything but an ERC-20 Transfer of more than nothing. */
export function partiesOf({ topics, data }: NodeLog): { from: Address; to: Address; atoms: Atoms } | undefined {
  const [event, from, to] = topics;
  if (event !== TRANSFER_TOPIC || !from || !to || topics.length !== 3 || !/^0x[0-9a-f]{64}$/i.test(data))
    return undefined;
  const value = BigInt(data);
  const [sender, recipient] = [from, to].map((topic) => parseEvmAddress(`0x${topic.slice(-40).toLowerCase()}`));
  return value > 0n && sender && recipient ? { from: sender, to: recipient, atoms: atoms(value) } : undefined;
}
