import { expiryHeight } from '../../../src/world/chains/zcash/codec.ts';
import { RpcFailure } from '../rpc-server.ts';
import type { Ledger } from './ledger.ts';
import type { Methods } from './server.ts';

/** The node's answers, as Zebra gives them. */
export function nodeMethods(ledger: Ledger): Methods {
  const blockAt = (height: unknown) => {
    const block = typeof height === 'number' ? ledger.blocks[height] : undefined;
    if (!block) throw new RpcFailure(-1, 'Provided index is greater than the current tip');
    return block;
  };
  return {
    getblockchaininfo: () => ({
      chain: 'main',
      blocks: ledger.tip.height,
      bestblockhash: ledger.tip.hash,
      estimatedheight: ledger.tip.height,
    }),
    getblockcount: () => ledger.tip.height,
    getbestblockhash: () => ledger.tip.hash,
    getblockhash: ([height]) => blockAt(height).hash,
    getblockheader: ([which]) => {
      const block = ledger.blocks.find(({ hash, height }) => hash === which || String(height) === which);
      if (!block) throw new RpcFailure(-8, 'block height or hash not found');
      const { hash, height, previous } = block;
      return { hash, height, previousblockhash: previous, confirmations: ledger.tip.height - height + 1 };
    },
    getrawmempool: () => [...ledger.pool.keys()],
    getrawtransaction: ([txid, verbose]) => {
      const found = ledger.find(String(txid));
      if (!found) throw new RpcFailure(-5, 'No such mempool or main chain transaction');
      const { tx, block } = found;
      if (!verbose) return tx.raw;
      const vin = tx.tx.coinbase === undefined ? tx.tx.spends.map((spent) => ({ spent })) : [{ coinbase: '00' }];
      const place = block
        ? { height: block.height, blockhash: block.hash, confirmations: ledger.tip.height - block.height + 1 }
        : {};
      return { hex: tx.raw, txid: tx.txid, expiryheight: expiryHeight(tx.raw) ?? 0, vin, ...place };
    },
    sendrawtransaction: ([raw]) => {
      const answer = ledger.submit(String(raw));
      if ('rejected' in answer) throw new RpcFailure(-25, `failed to validate tx: ${answer.rejected}`);
      return answer.txid;
    },
  };
}
