import { appendFileSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { Rpc } from '../../src/world/outbound/json-rpc.ts';

/** More than are sent between two moments at which a node writes down its chain. */
const KEPT = 500;

type Sent = readonly [hash: string, raw: string];

/**
 * What the box itself has sent lately. A node that dies forgets what waits for a block, and where it is killed outright its last blocks as well:
 * when it is there again it is told once more, as any wallet would.
 */
export class EvmSent {
  readonly #file: string | undefined;
  readonly #rpc: Rpc;
  #sent: readonly Sent[];

  constructor(rpc: Rpc, file: string | undefined) {
    this.#rpc = rpc;
    this.#file = file;
    const lines = file !== undefined && existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [];
    // The last line may be half of one.
    this.#sent = lines.flatMap((line) => (line.endsWith(']') ? [JSON.parse(line) as Sent] : [])).slice(-KEPT);
  }

  async add(hash: string): Promise<void> {
    if (this.#file === undefined) return;
    const one: Sent = [hash, (await this.#rpc('eth_getRawTransactionByHash', [hash])) as string];
    this.#sent = [...this.#sent.slice(1 - KEPT), one];
    appendFileSync(this.#file, `${JSON.stringify(one)}\n`);
  }

  /** What was dropped does not come back. */
  forget(hashes: readonly string[]): void {
    this.#keep(this.#sent.filter(([hash]) => !hashes.includes(hash)));
  }

  async tellAgain(): Promise<void> {
    this.#keep(this.#sent);
    for (const [hash, raw] of this.#sent) {
      const known = await this.#rpc('eth_getTransactionByHash', [hash]);
      // One that another took the place of is refused.
      if (known === null) await this.#rpc('eth_sendRawTransaction', [raw]).catch(() => undefined);
    }
  }

  #keep(sent: readonly Sent[]): void {
    this.#sent = sent;
    if (this.#file === undefined) return;
    writeFileSync(`${this.#file}.new`, sent.map((one) => `${JSON.stringify(one)}\n`).join(''));
    renameSync(`${this.#file}.new`, this.#file);
  }
}
