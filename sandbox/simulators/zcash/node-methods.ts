import { formatUnits } from '../../../src/kernel/amount.ts';
import { outputKey } from '../../../src/world/chains/zcash/reply-codec.ts';
import { RpcFailure } from '../rpc-server.ts';
import { addressMethods } from './address-methods.ts';
import type { Block, Ledger } from './ledger.ts';
import { coins, printPlace, printScript, printTx } from './print-tx.ts';
import type { Methods } from './server.ts';
import { type Decoded, decodeTransaction } from './transaction.ts';

const VERSION = { version: 6_020_050, subversion: '/MagicBean:6.2.0/', protocolversion: 170_140 };
const RELAY_FEE = Number(formatUnits(100n, 8));

/** The node's answers, as zcashd and Zebra give them: https://zcash.github.io/rpc/ */
export function nodeMethods(ledger: Ledger): Methods {
  return { ...chainMethods(ledger), ...blockMethods(ledger), ...txMethods(ledger), ...addressMethods(ledger) };
}

function chainMethods(ledger: Ledger): Methods {
  return {
    getblockchaininfo: () => ({
      chain: 'main',
      blocks: ledger.tip.height,
      headers: ledger.tip.height,
      bestblockhash: ledger.tip.hash,
      estimatedheight: ledger.tip.height,
      verificationprogress: 1,
      difficulty: 1,
    }),
    getinfo: () => ({
      ...{ ...VERSION, blocks: ledger.tip.height, timeoffset: 0, connections: 0, proxy: '', difficulty: 1 },
      ...{ testnet: false, relayfee: RELAY_FEE, errors: '' },
    }),
    getnetworkinfo: () => ({
      ...{ ...VERSION, localservices: '0000000000000005', timeoffset: 0, connections: 0, networks: [] },
      ...{ relayfee: RELAY_FEE, localaddresses: [], warnings: '' },
    }),
    getdifficulty: () => 1,
    getblockcount: () => ledger.tip.height,
    getbestblockhash: () => ledger.tip.hash,
    getrawmempool: () => [...ledger.pool.keys()],
    getmempoolinfo: () => {
      const bytes = [...ledger.pool.values()].reduce((sum, { raw }) => sum + raw.length / 2, 0);
      return { size: ledger.pool.size, bytes, usage: bytes };
    },
  };
}

function blockMethods(ledger: Ledger): Methods {
  const find = (which: unknown): Block => {
    const block = ledger.blocks.find(({ hash, height }) => hash === which || String(height) === String(which));
    if (!block) throw new RpcFailure(-8, 'block height or hash not found');
    return block;
  };
  const header = ({ hash, height, previous, time }: Block) => {
    const next = ledger.blocks[height + 1];
    return {
      ...{ hash, confirmations: ledger.tip.height - height + 1, height, version: 4, time, difficulty: 1 },
      previousblockhash: previous,
      ...(next ? { nextblockhash: next.hash } : {}),
    };
  };
  /** Blocks have no bytes here beside those of their transactions. */
  const bytes = ({ txs }: Block): string => txs.map(({ raw }) => raw).join('');
  const listed = (block: Block, verbosity: number): readonly unknown[] =>
    block.txs.map((tx) => (verbosity === 1 ? tx.txid : { ...printTx(ledger, tx), ...printPlace(ledger, block) }));
  return {
    getblockhash: ([height]) => {
      const block = typeof height === 'number' ? ledger.blocks[height] : undefined;
      if (!block) throw new RpcFailure(-1, 'Provided index is greater than the current tip');
      return block.hash;
    },
    getblockheader: ([which]) => header(find(which)),
    getblock: ([which, verbosity = 1]) => {
      const block = find(which);
      const level = Number(verbosity);
      if (![0, 1, 2].includes(level)) throw new RpcFailure(-8, 'Verbosity must be in range from 0 to 2');
      if (level === 0) return bytes(block);
      return { ...header(block), size: bytes(block).length / 2, tx: listed(block, level) };
    },
  };
}

function txMethods(ledger: Ledger): Methods {
  return {
    getrawtransaction: ([txid, verbose]) => {
      const found = ledger.find(String(txid));
      if (!found) throw new RpcFailure(-5, 'No such mempool or main chain transaction');
      const { tx, block } = found;
      if (!verbose) return tx.raw;
      return { ...printTx(ledger, tx), ...(block ? printPlace(ledger, block) : {}) };
    },
    decoderawtransaction: ([raw]) => printTx(ledger, decoded(String(raw))),
    gettxout: ([txid, n, poolCounts = true]) => {
      const key = outputKey(String(txid), 'transparent', Number(n));
      const coin = ledger.coins.get(key);
      if (!coin || ledger.spent.has(key) || (poolCounts && ledger.isSpentInPool(key))) return null;
      return {
        ...{ bestblock: ledger.tip.hash, confirmations: ledger.tip.height - coin.height + 1 },
        ...{
          value: coins(BigInt(coin.zat)),
          scriptPubKey: printScript(coin.to),
          version: 5,
          coinbase: coin.isCoinbase,
        },
      };
    },
    sendrawtransaction: ([raw]) => {
      const answer = ledger.submit(String(raw));
      if ('rejected' in answer) throw new RpcFailure(-25, `failed to validate tx: ${answer.rejected}`);
      return answer.txid;
    },
  };
}

function decoded(raw: string): Decoded {
  try {
    return decodeTransaction(raw);
  } catch {
    throw new RpcFailure(-22, 'TX decode failed');
  }
}
