import type { Ledger, LedgerTx } from './ledger.ts';
import { txAsJson } from './print.ts';
import type { Method } from './server.ts';

const OK = { status: 'OK', untrusted: false };
const NO_BLOCK = '0'.repeat(64);

/** What waits to be mined; a list without entries is left out, as in all of the daemon's answers. */
export function poolMethods(ledger: Ledger): Readonly<Record<string, Method>> {
  const waiting = () => [...ledger.pool.values()];
  const entry = (tx: LedgerTx) => {
    const bytes = tx.hex.length / 2;
    const time = ledger.receivedAt(tx.hash);
    return {
      ...{ id_hash: tx.hash, tx_blob: tx.hex, tx_json: txAsJson(tx), blob_size: bytes, weight: bytes, fee: tx.tx.fee },
      ...{ receive_time: time, last_relayed_time: time, relayed: true, do_not_relay: false, kept_by_block: false },
      ...{ double_spend_seen: ledger.isContested(tx), last_failed_height: 0, last_failed_id_hash: NO_BLOCK },
      ...{ max_used_block_height: ledger.height - 1, max_used_block_id_hash: ledger.tip.hash },
    };
  };
  return {
    get_transaction_pool() {
      const spent = waiting().flatMap(({ hash, tx }) =>
        tx.keyImages.map((id_hash) => ({ id_hash, txs_hashes: [hash] })),
      );
      return { ...listed('transactions', waiting().map(entry)), ...listed('spent_key_images', spent), ...OK };
    },
    get_transaction_pool_hashes: () => ({ ...listed('tx_hashes', [...ledger.pool.keys()]), ...OK }),
    get_transaction_pool_stats() {
      const bytes_total = waiting().reduce((sum, { hex }) => sum + hex.length / 2, 0);
      const fee_total = waiting().reduce((sum, { tx }) => sum + tx.fee, 0n);
      return { pool_stats: { txs_total: ledger.pool.size, bytes_total, fee_total }, ...OK };
    },
  };
}

const listed = (name: string, items: readonly unknown[]): object => (items.length > 0 ? { [name]: items } : {});
