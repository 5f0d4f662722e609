import type { Statement } from '../../src/store/db.ts';
import type { OutboundCall } from '../../src/world/outbound/http.ts';
import { txOf } from './evm-node.ts';
import type { Store } from './troubles.ts';

const SAVED: Statement = { name: 'witness_saved', text: 'SELECT 1 FROM attempt WHERE raw = $1' };
const HELD: Statement = {
  name: 'witness_missing',
  text: `SELECT doc -> 'funds' ->> 'missing' AS missing FROM orders WHERE id = $1 AND doc -> 'funds' -> 'missing' IS NOT NULL`,
};

/** Stands at the doors and sees what leaves, in the moment in which it does. */
export class Witness {
  readonly #store: Store;
  /** What was wrong with it, by check. */
  readonly seen: { readonly check: string; readonly what: string }[] = [];

  constructor(store: Store) {
    this.#store = store;
  }

  async before({ at, label, body = '' }: OutboundCall): Promise<void> {
    if (label === 'eth_sendRawTransaction') {
      const [raw] = (JSON.parse(body) as { params: [string] }).params;
      if ((await this.#store.db.query(SAVED, [raw])).length === 0)
        this.seen.push({ check: 'saved before sent', what: `${txOf(raw).hash} left before it was saved` });
    }
    if (at === 'signer' && label === '/transfer') {
      const { owner, kind } = JSON.parse(body) as { owner: string; kind: string };
      if (!['payout', 'fund'].includes(kind)) return;
      const [row] = await this.#store.db.query(HELD, [owner]);
      if (row)
        this.seen.push({
          check: 'held while credit is gone',
          what: `${kind} of ${owner} though ${row.missing} is gone`,
        });
    }
  }
}
