import type { Order } from '../../src/life/order/order.ts';
import { decode } from '../../src/store/codec.ts';
import type { Statement } from '../../src/store/db.ts';
import { evmContractOf } from '../../src/world/chains/evm/codec.ts';
import type { OutboundCall } from '../../src/world/outbound/http.ts';
import type { Dealing } from './customer.ts';
import type { Store } from './troubles.ts';
import { ARBITRUM, DEPTH, type World } from './world.ts';

const SAVED: Statement = { name: 'witness_saved', text: 'SELECT 1 FROM attempt WHERE raw = $1' };
const HELD: Statement = {
  name: 'witness_missing',
  text: `SELECT doc -> 'funds' ->> 'missing' AS missing FROM orders WHERE id = $1 AND doc -> 'funds' -> 'missing' IS NOT NULL
    AND NOT EXISTS (SELECT 1 FROM attempt WHERE intent = $2)`,
};

type Body = { readonly params: readonly string[]; readonly transaction: string };
/** Calls that send, and the bytes that they send as the books have them. */
const SENDS: Readonly<Record<string, (body: Body) => string | undefined>> = {
  eth_sendRawTransaction: ({ params }) => params[0],
  sendrawtransaction: ({ params }) => params[0],
  sendTransaction: ({ params }) => Buffer.from(params[0] ?? '', 'base64').toString('hex'),
  'wallet/broadcasthex': ({ transaction }) => transaction,
};

/** An engine has saved by then what it has read: between the two a reorganisation may come. */
const WRITES_WITHIN_MS = 5_000;

/** Stands at the doors and sees what leaves, in the moment in which it does. */
export class Witness {
  readonly #store: Store;
  readonly #world: World;
  /** What each order counted as paid when it was last looked at, and deposits that were deep enough once. */
  readonly #credited = new Map<string, bigint>();
  readonly #deep = new Set<string>();
  /** What was wrong with it, by check. */
  readonly seen: { readonly check: string; readonly what: string }[] = [];

  /** Whose orders they are. */
  dealings: readonly Dealing[] = [];

  constructor(store: Store, world: World) {
    this.#store = store;
    this.#world = world;
  }

  /** An order as it was saved a moment ago: what it counts as paid is as deep as its chain was asked for, or was once. */
  saved({ name }: Statement, [text]: readonly unknown[]): void {
    if (name !== 'step_commit') return;
    for (const { order } of JSON.parse(String(text)) as { order?: { doc: unknown } }[])
      if (order) this.#credit(decode<Order>(order.doc));
  }

  #credit({ id, from, funds }: Order): void {
    const depositAddress = this.dealings.find((one) => one.id === id)?.depositAddress?.toLowerCase();
    if (!depositAddress || from.chainId !== ARBITRUM || funds.confirmed.atoms === this.#credited.get(id)) return;
    this.#credited.set(id, funds.confirmed.atoms);
    const { arbitrum, isOurs } = this.#world;
    const contract = evmContractOf(from.id);
    const deep = [...arbitrum.seen.values()].filter(
      ({ hash, payee, token, from: sender }) =>
        token === contract &&
        payee.toLowerCase() === depositAddress &&
        !isOurs(sender) &&
        (this.#deep.has(hash) || arbitrum.depthLately(hash, WRITES_WITHIN_MS) >= DEPTH.small),
    );
    for (const { hash } of deep) this.#deep.add(hash);
    const atoms = deep.reduce((sum, tx) => sum + tx.atoms, 0n);
    if (funds.confirmed.atoms > atoms)
      this.seen.push({
        check: 'credited at its depth',
        what: `${id} was credited ${funds.confirmed.atoms} when ${atoms} were ${DEPTH.small} blocks deep`,
      });
  }

  async before({ at, label, body = '' }: OutboundCall): Promise<void> {
    const sends = SENDS[label];
    if (sends) {
      const raw = sends(JSON.parse(body) as Body) ?? '';
      if ((await this.#store.db.query(SAVED, [raw])).length === 0)
        this.seen.push({ check: 'saved before sent', what: `${raw.slice(0, 80)}… left before it was saved` });
    }
    if (at === 'signer' && label === '/transfer') {
      const { owner, kind, intent, afterDead } = JSON.parse(body) as Record<string, string>;
      if (!kind || !['payout', 'fund'].includes(kind)) return;
      // What only outbids bytes that are out changes nothing of what may be paid, and others wait behind them.
      const [row] = await this.#store.db.query(HELD, [owner, afterDead ? '' : intent]);
      if (row)
        this.seen.push({
          check: 'held while credit is gone',
          what: `${kind} of ${owner} though ${row.missing} is gone`,
        });
    }
  }
}
