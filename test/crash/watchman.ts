import type { Db, Statement } from '../../src/store/db.ts';
import type { Outbound, OutboundCall } from '../../src/world/outbound/http.ts';
import type { World } from './world.ts';

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

/** A block comes this long after something was sent: soon, but not before somebody may have asked for it. */
const BLOCK_AFTER_MS = 10;

/**
 * The wire between the desk and the world. Notes signed bytes that leave without having been saved before, and lets a
 * block come after whatever was sent.
 */
export class Watchman {
  /** Bytes that left unsaved; there must never be any. */
  readonly unsaved: string[] = [];
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
      if (call.label === 'eth_sendRawTransaction') this.#blockSoon(this.#world.arbitrum);
      if (call.label === 'send_raw_transaction') this.#blockSoon(this.#world.monero);
      return reply;
    };
  }

  async #inspect({ label, body = '' }: OutboundCall): Promise<void> {
    const bytes = BYTES[label]?.(body);
    if (bytes === undefined) return;
    const [row] = await this.#db.query(SAVED, [bytes]);
    if (row?.['saved'] !== true) this.unsaved.push(`${label} ${String(bytes).slice(0, 80)}`);
  }

  #blockSoon(chain: { mine(blocks: number): Promise<void> }): void {
    // The chain may have been closed meanwhile: then nobody waits for this block.
    setTimeout(() => chain.mine(1).catch(() => undefined), BLOCK_AFTER_MS).unref();
  }
}
