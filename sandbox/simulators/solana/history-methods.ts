import type { Address } from '../../../src/kernel/ids.ts';
import { RpcFailure } from '../rpc-server.ts';
import type { Ledger, SimBlock } from './ledger.ts';
import { type Print, printAccounts, printTx } from './print-tx.ts';
import type { Methods } from './server.ts';
import type { SimTx } from './transaction.ts';

interface Options extends Print {
  readonly commitment?: unknown;
  readonly transactionDetails?: unknown;
  readonly rewards?: boolean;
  readonly limit?: unknown;
  readonly before?: string;
  readonly until?: string;
}

const MOST_SIGNATURES = 1_000;
const INVALID_PARAMS = -32602;

/** Once it was only an encoding that was told. */
const optionsOf = (how: unknown): Options => (typeof how === 'string' ? { encoding: how } : ((how ?? {}) as Options));

/** Blocks, and the transactions that they hold. */
export function historyMethods(ledger: Ledger, context: () => object): Methods {
  /** As the real one: without a word, final. */
  const isWithin = (slot: number, { commitment = 'finalized' }: Options) => slot <= ledger.slotAt(commitment);
  const blockAt = (slot: unknown, options: Options): SimBlock => {
    if (!isWithin(Number(slot), options)) throw new RpcFailure(-32004, `Block not available for slot ${slot}`);
    const block = ledger.blocks.get(Number(slot));
    if (block) return block;
    throw new RpcFailure(-32007, `Slot ${slot} was skipped, or missing due to ledger jump to recent snapshot`);
  };
  const timeOf = ({ slot }: SimTx): number | null => ledger.blocks.get(slot)?.time ?? null;
  const levelOf = ({ slot }: SimTx): string | undefined =>
    ['finalized', 'confirmed', 'processed'].find((level) => slot <= ledger.slotAt(level));
  return {
    getBlock: ([slot, how]) => printBlock(ledger, blockAt(slot, optionsOf(how)), optionsOf(how)),
    getBlockTime: ([slot]) => blockAt(slot, { commitment: 'confirmed' }).time,

    getTransaction([signature, how]) {
      const options = optionsOf(how);
      const tx = ledger.transactions.get(String(signature));
      if (!tx || !isWithin(tx.slot, options)) return null;
      return { slot: tx.slot, blockTime: timeOf(tx), ...printTx(ledger.accounts, tx, options) };
    },

    getSignatureStatuses: ([signatures]) => ({
      context: context(),
      value: (signatures as string[]).map((signature) => {
        const tx = ledger.transactions.get(signature);
        if (!tx) return null;
        const { slot, err } = tx;
        const status = err === null ? { Ok: null } : { Err: err };
        return { slot, confirmations: null, err, status, confirmationStatus: levelOf(tx) };
      }),
    }),

    getSignaturesForAddress([address, how]) {
      const options = optionsOf(how);
      const limit = Number(options.limit ?? MOST_SIGNATURES);
      if (!(limit >= 1 && limit <= MOST_SIGNATURES))
        throw new RpcFailure(INVALID_PARAMS, `Invalid limit; max ${MOST_SIGNATURES}`);
      const touched = [...ledger.transactions.values()]
        .filter(({ accounts, slot }) => accounts.includes(address as Address) && isWithin(slot, options))
        .reverse();
      return between(ledger, touched, options)
        .slice(0, limit)
        .map((tx) => ({
          ...{ signature: tx.signature, slot: tx.slot, err: tx.err, memo: null },
          ...{ blockTime: timeOf(tx), confirmationStatus: levelOf(tx) },
        }));
    },
  };
}

/** Newest first; older than one, and newer than another. Neither need touch the same address. */
function between(ledger: Ledger, newestFirst: readonly SimTx[], { before, until }: Options): readonly SimTx[] {
  if (before === undefined && until === undefined) return newestFirst;
  const order = new Map([...ledger.transactions.keys()].map((signature, at) => [signature, at]));
  const place = (signature: string | undefined, otherwise: number): number =>
    signature === undefined ? otherwise : (order.get(signature) ?? -1);
  const [end, start] = [place(before, order.size), place(until, -1)];
  return newestFirst.filter(({ signature }) => {
    const at = place(signature, -1);
    return at < end && at > start;
  });
}

function printBlock(ledger: Ledger, block: SimBlock, options: Options): object {
  const { hash, height, time, parent, transactions } = block;
  const head = {
    ...{ blockhash: hash, blockHeight: height, blockTime: time },
    ...{ parentSlot: parent.slot, previousBlockhash: parent.hash },
    ...(options.rewards === false ? {} : { rewards: [] }),
  };
  switch (options.transactionDetails ?? 'full') {
    case 'none':
      return head;
    case 'signatures':
      return { ...head, signatures: transactions.map(({ signature }) => signature) };
    case 'accounts':
      return { ...head, transactions: transactions.map((tx) => printAccounts(ledger.accounts, tx, options)) };
    default:
      return { ...head, transactions: transactions.map((tx) => printTx(ledger.accounts, tx, options)) };
  }
}
