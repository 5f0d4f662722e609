import assert from 'node:assert/strict';
import { openEngineBooks } from '../../src/app/engine-books.ts';
import type { JournalParts } from '../../src/app/journal-gate.ts';
import { adoptingBooks, journalRound, untilJournalAgrees } from '../../src/app/journal-gate.ts';
import type { AppLog } from '../../src/app/log.ts';
import { scanner } from '../../src/app/scanners.ts';
import type { Submit } from '../../src/engine/submit.ts';
import { atoms } from '../../src/kernel/amount.ts';
import type { Clock } from '../../src/kernel/clock.ts';
import { type Address, chainId, type IntentId, intentParts, type OrderId, txHash } from '../../src/kernel/ids.ts';
import { sha256Hex } from '../../src/kernel/secret.ts';
import { RULES } from '../../src/life/order/rules.ts';
import { restore } from '../../src/life/recovery/restore.ts';
import {
  EMPTY_JOURNAL,
  type Entry,
  type IntentKind,
  type JournalLine,
  type JournalRequest,
} from '../../src/signer/request.ts';
import type { Db } from '../../src/store/db.ts';
import type { Chain, Sighting } from '../../src/world/chains/chain.ts';
import { SEAL_KEY } from '../seal-key.ts';
import { USDC, XMR1 } from './market.ts';
import { AT } from './order-phases.ts';

export const SPACE = 'stories';
export const ARBITRUM = chainId(42_161);
const VENUE_COIN = '1337:USDC' as JournalParts['venueCoin'];

export interface PastRoom {
  readonly db: Db;
  readonly clock: Clock;
  readonly submit: Submit;
}

/** A database beside a signer that may know more of the past than it does. */
export function openPast({ db, clock, submit }: PastRoom, chains = [chainOfStories([])]) {
  const books = openEngineBooks(db, clock, SEAL_KEY);
  const lines: JournalLine[] = [];
  let isAnother = false;
  let unwritable: string | undefined;

  /** The signer has signed this, whatever the database knows of it. */
  const sign = (...entries: readonly Entry[]): void => {
    for (const entry of entries) {
      const seq = lines.length + 1;
      lines.push({ seq, hash: sha256Hex(`${isAnother}${seq}`), at: AT, entry });
    }
  };
  const journal = async (known: JournalRequest) => {
    const { seq, hash } = lines.at(-1) ?? EMPTY_JOURNAL;
    const same = known.seq === 0 ? EMPTY_JOURNAL : lines[known.seq - 1];
    const signed = new Set(lines.flatMap(({ entry }) => (entry.signed === 'transfer' ? [entry.answer.txHash] : [])));
    const isKnown = same?.hash === known.hash && (known.saved ?? []).every((one) => signed.has(one.txHash));
    const full = unwritable === undefined ? {} : { unwritable };
    return { isKnown, head: { seq, hash }, lines: isKnown ? lines.slice(known.seq) : [], ...full };
  };
  const parts: JournalParts = { books, submit, signer: { journal }, venueCoin: VENUE_COIN };

  return {
    books,
    journal,
    chain: chainOfStories([]),
    /** Another signer, or an older copy of its journal. */
    replaceJournal(...entries: readonly Entry[]): void {
      lines.length = 0;
      isAnother = true;
      sign(...entries);
    },
    /** The signer's disk is full, or has room again. */
    fillDisk(isFull = true): void {
      unwritable = isFull ? 'the disk of the journal has 4096 bytes left' : undefined;
    },
    payoutOf: (what: string): Entry => transferOf(`sw_${what}:payout:0`, 'payout', 1),

    /** What an engine does before anything else, and every few seconds; true where it finds the database behind. */
    async look(...entries: readonly Entry[]): Promise<boolean> {
      sign(...entries);
      let isBehind = false;
      await journalRound(parts, () => {
        isBehind = true;
      })();
      return isBehind;
    },

    /** An engine starts. */
    start: () => untilJournalAgrees(parts, { error: assert.fail } as unknown as AppLog),

    async restore(...entries: readonly Entry[]) {
      sign(...entries);
      return restore({
        books: { ...books.journal, ...adoptingBooks(books, submit) },
        journal,
        venueCoin: VENUE_COIN,
        restoring: {
          ...books.journal,
          raiseCase: books.cases.raise,
          caseOver: (kind) => books.cases.over('treasury', { case: kind }),
          post: async (key, postings) => (await submit.commitHouse({ key, postings })) === 'ok',
        },
        chains,
        venue: { fills: async () => [], market: { base: XMR1.id, quote: VENUE_COIN } as never },
        margin: 5,
      });
    },

    /** A deposit that is final comes to that address, and the scanner looks. */
    async pays(address: string): Promise<void> {
      const sighting: Sighting = {
        ...{ key: `paid ${address}`, address: address as Address, asset: USDC.id, atoms: atoms(100_000_000n) },
        ...{ txHash: txHash(`0x${sha256Hex(address)}`), block: { height: 5, hash: 'five' }, sender: undefined },
      };
      const open = { chain: chainOfStories([sighting]), scanFrom: undefined, outputPool: undefined };
      const parts = {
        books,
        submit,
        rules: RULES,
        clock,
        everyMs: 1,
        venueChain: chainId(1337),
        onLeft: async () => {},
        keepOwn: async () => {},
      };
      const round = scanner(open, { ...parts, worth: () => assert.fail('nothing strays here') });
      await round();
    },
  };
}

/** A chain on which these sightings are final, and whose addresses are named by their index. */
export function chainOfStories(sightings: readonly Sighting[], id = ARBITRUM): Chain {
  const facts = { id, family: SPACE, assets: [], collectsTokens: true };
  const page = { heads: { tip: 9, safe: 9, finalized: 9 }, rewoundTo: undefined, pool: [], more: false };
  return {
    facts,
    hotAddress: 'hot' as Address,
    scan: async () => ({ ...page, cursor: { height: 9, recent: [] }, sightings }),
    depositDepth: () => ({ have: 1, need: 1 }),
    standing: async (seen: readonly Sighting[]) => seen,
    depositAddresses: async (first: number, count: number) =>
      Array.from({ length: count }, (_, at) => `deposit ${first + at}`),
  } as unknown as Chain;
}

export function transferOf(intent: string, kind: IntentKind, nonce: number, more: object = {}): Entry {
  const id = intent as IntentId;
  const { owner } = intentParts(id);
  const request = {
    ...{ intent: id, kind, owner: owner as OrderId, chainId: ARBITRUM, from: 'hot' as const, asset: USDC.id },
    ...{ atoms: atoms(5_000_000n), to: 'payee' as Address, nonce, fee: {}, ...more },
  };
  const hash = txHash(`0x${sha256Hex(`${intent} ${nonce}`)}`);
  return {
    signed: 'transfer',
    request,
    answer: { intent: id, chainId: ARBITRUM, txHash: hash, raw: '0xbytes', consumes: [`${nonce}`], cost: atoms(1n) },
  };
}

/** The same payment signed once more, with the same nonce and a higher fee. */
export function outbid(entry: Entry): Entry {
  assert(entry.signed === 'transfer');
  const { answer } = entry;
  return {
    ...entry,
    answer: { ...answer, txHash: txHash(`0x${sha256Hex(`${answer.txHash} outbid`)}`), cost: atoms(2n) },
  };
}

export const tradeOf = (order: OrderId, nonce: number): Entry => ({
  signed: 'trade',
  request: {
    owner: order,
    ticket: {
      clientId: `0x${sha256Hex(`ticket:${order}:0:0`).slice(0, 32)}`,
      ...{ side: 'buy', size: atoms(1n), limit: '300', nonce, expiresAfter: AT },
    },
    wire: {},
  },
  answer: { nonce, body: '{}' },
});
