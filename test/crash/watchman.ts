import { keccak_256 } from '@noble/hashes/sha3.js';
import type { Db, Statement } from '../../src/store/db.ts';
import { decodeEvm } from '../../src/world/chains/evm/codec.ts';
import { parseTransactionHex, transactionId } from '../../src/world/chains/monero/tx-codec.ts';
import type { Outbound, OutboundCall } from '../../src/world/outbound/http.ts';
import type { World } from './world.ts';

const evmHash = (raw: string): string =>
  `0x${Buffer.from(keccak_256(Buffer.from(raw.slice(2), 'hex'))).toString('hex')}`;

const SAVED: Statement = {
  name: 'crash_saved',
  text: 'SELECT EXISTS (SELECT 1 FROM attempt WHERE raw = $1) OR EXISTS (SELECT 1 FROM ticket WHERE body = $1) AS saved',
};

/** How each wire names the sending of signed bytes, and where they are in the call. */
const BYTES: Readonly<Record<string, (body: string) => unknown>> = {
  eth_sendRawTransaction: (body) => (JSON.parse(body) as { params: unknown[] }).params[0],
  send_raw_transaction: (body) => (JSON.parse(body) as { tx_as_hex: unknown }).tx_as_hex,
  'exchange:order': (body) => body,
};

/**
 * The wire between the desk and the world. Notes signed bytes that leave without having been saved before, and lets the
 * next block come as soon as somebody has seen a payment of ours in the pool: both sights of it are had, and soon.
 */
export class Watchman {
  /** Bytes that left unsaved; there must never be any. */
  readonly unsaved: string[] = [];
  /** The first bytes of a payment on Arbitrum are forgotten once, and no block comes before others outbid them. */
  isCrowded = false;
  readonly #versions = new Map<string, Set<string>>();
  readonly #forgotten = new Set<string>();
  readonly #sent = new Set<string>();
  readonly #db: Db;
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
    this.#db = world.db;
  }

  watched(real: Outbound): Outbound {
    return async (call) => {
      await this.#inspect(call);
      const reply = await real(call);
      if (call.label === 'eth_getTransactionByHash') await this.#seen(call);
      if (call.label === 'get_transactions' && this.#isOurs(call)) await this.#world.monero.mine(1);
      return reply;
    };
  }

  async #seen({ body = '' }: OutboundCall): Promise<void> {
    const { arbitrum } = this.#world;
    const [hash] = (JSON.parse(body) as { params: [string] }).params;
    const rivals = [...this.#versions.values()].find((versions) => versions.has(hash));
    const isFirst = rivals?.size === 1;
    if (!this.isCrowded || !isFirst) return arbitrum.mine(1);
    if (this.#forgotten.has(hash)) return;
    this.#forgotten.add(hash);
    await arbitrum.rpc('anvil_dropTransaction', [hash]);
  }

  #note(raw: string): void {
    const { from, nonce } = decodeEvm(raw);
    const versions = this.#versions.get(`${from} ${nonce}`) ?? new Set();
    this.#versions.set(`${from} ${nonce}`, versions.add(evmHash(raw)));
  }

  async #inspect({ label, body = '' }: OutboundCall): Promise<void> {
    const bytes = BYTES[label]?.(body);
    if (bytes === undefined) return;
    if (label === 'eth_sendRawTransaction') this.#note(String(bytes));
    if (label === 'send_raw_transaction') this.#sent.add(transactionId(parseTransactionHex(String(bytes))));
    const [row] = await this.#db.query(SAVED, [bytes]);
    if (row?.['saved'] !== true) this.unsaved.push(`${label} ${String(bytes).slice(0, 80)}`);
  }

  /** Others' payments are looked up by the scanner too, and wait for a block of their own. */
  #isOurs({ body = '' }: OutboundCall): boolean {
    return (JSON.parse(body) as { txs_hashes: string[] }).txs_hashes.some((hash) => this.#sent.has(hash));
  }
}
