import { bitcoinHot } from '../../sandbox/families/bitcoin.ts';
import { atomsOf, BitcoinWallet } from '../../sandbox/nodes/bitcoin-wallet.ts';
import type { BitcoinWorld } from '../../sandbox/nodes/bitcoin-world.ts';
import { isTaken } from '../../sandbox/nodes/is-taken.ts';
import type { Place } from '../../sandbox/place.ts';
import { knownTree } from '../../sandbox/seed.ts';
import { BitcoinLedger, type BitcoinSnapshot } from '../../sandbox/simulators/bitcoin/ledger.ts';
import { bitcoinMethods } from '../../sandbox/simulators/bitcoin/methods.ts';
import { startBitcoinSimulator } from '../../sandbox/simulators/bitcoin/simulator.ts';
import { present } from '../../src/kernel/assert.ts';
import { BITCOIN_REGTEST } from '../../src/world/chains/bitcoin/networks.ts';
import { COINBASE_DEPTH, outPointText, parseTransaction } from '../../src/world/chains/bitcoin/tx-codec.ts';
import type { Rpc } from '../../src/world/outbound/json-rpc.ts';
import { chance } from './random.ts';
import { Scheduler } from './scheduler.ts';
import { enter } from './seal.ts';

/**
 * What becomes of payments in blocks that are found anew: all are there again; whoever paid has spent the same for himself; ours are
 * forgotten; or what ours had outbid is mined in their place.
 */
export type Undone = 'nothing' | 'spent' | 'ours' | 'outbid';

export interface Bitcoin extends BitcoinWorld {
  /** Providers pay from here, out of the same purse as customers. */
  readonly purse: Place;
  /** While blocks have no room for what the desk sends. */
  isCrowded: boolean;
  /** The desk sent this. */
  noteSent(raw: string): void;
  isOurs(txid: string): boolean;
  beat(): Promise<void>;
  undo(depth: number, loses: Undone): Promise<void>;
  /** What lies at these addresses, in blocks. */
  held(addresses: readonly string[]): Promise<bigint>;
}

const NETWORK = BITCOIN_REGTEST;
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
export async function bitcoinStart(): Promise<BitcoinSnapshot> {
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
  const hot = bitcoinHot(knownTree(), NETWORK);
  await customer.pay(...Array.from({ length: OUTPUTS }, () => ({ to: hot, atoms: EACH })));
  await rpc('generatetoaddress', [DEEP, miner]);
  enter(undefined);
  made = ledger.snapshot();
  return made;
}

export const bitcoinSettings = (rpcUrl: string, depths: object) => ({
  ...{ network: 'regtest', rpcUrl, blindFeeRate: '20000', scanFrom: SCAN_FROM, stuckAfterMs: 120_000 },
  ...depths,
});

export async function openBitcoin(snapshot: BitcoinSnapshot): Promise<Bitcoin> {
  const world = await startBitcoinSimulator({ snapshot });
  const { rpc } = world;
  const sent: { readonly txid: string; readonly raw: string; readonly spends: readonly string[] }[] = [];
  const ours = () => new Set(sent.map(({ txid }) => txid));
  const delivered = new Set<string>();
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

  const bitcoin: Bitcoin = {
    ...world,
    isCrowded: false,
    purse: {
      ...world,
      async pay(payment) {
        const paid = await world.pay(payment);
        delivered.add(paid.txHash);
        return paid;
      },
    },
    noteSent(raw) {
      const { txid, inputs } = parseTransaction(raw);
      if (!ours().has(txid)) sent.push({ txid, raw, spends: inputs.map(outPointText) });
    },
    isOurs: (txid) => ours().has(txid),
    async beat() {
      const left = bitcoin.isCrowded ? ours() : new Set<string>();
      const taken = (await pool()).filter((txid) => !left.has(txid));
      await rpc('generateblock', [miner, taken]);
    },
    async undo(depth, loses) {
      const undone = await newest(depth);
      const isLost = {
        nothing: () => false,
        spent: (txid: string) => !bitcoin.isOurs(txid) && !delivered.has(txid),
        ours: bitcoin.isOurs,
        outbid: (txid: string) => outbidBy([txid]).length > 0,
      }[loses];
      const lost = undone.filter(isLost);
      await world.reorg(depth, lost);
      if (loses === 'outbid')
        for (const { raw } of outbidBy(lost)) await isTaken(() => rpc('sendrawtransaction', [raw]));
      await bitcoin.beat();
    },
    async held(addresses) {
      const sums = await Promise.all(addresses.map((address) => unspentAt(rpc, address)));
      return sums.reduce((sum, one) => sum + one, 0n);
    },
  };
  return bitcoin;
}

async function unspentAt(rpc: Rpc, address: string): Promise<bigint> {
  const { total_amount } = (await rpc('scantxoutset', ['start', [`addr(${address})`]])) as { total_amount: number };
  return atomsOf(total_amount);
}
