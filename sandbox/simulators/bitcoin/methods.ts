import { HDKey } from '@scure/bip32';
import { formatUnits } from '../../../src/kernel/amount.ts';
import { present } from '../../../src/kernel/assert.ts';
import {
  addressOfScript,
  parseBitcoinAddress,
  scriptOfAddress,
  scriptOfPublicKey,
} from '../../../src/world/chains/bitcoin/address-codec.ts';
import type { BitcoinNetwork } from '../../../src/world/chains/bitcoin/networks.ts';
import { isCoinbase, outPointText } from '../../../src/world/chains/bitcoin/tx-codec.ts';
import { RpcFailure } from '../rpc-server.ts';
import { type LedgerBlock, type LedgerTx, rawBlock } from './block.ts';
import type { BitcoinLedger } from './ledger.ts';
import type { Method } from './server.ts';

/** The codes of bitcoind. */
const UNKNOWN = -5;
const BAD_PARAMETER = -8;

/** Coins as the JSON number that the real node writes. */
const coins = (atoms: bigint): number => Number(formatUnits(atoms, 8));

/** The part of bitcoind's protocol that the service and the sandbox speak. */
export function bitcoinMethods(network: BitcoinNetwork, ledger: BitcoinLedger): Readonly<Record<string, Method>> {
  const scriptOf = (address: unknown): string => {
    const parsed = parseBitcoinAddress(network, String(address));
    if (!parsed) throw new RpcFailure(UNKNOWN, 'Error: Invalid address');
    return scriptOfAddress(network, parsed);
  };
  const confirmations = (block: LedgerBlock) => (ledger.isCanonical(block) ? ledger.blocks.length - block.height : -1);

  const header = (block: LedgerBlock) => ({
    hash: block.hash,
    confirmations: confirmations(block),
    height: block.height,
    time: block.time,
    nTx: block.transactions.length,
    previousblockhash: block.parent,
  });

  const asJson = ({ raw, tx }: LedgerTx) => ({
    txid: tx.txid,
    version: tx.version,
    locktime: tx.lockTime,
    vin: tx.inputs.map(({ txid, vout, script, sequence }) =>
      isCoinbase(tx) ? { coinbase: script, sequence } : { txid, vout, scriptSig: { hex: script }, sequence },
    ),
    vout: tx.outputs.map(({ atoms, script }, n) => ({
      value: coins(atoms),
      n,
      scriptPubKey: { hex: script, address: addressOfScript(network, script) },
    })),
    hex: raw,
  });

  const mempool = () => ({
    loaded: true,
    size: ledger.pool.size,
    mempoolminfee: coins(1_000n),
    minrelaytxfee: coins(1_000n),
  });

  return {
    getblockchaininfo: () => ({
      chain: 'regtest',
      blocks: ledger.tip.height,
      headers: ledger.tip.height,
      bestblockhash: ledger.tip.hash,
      initialblockdownload: false,
      pruned: false,
    }),
    getindexinfo: () => ({ txindex: { synced: true, best_block_height: ledger.tip.height } }),
    getblockcount: () => ledger.tip.height,
    getblockhash: (height) => {
      const block = ledger.blocks[Number(height)];
      if (!block) throw new RpcFailure(BAD_PARAMETER, 'Block height out of range');
      return block.hash;
    },
    getblockheader: (hash) => header(ledger.block(hash)),
    getblock: (hash, verbosity = 1) => {
      const block = ledger.block(hash);
      if (verbosity === 0) return rawBlock(block);
      const tx = verbosity === 1 ? block.transactions.map((one) => one.tx.txid) : block.transactions.map(asJson);
      return { ...header(block), tx };
    },
    getmempoolinfo: mempool,
    getrawmempool: () => [...ledger.pool.keys()],
    getmempoolentry: (txid) => {
      const together = ledger.paidWith(String(txid));
      if (together === undefined) throw new RpcFailure(UNKNOWN, 'Transaction not in mempool');
      return { fees: { descendant: coins(together) } };
    },
    estimatesmartfee: () => ({ errors: ['Insufficient data or no feerate found'], blocks: 2 }),

    getrawtransaction: (txid, isVerbose = false, within = undefined) => {
      const found = ledger.find(String(txid), within === undefined ? undefined : String(within));
      if (!found) throw new RpcFailure(UNKNOWN, 'No such mempool or blockchain transaction.');
      if (!isVerbose) return found.raw;
      const { block } = found;
      const place = block && { blockhash: block.hash, confirmations: Math.max(0, confirmations(block)) };
      return { ...asJson(found), ...place };
    },
    sendrawtransaction: (raw) => ledger.submit(String(raw)),

    gettxout: (txid, vout, poolCounts = true) => {
      const point = outPointText({ txid: String(txid), vout: Number(vout) });
      if (poolCounts && ledger.spenderInPool(point)) return null;
      const output = poolCounts ? ledger.output(String(txid), Number(vout)) : ledger.unspent.get(point);
      return (
        output && {
          bestblock: ledger.tip.hash,
          confirmations: Math.max(0, ledger.blocks.length - output.height),
          value: coins(output.atoms),
          scriptPubKey: { hex: output.script },
          coinbase: output.isCoinbase,
        }
      );
    },

    scantxoutset: (action, descriptors) => {
      if (action !== 'start' || !Array.isArray(descriptors)) throw new RpcFailure(BAD_PARAMETER, 'Invalid command');
      const wanted = new Set(descriptors.flatMap((one) => scriptsOf(network, scriptOf, one)));
      const unspents = [...ledger.unspent].flatMap(([point, { script, atoms, height }]) => {
        const [txid, vout] = point.split(':');
        return wanted.has(script)
          ? [{ txid, vout: Number(vout), scriptPubKey: script, amount: coins(atoms), height }]
          : [];
      });
      return { success: true, height: ledger.tip.height, bestblock: ledger.tip.hash, unspents };
    },

    generatetoaddress: (blocks, address) => {
      const script = scriptOf(address);
      return Array.from({ length: Number(blocks) }, () => ledger.mine(script));
    },
    generateblock: (address, txids) => ({ hash: ledger.mine(scriptOf(address), (txids as unknown[]).map(String)) }),
    invalidateblock: (hash) => ledger.invalidate(hash),
  };
}

const RANGED = /^wpkh\(([1-9A-HJ-NP-Za-km-z]{100,120})\/\*\)$/;
const ADDRESS = /^addr\((\w+)\)$/;

function scriptsOf(network: BitcoinNetwork, scriptOf: (address: string) => string, descriptor: unknown): string[] {
  const { desc, range = [0, 1_000] } = (typeof descriptor === 'string' ? { desc: descriptor } : descriptor) as {
    desc: string;
    range?: [number, number];
  };
  const address = ADDRESS.exec(desc)?.[1];
  if (address) return [scriptOf(address)];
  const xpub = RANGED.exec(desc)?.[1];
  if (!xpub) throw new RpcFailure(UNKNOWN, `'${desc}' is not a valid descriptor function`);
  const parent = HDKey.fromExtendedKey(xpub, { public: network.xpubVersion, private: 0 });
  const [first, last] = range;
  return Array.from({ length: last - first + 1 }, (_, at) =>
    scriptOfPublicKey(present(parent.deriveChild(first + at).publicKey, 'public key')),
  );
}
