import { setTimeout as pause } from 'node:timers/promises';
import { present } from '../../../src/kernel/assert.ts';
import { Fault } from '../../../src/kernel/fault.ts';
import type { Address } from '../../../src/kernel/ids.ts';
import { decodeAddress, receiverNames } from '../../../src/world/chains/zcash/codec.ts';
import { DEPOSIT_RECEIVERS, ZCASH_DEFAULTS, zcashRules } from '../../../src/world/chains/zcash/rules.ts';
import { RECEIVER_TYPES, type ReceiverType } from '../../../src/world/chains/zcash/unified-codec.ts';
import type { Keeping } from '../../keeping.ts';
import { patiently } from '../../patience.ts';
import { type BoxChain, type Received, shortOf } from '../../place.ts';
import { RpcFailure } from '../rpc-server.ts';
import { Ledger, type LedgerChange, type LedgerState } from './ledger.ts';
import { nodeMethods } from './node-methods.ts';
import { serve } from './server.ts';
import { encodeTransaction } from './transaction.ts';
import { destination, numbered, Wallet, type WalletChange, type WalletState } from './wallet.ts';
import { walletMethods } from './wallet-methods.ts';

/** One wallet server each: the engine's that sees and the signer's that spends. The customer needs none. */
export type ZcashWalletName = 'view' | 'spend';

type Holder = ZcashWalletName | 'customer';

export interface ZcashSnapshot {
  readonly ledger: LedgerState;
  readonly wallets: Readonly<Record<Holder, WalletState>>;
}

export type ZcashChange = LedgerChange | (WalletChange & { readonly wallet: Holder });

export interface ZcashWorld extends BoxChain {
  readonly nodeUrl: string;
  walletUrl(name: ZcashWalletName): string;
  /** `user:password`; who sees has one and who spends another. */
  walletLogin(name: ZcashWalletName): string;
  readonly accountUuid: string;
  readonly ledger: Ledger;
  readonly hotAddress: Address;
  /** What is in blocks and the desk's, whatever waits to be spent. */
  held(): bigint;
  /** A new address of the customer, of any kind. */
  freshDestination(types?: readonly ReceiverType[]): Address;
  /** A block whose reward goes to this address. */
  mineTo(address: string, atoms: bigint): Promise<string>;
  /** The customer pays, all in one transaction, which waits in the pool. */
  payAll(payments: readonly { readonly to: string; readonly atoms: bigint }[]): Promise<string>;
  /** The bytes of a customer's payment that is not sent. */
  draft(to: string, atoms: bigint): string;
  snapshot(): ZcashSnapshot;
  close(): Promise<void>;
}

/** Play money, so anyone may know its keys. */
const SEEDS = { desk: 'sandbox zcash desk', customer: 'sandbox zcash customer' };
const LOGINS = { view: 'engine:may look at play money', spend: 'signer:may spend play money' } as const;
const OUTPUTS = 64;
const EACH = { hot: 200_00000000n, customer: 1_000_00000000n };
const FIRST_BLOCKS = 12;
const FRESH_ADDRESSES = 4;
const DEPOSIT_TYPES = RECEIVER_TYPES.filter((type) => DEPOSIT_RECEIVERS.some((one) => one === type));
const ALL: readonly ReceiverType[] = ['p2pkh', 'sapling', 'orchard'];

function openWallets(
  ledger: Ledger,
  snapshot: ZcashSnapshot | undefined,
  { changes = [], write }: Keeping<ZcashChange>,
) {
  const account = (seed: string, accountUuid: string, canSpend: boolean): WalletState => {
    return { seed, accountUuid, canSpend, addresses: [], built: [] };
  };
  const desk = '7d0f0c4e-6f3a-4b53-9a8e-5a2f5b0c1d01';
  const open = (wallet: Holder, fresh: WalletState) =>
    new Wallet(ledger, snapshot?.wallets[wallet] ?? fresh, (change) => write?.([{ wallet, ...change }]));
  const wallets = {
    view: open('view', account(SEEDS.desk, desk, false)),
    spend: open('spend', account(SEEDS.desk, desk, true)),
    customer: open('customer', account(SEEDS.customer, '7d0f0c4e-6f3a-4b53-9a8e-5a2f5b0c1d02', true)),
  };
  for (const change of changes) if ('wallet' in change) wallets[change.wallet].redo(change);
  return { accountUuid: desk, ...wallets };
}

/** A node and two wallets on one ledger in memory, speaking the protocols of Zebra and Zallet. Desk and customer begin with so many outputs. */
export async function startZcashSimulator(
  snapshot?: ZcashSnapshot,
  outputs = OUTPUTS,
  keeping: Keeping<ZcashChange> = {},
): Promise<ZcashWorld> {
  const { changes = [], write } = keeping;
  const isOfLedger = (change: ZcashChange): change is LedgerChange => !('wallet' in change);
  const ledger = new Ledger(snapshot?.ledger, { changes: changes.filter(isOfLedger), ...(write ? { write } : {}) });
  const { accountUuid, ...wallets } = openWallets(ledger, snapshot, keeping);
  const { view, spend, customer } = wallets;
  const hotAddress = spend.expose(0, DEPOSIT_TYPES);
  const customerAddress = customer.expose(0, ALL);
  if (!snapshot) firstBlocks(ledger, hotAddress, customerAddress, outputs);

  const node = await serve(nodeMethods(ledger));
  const servers = {
    view: await serve(walletMethods(view), LOGINS.view),
    spend: await serve(walletMethods(spend), LOGINS.spend),
  };
  const rhythm = automine(() => ledger.mine([]));
  const { facts, parseAddress, parseToken } = zcashRules(ZCASH_DEFAULTS);

  return {
    ...{ chainId: facts.id, name: facts.name, kind: 'simulated', tokens: facts.assets, parseAddress, parseToken },
    ...{ rpcUrl: node.url, nodeUrl: node.url, accountUuid, ledger, hotAddress, customerAddress },
    ...blocksOf(ledger),
    ...handOf(customer, customerAddress),
    walletUrl: (name) => servers[name].url,
    walletLogin: (name) => LOGINS[name],
    setAutomine: async (intervalMs) => rhythm.set(intervalMs),
    held: () => spend.held(),
    received: async (_, address) => receivedBy(ledger, address),
    snapshot: () => ({
      ledger: ledger.snapshot(),
      wallets: { view: view.state(), spend: spend.state(), customer: customer.state() },
    }),
    async close() {
      rhythm.set(0);
      await Promise.all([node, servers.view, servers.spend].map((server) => server.stop()));
    },
  };
}

function blocksOf(ledger: Ledger): Pick<ZcashWorld, 'mine' | 'reorg' | 'mineTo'> {
  const mine = async (blocks: number) => {
    for (let left = blocks; left > 0; left -= 1) ledger.mine([]);
  };
  return {
    mine,
    reorg: async (depth, drop) => ledger.replace(depth, drop),
    async mineTo(address, atoms) {
      const { txs } = ledger.mine(numbered([{ ...destination(address), zat: atoms }]));
      return present(txs[0], 'a coinbase').txid;
    },
  };
}

/** What the customer can do. */
function handOf(
  customer: Wallet,
  from: Address,
): Pick<ZcashWorld, 'pay' | 'payAll' | 'draft' | 'wallets' | 'freshDestination'> {
  const draft = (payments: readonly { to: string; atoms: bigint }[]) => {
    const wanted = payments.map(({ to, atoms }) => ({ to, zat: atoms }));
    const amount = wanted.reduce((sum, { zat }) => sum + zat, 0n);
    const { held, fee } = customer.shielded([...wanted.map(({ to }) => destination(to).pool), 'orchard']);
    if (held < amount + fee) throw shortOf(amount, held);
    const tx = whenFunded(() => customer.propose(wanted, false));
    return encodeTransaction(tx, customer.sign(tx));
  };
  const payAll = async (payments: readonly { to: string; atoms: bigint }[]) => {
    const answer = customer.ledger.submit(draft(payments));
    if ('rejected' in answer) throw new Fault('transient', 'sandbox', `the node says: ${answer.rejected}`);
    return answer.txid;
  };
  const freshDestination = (types = ALL) => customer.expose(customer.addresses.size, types);
  return {
    payAll,
    freshDestination,
    pay: async (payment) => ({ txHash: await patiently(() => payAll([payment])), from }),
    draft: (to, atoms) => draft([{ to, atoms }]),
    // Whoever pays out to an address of its own can tell one payout from the next.
    wallets: async () => [from, ...Array.from({ length: FRESH_ADDRESSES }, () => freshDestination())],
  };
}

/** Notes that are not deep enough yet will be: that is a matter of waiting. */
function whenFunded<T>(propose: () => T): T {
  try {
    return propose();
  } catch (error) {
    if (error instanceof RpcFailure) throw new Fault('transient', 'sandbox', error.message, error);
    throw error;
  }
}

/** A reward that is shielded may be spent like any payment. */
function firstBlocks(ledger: Ledger, hotAddress: Address, customerAddress: Address, outputs: number): void {
  const many = (to: string, zat: bigint) => Array.from({ length: outputs }, () => ({ ...destination(to), zat }));
  ledger.mine(numbered([...many(hotAddress, EACH.hot), ...many(customerAddress, EACH.customer)]));
  for (let left = FIRST_BLOCKS; left > 0; left -= 1) ledger.mine([]);
}

/** By whichever of its receivers it was paid. */
function receivedBy(ledger: Ledger, address: string): Received {
  const decoded = decodeAddress(address);
  if (!decoded) throw new Fault('permanent', 'sandbox', `${address} is no address`);
  const names = receiverNames(decoded);
  const transfers = [...ledger.coins.values()]
    .filter(({ to }) => names.includes(to))
    .map(({ txid, zat, height }) => ({ txHash: txid, amount: BigInt(zat), height }));
  return { total: transfers.reduce((total, { amount }) => total + amount, 0n), transfers };
}

function automine(block: () => void): { set(intervalMs: number): void } {
  let stop = new AbortController();
  const run = async (intervalMs: number, { signal }: AbortController) => {
    while (!signal.aborted) {
      await pause(intervalMs, undefined, { signal, ref: false }).catch(() => undefined);
      if (!signal.aborted) block();
    }
  };
  return {
    set(intervalMs) {
      stop.abort();
      stop = new AbortController();
      if (intervalMs > 0) void run(intervalMs, stop);
    },
  };
}
