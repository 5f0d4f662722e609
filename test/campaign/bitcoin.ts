import { bitcoinHot } from '../../sandbox/families/bitcoin.ts';
import { atomsOf, BitcoinWallet } from '../../sandbox/nodes/bitcoin-wallet.ts';
import { isTaken } from '../../sandbox/nodes/is-taken.ts';
import { BitcoinLedger, type BitcoinSnapshot } from '../../sandbox/simulators/bitcoin/ledger.ts';
import { bitcoinMethods } from '../../sandbox/simulators/bitcoin/methods.ts';
import { startBitcoinSimulator } from '../../sandbox/simulators/bitcoin/simulator.ts';
import { present } from '../../src/kernel/assert.ts';
import type { KeyTree } from '../../src/signer/keys.ts';
import { BITCOIN_REGTEST } from '../../src/world/chains/bitcoin/networks.ts';
import { COINBASE_DEPTH, outPointText, parseTransaction } from '../../src/world/chains/bitcoin/tx-codec.ts';
import type { Rpc } from '../../src/world/outbound/json-rpc.ts';
import { type Abroad, purseOf } from './abroad.ts';
import { chance } from './random.ts';
import { Scheduler } from './scheduler.ts';
import { enter } from './seal.ts';

export interface Depths {
  readonly confirmations: { readonly small: number; readonly large: number };
  readonly settledConfirmations: number;
}

const NETWORK = BITCOIN_REGTEST;
const BLOCK_MS = 30_000;
const START = 1_790_000_000_000;
const CUSTOMER_BLOCKS = 3;
const OUTPUTS = 6;
const EACH = 2n * 10n ** 8n;
const DEEP = 6;
const MINER = 'miner';
/** Below what anybody else was paid. */
const SCAN_FROM = CUSTOMER_BLOCKS + COINBASE_DEPTH;

let made: BitcoinSnapshot | undefined;

/** The first blocks of every seed's Bitcoin: a few outputs for the desk, and a purse for everybody else. Made once. */
export async function bitcoinStart(tree: KeyTree): Promise<BitcoinSnapshot> {
  if (made) return made;
  const c = chance('bitcoin');
  enter({ scheduler: new Scheduler(c, START), chance: c });
  const ledger = new BitcoinLedger(NETWORK);
  const methods = bitcoinMethods(NETWORK, ledger);
  const rpc: Rpc = async (method, params) =>
    present(methods[method], method)(...((params ?? []) as readonly unknown[]));
  const customer = new BitcoinWallet(NETWORK, rpc, 'customer');
  const miner = new BitcoinWallet(NETWORK, rpc, MINER).address;
  await rpc('generatetoaddress', [CUSTOMER_BLOCKS, customer.address]);
  await rpc('generatetoaddress', [COINBASE_DEPTH, miner]);
  const hot = bitcoinHot(tree, NETWORK);
  await customer.pay(...Array.from({ length: OUTPUTS }, () => ({ to: hot, atoms: EACH })));
  await rpc('generatetoaddress', [DEEP, miner]);
  enter(undefined);
  made = ledger.snapshot();
  return made;
}

export async function openBitcoin(tree: KeyTree, { confirmations, settledConfirmations }: Depths): Promise<Abroad> {
  const world = await startBitcoinSimulator({ snapshot: await bitcoinStart(tree) });
  const hot = bitcoinHot(tree, NETWORK);
  const { rpc } = world;
  const sent: { readonly txid: string; readonly raw: string; readonly spends: readonly string[] }[] = [];
  const ours = () => new Set(sent.map(({ txid }) => txid));
  const { purse, pay, isLost: isLostOf } = purseOf(world);
  const pool = async () => (await rpc('getrawmempool')) as string[];
  const miner = new BitcoinWallet(NETWORK, rpc, MINER).address;

  /** Payments in the newest blocks. */
  async function newest(depth: number): Promise<readonly string[]> {
    const tip = (await rpc('getblockcount')) as number;
    const txids: string[] = [];
    for (let height = tip - depth + 1; height <= tip; height += 1) {
      const { tx } = (await rpc('getblock', [await rpc('getblockhash', [height]), 1])) as { tx: string[] };
      txids.push(...tx.slice(1));
    }
    return txids;
  }

  /** What was sent before these and spends the same. */
  const outbidBy = (txids: readonly string[]) =>
    txids.flatMap((txid) => {
      const at = sent.findIndex((one) => one.txid === txid);
      const { spends = [] } = sent[at] ?? {};
      return sent.slice(0, Math.max(0, at)).find((one) => one.spends.some((point) => spends.includes(point))) ?? [];
    });

  const isOurs = (txid: string): boolean => ours().has(txid);
  const bitcoin: Abroad = {
    ...{ ...world, hot, purse, pay, isOurs, isCrowded: false, blockMs: BLOCK_MS },
    settings: {
      bitcoin: {
        ...{ network: 'regtest', rpcUrl: world.rpcUrl, blindFeeRate: '20000', scanFrom: SCAN_FROM },
        ...{ stuckAfterMs: 120_000, confirmations, settledConfirmations },
      },
    },
    pass({ label, body = '' }) {
      if (label !== 'sendrawtransaction') return undefined;
      const [raw] = (JSON.parse(body) as { params: [string] }).params;
      const { txid, inputs } = parseTransaction(raw);
      if (!isOurs(txid)) sent.push({ txid, raw, spends: inputs.map(outPointText) });
      return undefined;
    },
    async beat() {
      const left = bitcoin.isCrowded ? ours() : new Set<string>();
      const taken = (await pool()).filter((txid) => !left.has(txid));
      await rpc('generateblock', [miner, taken]);
    },
    async undo(depth, loses) {
      const undone = await newest(depth);
      const isLost = { ...isLostOf, ours: isOurs, outbid: (txid: string) => outbidBy([txid]).length > 0 };
      const lost = undone.filter(isLost[loses]);
      await world.reorg(depth, lost);
      if (loses === 'outbid')
        for (const { raw } of outbidBy(lost)) await isTaken(() => rpc('sendrawtransaction', [raw]));
      await bitcoin.beat();
    },
    async held(_, deposits) {
      const sums = await Promise.all([hot, ...deposits].map((address) => unspentAt(rpc, address)));
      return sums.reduce((sum, one) => sum + one, 0n);
    },
  };
  return bitcoin;
}

async function unspentAt(rpc: Rpc, address: string): Promise<bigint> {
  const { total_amount } = (await rpc('scantxoutset', ['start', [`addr(${address})`]])) as { total_amount: number };
  return atomsOf(total_amount);
}
