import { type Client, type Token, wherryClient } from '../../sdk/src/index.ts';
import type { Clock, Instant } from '../../src/kernel/clock.ts';

/** A `fetch` whose requests reach the desk within this process, as this visitor's own. */
export type FetchAs = (visitor: { readonly ip: string }) => typeof fetch;

/** The desk as one visitor meets it: with the limits and refusals of every other caller. */
export const deskFor = (send: typeof fetch, ref?: string): Client =>
  // The host is never looked up: the requests stay in this process.
  wherryClient({ url: 'http://desk', fetch: send, ...(ref ? { ref } : {}) });

export interface Chain {
  readonly chainId: number;
  readonly name: string;
  readonly family: string;
  readonly addressExample: string;
}

/** Chains that show no sender: without an address from the customer nothing can go back. */
const SENDERLESS: ReadonlySet<string> = new Set(['monero', 'zcash']);
export const isSenderless = ({ family }: Pick<Chain, 'family'>): boolean => SENDERLESS.has(family);

/** What can be swapped, as the desk told last. */
export interface Book {
  readonly at: Instant;
  readonly chains: readonly Chain[];
  readonly tokens: readonly Token[];
  chain(id: number): Chain;
  token(id: string): Token | undefined;
  /** Since when a gate is seen as it is now. */
  since(gate: string): Instant;
}

/** Chains open and close by the hand of an operator, and a page may be this old. */
const BOOK_AGE_MS = 15_000;
const TOKENS_PER_PAGE = 100;
const MOST_PAGES = 10;
/** The venue is a place of bridges, so the list of swaps does not name it. */
export const VENUE_CHAIN = 1337;
/** Fees of Monero are paid in the venue's own dollars, which no list of swaps names either. */
export const VENUE_MONEY_DECIMALS = 8;
const VENUE: Chain = { chainId: VENUE_CHAIN, name: 'Hyperliquid', family: 'venue', addressExample: '' };

export const tokenKey = ({ chainId, token }: Pick<Token, 'chainId' | 'token'>): string => `${chainId}:${token}`;
export const swapGate = (token: Token, direction: 'deposit' | 'payout'): string => `${direction} ${tokenKey(token)}`;
export const bridgeGate = (asset: string, direction: 'deposit' | 'withdraw'): string => `${direction} bridge ${asset}`;

/** One reading for all visitors, so that looking at a page does not cost each of them four requests. */
export function openBook(clock: Clock): (desk: Client) => Promise<Book> {
  const seen = new Map<string, { readonly isOn: boolean; readonly since: Instant }>();
  let last: Book | undefined;
  let reading: Promise<Book> | undefined;

  const note = (gate: string, isOn: boolean, now: Instant) => {
    if (seen.get(gate)?.isOn !== isOn) seen.set(gate, { isOn, since: now });
  };

  const read = async (desk: Client): Promise<Book> => {
    const [{ chains }, bridges] = await Promise.all([desk.listAssets(), desk.readBridgeTerms()]);
    const tokens: Token[] = [];
    let offset: number | null = 0;
    for (let page = 0; page < MOST_PAGES && offset !== null; page += 1) {
      const found: { readonly tokens: Token[]; readonly nextOffset: number | null } = await desk.listTokens({
        offset,
        limit: TOKENS_PER_PAGE,
      });
      tokens.push(...found.tokens);
      offset = found.nextOffset;
    }
    const now = clock.now();
    for (const token of tokens)
      for (const direction of ['deposit', 'payout'] as const) note(swapGate(token, direction), token[direction], now);
    for (const row of bridges.assets)
      for (const direction of ['deposit', 'withdraw'] as const)
        note(bridgeGate(row.asset, direction), row[direction], now);
    const byKey = new Map(tokens.map((token) => [tokenKey(token), token]));
    const byId = new Map([...chains, VENUE].map((chain) => [chain.chainId, chain]));
    return {
      at: now,
      chains,
      tokens,
      chain: (id) => byId.get(id) ?? { chainId: id, name: `#${id}`, family: '', addressExample: '' },
      token: (id) => byKey.get(id),
      since: (gate) => seen.get(gate)?.since ?? now,
    };
  };

  return async (desk) => {
    if (last && clock.now() - last.at < BOOK_AGE_MS) return last;
    reading ??= read(desk).finally(() => {
      reading = undefined;
    });
    try {
      last = await reading;
    } catch (error) {
      // What was true a moment ago is better than no page.
      if (!last) throw error;
    }
    return last;
  };
}
