import { present } from '../../../src/kernel/assert.ts';
import { decodeAddress } from '../../../src/world/chains/monero/codec.ts';
import type { Keeping } from '../../keeping.ts';
import {
  CUSTOMER,
  commandMonero,
  MINER,
  type MoneroWorld,
  WALLET_NAMES,
  type WalletName,
  walletLogin,
} from '../../nodes/monero-world.ts';
import { daemonMethods } from './daemon-methods.ts';
import { COINBASE_LOCK, Ledger, type LedgerChange, type LedgerState, type LedgerTx } from './ledger.ts';
import { serve } from './server.ts';
import { sweepOf } from './spend.ts';
import { Wallet, type WalletChange, type WalletState } from './wallet.ts';
import type { Shelf } from './wallet-files.ts';
import { walletMethods } from './wallet-methods.ts';

export interface MoneroSimulatorOptions {
  /** Gets money from the first block, in many outputs. */
  readonly hotAddress: string;
  /** A network that goes on where it was. */
  readonly snapshot?: MoneroSnapshot;
  readonly keeping?: Keeping<MoneroChange>;
}

/** Everything that a restart must not lose; plain JSON. */
export interface MoneroSnapshot {
  readonly ledger: LedgerState;
  readonly wallets: Readonly<Record<WalletName, readonly WalletState[]>>;
}

/** Of the chain, or of a file of one of the wallet servers, which may be a new one. */
export type MoneroChange =
  | LedgerChange
  | ((WalletChange | { readonly added: WalletState }) & { readonly server: WalletName; readonly file: string });

/** What becomes of payments in blocks that are undone: all are mined again, but for those of customers or of others, which are lost; or customers spend the same once more, for themselves. */
export type Undone = 'nothing' | 'deposits' | 'ours' | 'spent';

export interface MoneroSimulation extends MoneroWorld {
  snapshot(): MoneroSnapshot;
  /** The newest blocks are undone, and one more than they were takes their place. */
  undo(depth: number, loses: Undone): void;
}

const HOT = { outputs: 96, atoms: 35_000_000_000_000n };
const CUSTOMERS = { outputs: 32, atoms: 50_000_000_000_000n };

/** The daemon and two wallet servers on one ledger in memory, speaking the protocols of the real ones. */
export async function startMoneroSimulator({
  hotAddress,
  snapshot,
  keeping = {},
}: MoneroSimulatorOptions): Promise<MoneroSimulation> {
  const { changes = [], write } = keeping;
  const isOfLedger = (change: MoneroChange): change is LedgerChange => !('server' in change);
  const ledger = new Ledger(snapshot?.ledger, { changes: changes.filter(isOfLedger), ...(write ? { write } : {}) });
  if (!snapshot) firstBlocks(ledger, hotAddress);
  const shelves = WALLET_NAMES.map((name) => shelfOf(ledger, name, snapshot?.wallets[name] ?? [], keeping));
  const daemon = await serve(daemonMethods(ledger));
  const wallets = await Promise.all(
    WALLET_NAMES.map((name, at) => serve(walletMethods(ledger, present(shelves[at], name)), walletLogin(name))),
  );
  const at = (name: WalletName) => WALLET_NAMES.indexOf(name);
  const walletUrl = (name: WalletName) => present(wallets[at(name)], name).url;
  const world = commandMonero({
    kind: 'simulated',
    daemonUrl: daemon.url,
    walletUrl,
    mineTo: async (address, blocks) => void ledger.mineTo(address, blocks),
    stop: async () => void (await Promise.all([daemon, ...wallets].map((server) => server.stop()))),
  });
  const kept = (name: WalletName) => [...present(shelves[at(name)], name).wallets.values()].map((one) => one.state());
  return {
    ...world,
    snapshot: () => ({
      ledger: ledger.snapshot(),
      wallets: { spend: kept('spend'), customer: kept('customer') },
    }),
    undo: (depth, loses) =>
      undo(ledger, [...present(shelves[at('customer')], 'customer').wallets.values()], depth, loses),
  };
}

function undo(ledger: Ledger, customers: readonly Wallet[], depth: number, loses: Undone): void {
  const undone = ledger.blocks.slice(-depth).flatMap(({ payments }) => payments);
  const isCustomers = ({ hash }: LedgerTx) => customers.some(({ sent }) => sent.has(hash));
  const lost = loses === 'nothing' ? [] : undone.filter((tx) => isCustomers(tx) !== (loses === 'ours'));
  ledger.pop(depth);
  ledger.flush(lost.map(({ hash }) => hash));
  if (loses === 'spent') for (const tx of lost) for (const wallet of customers) spendAgain(ledger, wallet, tx);
  ledger.mineTo(MINER.address, depth + 1);
}

/** One output of the same is enough: the chain takes only one of the two. */
function spendAgain(ledger: Ledger, wallet: Wallet, { hash, tx }: LedgerTx): void {
  const coin = tx.keyImages.map((image) => wallet.coinOf(image)).find((one) => one !== undefined);
  if (!coin) return;
  const built = sweepOf(wallet, coin, wallet.keys.address, 1, 1);
  if (ledger.submit(built.hex)) return;
  wallet.sent.delete(hash);
  wallet.remember(built.hash, built);
}

/** What was read is not written down, so it is read again: a wallet's file keeps it. */
function shelfOf(
  ledger: Ledger,
  server: WalletName,
  states: readonly WalletState[],
  { changes = [], write }: Keeping<MoneroChange>,
): Shelf {
  const wallets = new Map<string, Wallet>();
  const put = (state: WalletState): Wallet => {
    const file = state.name;
    const wallet = new Wallet(ledger, state, (change) => write?.([{ server, file, ...change }]));
    wallets.set(file, wallet);
    return wallet;
  };
  for (const state of states) put(state);
  for (const change of changes) {
    if (!('server' in change) || change.server !== server) continue;
    if ('added' in change) put(change.added);
    else present(wallets.get(change.file), change.file).redo(change);
  }
  for (const wallet of wallets.values()) wallet.refresh();
  const add = (added: WalletState): Wallet => {
    write?.([{ server, file: added.name, added }]);
    return put(added);
  };
  return { wallets, open: undefined, autoRefresh: true, add };
}

function firstBlocks(ledger: Ledger, hotAddress: string): void {
  const many = (address: string, { outputs, atoms }: typeof HOT) => {
    const payee = { address: present(decodeAddress(address), 'an address to fund'), atoms };
    return Array.from({ length: outputs }, () => payee);
  };
  ledger.mine([...many(hotAddress, HOT), ...many(CUSTOMER.address, CUSTOMERS)]);
  for (let left = COINBASE_LOCK; left > 0; left -= 1) ledger.mine([]);
}
