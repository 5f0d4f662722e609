import type { Common } from '@ethereumjs/common';
import { RpcFailure } from '../rpc-server.ts';
import { offerOf, type SentTx } from './transaction.ts';

const REFUSED = -32003;
/** What takes the place of another offers a tenth more, as public nodes ask. */
const isOutbid = (offer: bigint, held: bigint): boolean => offer * 10n >= held * 11n;

/** Transactions that wait for a block, by sender and nonce. */
export class Pool {
  readonly #common: Common;
  readonly #bySender = new Map<string, Map<bigint, SentTx>>();
  /** As they came. */
  readonly #byHash = new Map<string, { readonly sent: SentTx; readonly arrival: number }>();
  #arrived = 0;

  constructor(common: Common) {
    this.#common = common;
  }

  add(sent: SentTx): void {
    const { nonce } = sent.readAs(this.#common);
    const ofSender = this.#bySender.get(sent.from) ?? new Map<bigint, SentTx>();
    const held = ofSender.get(nonce);
    if (held?.hash === sent.hash) throw new RpcFailure(REFUSED, 'transaction already imported');
    if (held) {
      const [before, now] = [this.#offerOf(held), this.#offerOf(sent)];
      if (!isOutbid(now.max, before.max) || !isOutbid(now.tip, before.tip))
        throw new RpcFailure(REFUSED, 'replacement transaction underpriced');
      this.#byHash.delete(held.hash);
    }
    ofSender.set(nonce, sent);
    this.#bySender.set(sent.from, ofSender);
    this.#arrived += 1;
    this.#byHash.set(sent.hash, { sent, arrival: this.#arrived });
  }

  get(hash: string): SentTx | undefined {
    return this.#byHash.get(hash)?.sent;
  }

  all(): readonly SentTx[] {
    return [...this.#byHash.values()].map(({ sent }) => sent);
  }

  drop(hash: string): boolean {
    const sent = this.get(hash);
    if (!sent) return false;
    this.#bySender.get(sent.from)?.delete(sent.readAs(this.#common).nonce);
    this.#byHash.delete(hash);
    return true;
  }

  /** Those of each sender that could be mined one after the other, and those that wait for another. */
  sorted(nonceOf: (sender: string) => bigint): { readonly pending: SentTx[][]; readonly queued: SentTx[] } {
    const pending: SentTx[][] = [];
    const queued: SentTx[] = [];
    for (const [sender, ofSender] of this.#bySender) {
      const ready: SentTx[] = [];
      for (let next = nonceOf(sender); ofSender.has(next); next += 1n) ready.push(ofSender.get(next) as SentTx);
      if (ready.length > 0) pending.push(ready);
      queued.push(...[...ofSender.values()].filter((one) => !ready.includes(one)));
    }
    return { pending, queued };
  }

  /** Dearest first, then as they came; those of one sender in their order. */
  inOrder(nonceOf: (sender: string) => bigint): readonly SentTx[] {
    const { pending } = this.sorted(nonceOf);
    const ordered: SentTx[] = [];
    const heads = pending.map((ofSender) => ofSender[0] as SentTx).sort((a, b) => this.#before(a, b));
    const rest = new Map(pending.map((ofSender) => [ofSender[0]?.from, ofSender.slice(1)]));
    for (let head = heads.shift(); head; head = heads.shift()) {
      ordered.push(head);
      const next = rest.get(head.from)?.shift();
      if (!next) continue;
      const at = heads.findIndex((other) => this.#before(next, other) < 0);
      heads.splice(at < 0 ? heads.length : at, 0, next);
    }
    return ordered;
  }

  /** Of nonces that are used by now. */
  forgetUsed(nonceOf: (sender: string) => bigint): void {
    for (const [sender, ofSender] of this.#bySender) {
      const next = nonceOf(sender);
      for (const [nonce, { hash }] of ofSender) if (nonce < next) this.drop(hash);
      if (ofSender.size === 0) this.#bySender.delete(sender);
    }
  }

  clear(): void {
    this.#bySender.clear();
    this.#byHash.clear();
  }

  #offerOf(sent: SentTx) {
    return offerOf(sent.readAs(this.#common));
  }

  #before(a: SentTx, b: SentTx): number {
    const [first, second] = [this.#offerOf(a).max, this.#offerOf(b).max];
    if (first !== second) return first > second ? -1 : 1;
    return (this.#byHash.get(a.hash)?.arrival ?? 0) - (this.#byHash.get(b.hash)?.arrival ?? 0);
  }
}
