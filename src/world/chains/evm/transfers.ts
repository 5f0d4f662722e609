import { type Atoms, atoms } from '../../../kernel/amount.ts';
import type { Address, AssetId, ChainId, TxHash } from '../../../kernel/ids.ts';
import { evmAsset, evmWord, parseEvmAddress } from './codec.ts';
import { type NodeLog, type NodeTx, TRANSFER_TOPIC } from './node.ts';

/** Something that moved in a transaction that succeeded, as its logs or its value claim. */
export interface Movement {
  /** Unique within the chain, and the same wherever the transaction is mined. */
  readonly key: string;
  readonly txHash: TxHash;
  readonly asset: AssetId;
  readonly from: Address;
  readonly to: Address;
  readonly atoms: Atoms;
  /** The account that signed the transaction moved its own money, with no contract in between. */
  readonly isDirect: boolean;
}

/** What a transaction pays of the network's own coin, if it succeeds. */
export function coinMovement(chain: ChainId, { hash, from, to, value }: NodeTx): Movement | undefined {
  if (!to || value === 0n || from === to) return undefined;
  const asset = evmAsset(chain, undefined);
  return { key: `${hash}:value`, txHash: hash, asset, from, to, atoms: atoms(value), isDirect: true };
}

/**
 * What logs of one block brought to these payees. A contract speaks for its own asset only, whatever symbol it goes by.
 * Logs are all one needs: a receipt grows with whatever else the transaction wrote, and that is up to its sender.
 */
export function tokenMovements(
  chain: ChainId,
  transactions: readonly NodeTx[],
  logs: readonly NodeLog[],
  payees: ReadonlySet<Address>,
): readonly Movement[] {
  const words = new Set([...payees].map((payee) => evmWord(payee)));
  const ours = logs.filter(({ topics }) => words.has(topics[2]?.slice(2).toLowerCase() ?? ''));
  const hashes = new Set(ours.map(({ txHash }) => txHash));
  const signed = new Map(transactions.filter(({ hash }) => hashes.has(hash)).map((tx) => [tx.hash, tx]));
  const counts = new Map<string, number>();
  return ours.flatMap((log) => {
    const { txHash, contract } = log;
    const parties = partiesOf(log);
    if (!parties || parties.from === parties.to) return [];
    const name = `${txHash}:${contract}:${parties.to}`;
    const nth = counts.get(name) ?? 0;
    counts.set(name, nth + 1);
    const tx = signed.get(txHash);
    const isDirect = tx?.to === contract && tx.from === parties.from;
    return [{ key: `${name}:${nth}`, txHash, asset: evmAsset(chain, contract), ...parties, isDirect }];
  });
}

/** Empty for anything but an ERC-20 Transfer of more than nothing. */
export function partiesOf(log: NodeLog): { from: Address; to: Address; atoms: Atoms } | undefined {
  const payee = payeeOf(log);
  const from = log.topics[1];
  if (!payee || !from) return undefined;
  const [sender, recipient] = [addressIn(from), payee].map(parseEvmAddress);
  return sender && recipient ? { from: sender, to: recipient, atoms: atoms(BigInt(log.data)) } : undefined;
}

/**
 * The address that such a Transfer names, as the log writes it. Transfers of things that are not alike (ERC-721) have the
 * same name and a fourth topic.
 */
export function payeeOf({ topics, data }: NodeLog): string | undefined {
  const [event, , to] = topics;
  const isTransfer = event === TRANSFER_TOPIC && topics.length === 3 && /^0x[0-9a-f]{64}$/i.test(data);
  return isTransfer && to !== undefined && BigInt(data) > 0n ? addressIn(to) : undefined;
}

const addressIn = (topic: string): string => `0x${topic.slice(-40).toLowerCase()}`;
