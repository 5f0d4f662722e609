import { paidOutputs } from '../../../src/world/chains/monero/output-codec.ts';
import { RpcFailure } from '../rpc-server.ts';
import type { Ledger } from './ledger.ts';
import type { Params, Protocol } from './server.ts';
import { type Built, buildSweep, buildTransfer, payeeOf } from './spend.ts';
import type { Coin, SentTx, Wallet } from './wallet.ts';
import { filing, readByItself, type Shelf } from './wallet-files.ts';

const VERSION = (1 << 16) | 25;
const CREATE_MOST = 64;
const PAYMENT_ID = '0000000000000000';

/** What the adapter, the device and the sandbox ask of monero-wallet-rpc. */
export function walletMethods(ledger: Ledger, shelf: Shelf): Protocol {
  const wallet = (): Wallet => {
    if (!shelf.open) throw new RpcFailure(-13, 'No wallet file');
    return shelf.open;
  };
  return {
    paths: {},
    methods: {
      get_version: () => ({ release: false, version: VERSION }),
      ...filing(shelf),
      store: () => void wallet(),
      auto_refresh({ enable }) {
        shelf.autoRefresh = enable === true;
        readByItself(shelf);
      },
      get_height: () => ({ height: wallet().height }),
      refresh() {
        const before = wallet().coins.size;
        return { blocks_fetched: wallet().refresh(), received_money: wallet().coins.size > before };
      },
      ...addresses(wallet),
      ...reading(wallet),
      ...spending(ledger, wallet),
    },
  };
}

const numbers = (value: unknown): number[] => (Array.isArray(value) ? value.map(Number) : []);

function addresses(wallet: () => Wallet): Protocol['methods'] {
  const entry = (minor: number) => ({ address: wallet().address(minor), address_index: minor, label: '', used: false });
  return {
    get_address({ address_index: wanted }) {
      const { made } = wallet();
      const minors = wanted === undefined ? Array.from({ length: made }, (_, minor) => minor) : numbers(wanted);
      if (minors.some((minor) => minor >= made)) throw new RpcFailure(-15, 'address index is out of bound');
      return { address: wallet().address(0), addresses: minors.map(entry) };
    },
    create_address({ count = 1 }) {
      const many = Number(count);
      if (!(many >= 1 && many <= CREATE_MOST)) throw new RpcFailure(-1, 'Count must be between 1 and 64.');
      const first = wallet().made;
      wallet().make(many);
      const indices = Array.from({ length: many }, (_, offset) => first + offset);
      const made = indices.map((minor) => wallet().address(minor));
      return { address: made[0], address_index: first, address_indices: indices, addresses: made };
    },
    get_address_index({ address }) {
      const minor = wallet().minorOf(String(address));
      if (minor === undefined) throw new RpcFailure(-2, "Address doesn't belong to the wallet");
      return { index: { major: 0, minor } };
    },
  };
}

function reading(wallet: () => Wallet): Protocol['methods'] {
  return {
    get_balance() {
      const coins = wallet().unspent();
      const unlocked = coins.filter((coin) => wallet().isUnlocked(coin));
      const sum = (list: readonly Coin[]) => list.reduce((total, { atoms }) => total + atoms, 0n);
      return { balance: sum(coins), unlocked_balance: sum(unlocked) };
    },
    incoming_transfers({ transfer_type: type, subaddr_indices: wanted }) {
      const minors = new Set(numbers(wanted));
      const chosen = [...wallet().coins.values()].filter(
        (coin) =>
          (minors.size === 0 || minors.has(coin.minor)) &&
          (type === 'all' || wallet().isSpent(coin) === (type === 'unavailable')),
      );
      return chosen.length === 0 ? {} : { transfers: chosen.map((coin) => coinRow(wallet(), coin)) };
    },
    get_transfers: (params) => transferRows(wallet(), params),
    get_transfer_by_txid({ txid }) {
      const all = transferRows(wallet(), { in: true, out: true, pending: true, pool: true });
      const transfers = Object.values(all).flat();
      const found = transfers.filter((row) => row.txid === txid);
      if (found.length === 0) throw new RpcFailure(-8, 'Transaction not found.');
      return { transfer: found[0], transfers: found };
    },
  };
}

const coinRow = (wallet: Wallet, coin: Coin) => ({
  amount: coin.atoms,
  block_height: coin.height,
  frozen: wallet.frozen.has(coin.keyImage),
  global_index: coin.position,
  key_image: coin.keyImage,
  pubkey: coin.keyHex,
  spent: wallet.isSpent(coin),
  subaddr_index: { major: 0, minor: coin.minor },
  tx_hash: coin.txHash,
  unlocked: wallet.isUnlocked(coin),
});

interface Row {
  readonly txid: string;
  readonly [field: string]: unknown;
}

function transferRows(wallet: Wallet, params: Params): Record<string, Row[]> {
  const minors = new Set(numbers(params.subaddr_indices));
  const isWanted = (minor: number) => minors.size === 0 || minors.has(minor);
  const within = (height: number) =>
    params.filter_by_height !== true ||
    (height > Number(params.min_height ?? 0) && height <= Number(params.max_height ?? Number.MAX_SAFE_INTEGER));
  const sent = [...wallet.sent].map(([hash, tx]) => ({ hash, tx, height: wallet.minedAt(hash) }));
  const answer = {
    in: params.in ? minedRows(wallet).filter((row) => isWanted(row.minor) && within(row.height)) : [],
    pool: params.pool ? poolRows(wallet).filter((row) => isWanted(row.minor)) : [],
    out: params.out ? sent.filter(({ height }) => height !== undefined && within(height)).map(sentRow('out')) : [],
    pending: params.pending ? sent.filter(({ height }) => height === undefined).map(sentRow('pending')) : [],
  };
  return Object.fromEntries(Object.entries(answer).filter(([, rows]) => rows.length > 0));
}

/** One row for each address that a transaction pays, as the real wallet tells it. */
function minedRows(wallet: Wallet) {
  const grouped = new Map<string, Coin[]>();
  for (const coin of wallet.coins.values()) {
    const key = `${coin.txHash}:${coin.minor}`;
    grouped.set(key, [...(grouped.get(key) ?? []), coin]);
  }
  return [...grouped.values()].flatMap((coins) => {
    const [first] = coins;
    if (!first) return [];
    const { minor, height, unlockTime, txHash } = first;
    const amounts = coins.map(({ atoms }) => atoms);
    const depth = { height, confirmations: wallet.height - height, timestamp: wallet.timestampAt(height) };
    const lock = { unlock_time: unlockTime, locked: !coins.every((coin) => wallet.isUnlocked(coin)) };
    return { ...incomingRow(wallet, txHash, minor, amounts), ...depth, ...lock, type: first.coinbase ? 'block' : 'in' };
  });
}

function poolRows(wallet: Wallet) {
  return wallet.pool.map(({ tx, minor, amounts }) => ({
    ...incomingRow(wallet, tx.hash, minor, amounts),
    height: 0,
    unlock_time: tx.tx.unlockTime,
    locked: true,
    double_spend_seen: wallet.ledger.isContested(tx),
    type: 'pool',
  }));
}

const incomingRow = (wallet: Wallet, txid: string, minor: number, amounts: readonly bigint[]) => ({
  txid,
  minor,
  address: wallet.address(minor),
  amount: amounts.reduce((total, atoms) => total + atoms, 0n),
  amounts,
  subaddr_index: { major: 0, minor },
  subaddr_indices: [{ major: 0, minor }],
  double_spend_seen: false,
  payment_id: PAYMENT_ID,
});

const sentRow =
  (type: string) =>
  ({ hash, tx, height }: { hash: string; tx: SentTx; height: number | undefined }) => ({
    txid: hash,
    amount: tx.amount,
    fee: tx.fee,
    height: height ?? 0,
    type,
  });

const asMetadata = (built: Built): string =>
  Buffer.from(JSON.stringify({ ...built, amount: `${built.amount}`, fee: `${built.fee}` })).toString('hex');

function fromMetadata(hex: string): Built {
  try {
    const built = JSON.parse(Buffer.from(hex, 'hex').toString()) as Built;
    return { ...built, amount: BigInt(built.amount), fee: BigInt(built.fee) };
  } catch {
    throw new RpcFailure(-27, 'Failed to parse tx metadata.');
  }
}

function spending(ledger: Ledger, wallet: () => Wallet): Protocol['methods'] {
  const send = (built: Built): void => {
    if (ledger.submit(built.hex)) throw new RpcFailure(-4, 'transaction was rejected by daemon');
    wallet().remember(built.hash, built);
  };
  const finish = (built: Built, params: Params) => {
    if (params.do_not_relay !== true && !wallet().isViewOnly) send(built);
    const { hash, hex, txKey, keyImages, amount, fee } = built;
    return {
      amount,
      fee,
      spent_key_images: { key_images: keyImages },
      tx_hash: hash,
      tx_blob: params.get_tx_hex ? hex : '',
      tx_key: params.get_tx_key ? txKey : '',
      tx_metadata: params.get_tx_metadata ? asMetadata(built) : '',
      weight: hex.length / 2,
    };
  };
  const ownImage = ({ key_image: image }: Params): string => {
    if (!wallet().coinOf(String(image))) throw new RpcFailure(-1, 'Key image not found');
    return String(image);
  };
  return {
    transfer(params) {
      const destinations = Array.isArray(params.destinations) ? (params.destinations as Params[]) : [];
      const payees = destinations.map(({ address, amount }) => ({
        address: String(address),
        atoms: BigInt(String(amount)),
      }));
      const unlockTime = Number(params.unlock_time ?? 0);
      return finish(buildTransfer(wallet(), { payees, priority: Number(params.priority ?? 1), unlockTime }), params);
    },
    sweep_single(params) {
      const { key_image: image, address, outputs = 1, priority = 1 } = params;
      return finish(buildSweep(wallet(), String(image), String(address), Number(outputs), Number(priority)), params);
    },
    relay_tx({ hex }) {
      const built = fromMetadata(String(hex));
      send(built);
      return { tx_hash: built.hash };
    },
    freeze: (params) => wallet().freeze(ownImage(params)),
    thaw: (params) => wallet().thaw(ownImage(params)),
    frozen: (params) => ({ frozen: wallet().frozen.has(ownImage(params)) }),
    get_tx_key({ txid }) {
      const sent = wallet().sent.get(String(txid));
      if (!sent) throw new RpcFailure(-24, 'No tx secret key is stored for this tx');
      return { tx_key: sent.txKey };
    },
    check_tx_key({ txid, tx_key: txKey, address }) {
      const found = ledger.find(String(txid));
      if (!found) throw new RpcFailure(-1, 'Failed to get transaction from daemon');
      const { tx, block } = found;
      const paid = paidOutputs(tx.tx, String(txKey).slice(0, 64), payeeOf(String(address)));
      return {
        received: paid.reduce((total, { atoms }) => total + atoms, 0n),
        in_pool: block === undefined,
        confirmations: block ? ledger.height - block.height : 0,
      };
    },
  };
}
