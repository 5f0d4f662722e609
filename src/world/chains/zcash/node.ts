import { Fault } from '../../../kernel/fault.ts';
import type { Secret } from '../../../kernel/secret.ts';
import type { Outbound } from '../../outbound/http.ts';
import { basicAuth, type Login } from '../../outbound/login.ts';
import { RpcNode } from '../../outbound/rpc-node.ts';
import type { BlockRef } from '../chain.ts';
import type { Blocks } from '../following.ts';
import { AT_ZCASH, hash, type Reply, record, records, whole } from './reply-codec.ts';

export interface NodeTx {
  /** undefined while it is only in the pool. */
  readonly height: number | undefined;
  /** It pays a miner. */
  readonly isCoinbase: boolean;
}

/** Zebra: the truth about blocks and the pool. It knows nothing of our keys. */
export interface ZcashNode extends Blocks {
  /** The newest block of a node that has caught up. */
  tip(): Promise<BlockRef>;
  blocks(first: number, last: number): Promise<readonly BlockRef[]>;
  /** On the main chain or in the pool. */
  find(txid: string): Promise<NodeTx | undefined>;
  pool(): Promise<ReadonlySet<string>>;
  /** What it says against the bytes; of those that it has already it says so in several ways. */
  send(raw: string): Promise<string | undefined>;
}

/** An hour of blocks: luck alone does not put a node this far behind its clock. */
const BEHIND_MOST = 48;
const NO_SUCH_TRANSACTION = -5;
const MAIN = 'main';

export interface ZcashNodeConfig {
  readonly nodeUrl: string;
  /** Where the node asks for one. */
  readonly nodeLogin?: Secret<Login>;
}

export function zcashNode({ nodeUrl, nodeLogin }: ZcashNodeConfig, outbound: Outbound): ZcashNode {
  const headers = nodeLogin ? basicAuth(nodeLogin.reveal()) : {};
  const node = new RpcNode({ at: AT_ZCASH, url: nodeUrl, headers }, outbound);
  const blockAt = async (height: number): Promise<BlockRef> => {
    const told = await node.read('getblockhash', [height]);
    return { height, hash: hash({ told }, 'told') };
  };

  return {
    async tip() {
      const info = record(await node.read('getblockchaininfo', []));
      if (info.chain !== MAIN) throw new Fault('permanent', AT_ZCASH, `the node is one of "${info.chain}"`);
      const height = whole(info, 'blocks');
      if (height + BEHIND_MOST < whole(info, 'estimatedheight'))
        throw new Fault('transient', AT_ZCASH, `the node is behind, at ${height}`);
      return { height, hash: hash(info, 'bestblockhash') };
    },
    at: AT_ZCASH,
    async hashAt(height) {
      // Versions differ in how they refuse a height above the tip, so it is not asked for.
      const count = await node.read('getblockcount', []);
      return height > whole({ count }, 'count') ? undefined : (await blockAt(height)).hash;
    },
    async blocks(first, last) {
      const heights = Array.from({ length: Math.max(0, last - first + 1) }, (_, at) => first + at);
      return Promise.all(heights.map(blockAt));
    },
    async find(txid) {
      const told = await node.read('getrawtransaction', [txid, 1], NO_SUCH_TRANSACTION);
      return told === undefined ? undefined : nodeTx(record(told));
    },
    async pool() {
      const told = await node.read('getrawmempool', []);
      if (!Array.isArray(told)) throw new Fault('transient', AT_ZCASH, 'the node does not list its pool');
      return new Set(told.map(String));
    },
    send: (raw) => node.objection('sendrawtransaction', [raw]),
  };
}

/** Height -1 means a block that has left the main chain: for us it is not in a block. */
function nodeTx(told: Reply): NodeTx {
  const isMined = typeof told.height === 'number' && told.height >= 0;
  return {
    height: isMined ? whole(told, 'height') : undefined,
    isCoinbase: records(told.vin).some((input) => 'coinbase' in input),
  };
}
