import { HDKey } from '@scure/bip32';
import { present } from '../../../src/kernel/assert.ts';
import {
  parseBitcoinAddress,
  scriptOfAddress,
  scriptOfPublicKey,
} from '../../../src/world/chains/bitcoin/address-codec.ts';
import type { BitcoinNetwork } from '../../../src/world/chains/bitcoin/networks.ts';
import { outPointText } from '../../../src/world/chains/bitcoin/tx-codec.ts';
import { RpcFailure } from '../rpc-server.ts';
import { type LedgerBlock, type LedgerTx, rawBlock } from './block.ts';
import { type BitcoinLedger, decoded } from './ledger.ts';
import { coins, DIFFICULTY, printAddress, printHeader, printScript, printTx, sizesOf } from './print.ts';
import type { Method } from './server.ts';

/** The codes of bitcoind. */
const UNKNOWN = -5;
const BAD_PARAMETER = -8;

/** The part of bitcoind's protocol that the service and the sandbox speak. */
export function bitcoinMethods(network: BitcoinNetwork, ledger: BitcoinLedger): Readonly<Record<string, Method>> {
  const scriptOf = (address: unknown): string => {
    const parsed = parseBitcoinAddress(network, String(address));
    if (!parsed) throw new RpcFailure(UNKNOWN, 'Error: Invalid address');
    return scriptOfAddress(network, parsed);
  };
  const confirmations = (block: LedgerBlock) => (ledger.isCanonical(block) ? ledger.blocks.length - block.height : -1);

  const header = (block: LedgerBlock) => {
    const next = ledger.isCanonical(block) ? ledger.blocks[block.height + 1] : undefined;
    const around = { confirmations: confirmations(block), ...(next ? { nextblockhash: next.hash } : {}) };
    return { ...printHeader(block), ...around };
  };
  const asJson = (tx: LedgerTx) => ({ ...printTx(network, tx), hex: tx.raw });

  const mempool = () => ({
    loaded: true,
    size: ledger.pool.size,
    mempoolminfee: coins(1_000n),
    minrelaytxfee: coins(1_000n),
  });

  const pooled = (txid: string) => {
    const [entry, together] = [ledger.pool.get(txid), ledger.paidWith(txid)];
    if (!entry || together === undefined) throw new RpcFailure(UNKNOWN, 'Transaction not in mempool');
    const { vsize, weight } = sizesOf(entry);
    const fee = coins(entry.fee);
    return { vsize, weight, fees: { base: fee, modified: fee, descendant: coins(together) } };
  };

  return {
    getblockchaininfo: () => ({
      chain: 'regtest',
      blocks: ledger.tip.height,
      headers: ledger.tip.height,
      bestblockhash: ledger.tip.hash,
      initialblockdownload: false,
      pruned: false,
    }),
    getnetworkinfo: () => ({
      ...{ version: 290_000, subversion: '/Satoshi:29.0.0/', protocolversion: 70_016, localrelay: true, timeoffset: 0 },
      ...{ localservices: '0000000000000c09', networkactive: true, connections: 0, networks: [] },
      ...{ relayfee: coins(1_000n), incrementalfee: coins(1_000n), localaddresses: [], warnings: [] },
    }),
    getconnectioncount: () => 0,
    getdifficulty: () => DIFFICULTY,
    getindexinfo: () => ({ txindex: { synced: true, best_block_height: ledger.tip.height } }),
    getblockcount: () => ledger.tip.height,
    getbestblockhash: () => ledger.tip.hash,
    getblockhash: (height) => {
      const block = ledger.blocks[Number(height)];
      if (!block) throw new RpcFailure(BAD_PARAMETER, 'Block height out of range');
      return block.hash;
    },
    getblockheader: (hash, isVerbose = true) => {
      const block = ledger.block(hash);
      return isVerbose ? header(block) : block.header;
    },
    getblock: (hash, verbosity = 1) => {
      const block = ledger.block(hash);
      // Once it was yes or no.
      const level = Number(verbosity);
      if (level === 0) return rawBlock(block);
      const tx = level === 1 ? block.transactions.map((one) => one.tx.txid) : block.transactions.map(asJson);
      return { ...header(block), size: rawBlock(block).length / 2, tx };
    },
    getmempoolinfo: mempool,
    getrawmempool: (isVerbose = false) => {
      const txids = [...ledger.pool.keys()];
      return isVerbose ? Object.fromEntries(txids.map((txid) => [txid, pooled(txid)])) : txids;
    },
    getmempoolentry: (txid) => pooled(String(txid)),
    estimatesmartfee: () => ({ errors: ['Insufficient data or no feerate found'], blocks: 2 }),

    getrawtransaction: (txid, isVerbose = false, within = undefined) => {
      const found = ledger.find(String(txid), within === undefined ? undefined : String(within));
      if (!found) throw new RpcFailure(UNKNOWN, 'No such mempool or blockchain transaction.');
      if (!isVerbose) return found.raw;
      const { block } = found;
      const place = block && {
        ...(within === undefined ? {} : { in_active_chain: ledger.isCanonical(block) }),
        ...{ blockhash: block.hash, confirmations: Math.max(0, confirmations(block)) },
        ...{ time: block.time, blocktime: block.time },
      };
      return { ...asJson(found), ...place };
    },
    decoderawtransaction: (raw) => printTx(network, decoded(String(raw))),
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
          scriptPubKey: printScript(network, output.script),
          coinbase: output.isCoinbase,
        }
      );
    },

    scantxoutset: (action, descriptors) => {
      if (action === 'status') return null;
      if (action === 'abort') return false;
      if (action !== 'start' || !Array.isArray(descriptors)) throw new RpcFailure(BAD_PARAMETER, 'Invalid command');
      const wanted = new Set(descriptors.flatMap((one) => scriptsOf(network, scriptOf, one)));
      const found = [...ledger.unspent].filter(([, { script }]) => wanted.has(script));
      const total = found.reduce((sum, [, { atoms }]) => sum + atoms, 0n);
      const unspents = found.map(([point, { script, atoms, height, isCoinbase }]) => {
        const [txid, vout] = point.split(':');
        const amount = coins(atoms);
        return { txid, vout: Number(vout), scriptPubKey: script, amount, coinbase: isCoinbase, height };
      });
      const { height, hash: bestblock } = ledger.tip;
      const looked = { success: true, txouts: ledger.unspent.size, height, bestblock };
      return { ...looked, unspents, total_amount: coins(total) };
    },
    validateaddress: (address) => printAddress(network, String(address)),

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
const SCRIPT = /^raw\(([0-9a-f]+)\)$/;
const CHECKSUM = /#\w{8}$/;

function scriptsOf(network: BitcoinNetwork, scriptOf: (address: string) => string, descriptor: unknown): string[] {
  const { desc: told, range = [0, 1_000] } = (typeof descriptor === 'string' ? { desc: descriptor } : descriptor) as {
    desc: string;
    range?: [number, number];
  };
  const desc = told.replace(CHECKSUM, '');
  const address = ADDRESS.exec(desc)?.[1];
  if (address) return [scriptOf(address)];
  const script = SCRIPT.exec(desc)?.[1];
  if (script) return [script];
  const xpub = RANGED.exec(desc)?.[1];
  if (!xpub) throw new RpcFailure(UNKNOWN, `'${desc}' is not a valid descriptor function`);
  const parent = HDKey.fromExtendedKey(xpub, { public: network.xpubVersion, private: 0 });
  const [first, last] = range;
  return Array.from({ length: last - first + 1 }, (_, at) =>
    scriptOfPublicKey(present(parent.deriveChild(first + at).publicKey, 'public key')),
  );
}
