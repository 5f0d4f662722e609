import { present } from '../kernel/assert.ts';
import { type Address, type AssetId, assetId, type ChainId, tokenOf } from '../kernel/ids.ts';
import { MAX_ADDRESS_CHARS } from '../kernel/limits.ts';
import { type Refusal, refuse } from '../kernel/refusal.ts';
import type { Asset, ChainFamily, ChainRules } from '../world/chains/chain.ts';

export type Direction = 'from' | 'to';
export type Family = ChainFamily;

export interface TokenQuery {
  readonly direction?: Direction;
  readonly chainId?: number;
  /** Matched literally, without regard to case, against symbol, name and token id. */
  readonly q?: string;
  readonly offset: number;
  readonly limit: number;
}

/** What the desk knows of chains and assets. The venue is a place of bridges, not of swaps, so it is not listed. */
export interface Catalog {
  chains(): readonly ChainRules[];
  /** The venue is included. */
  chain(id: number): ChainRules | undefined;
  /** An asset that can be swapped, by any accepted spelling of its token. */
  parseAsset(chainId: number, token: string): Asset | Refusal;
  /** The venue's assets are included; asking for an unknown one is a bug. */
  asset(id: AssetId): Asset;
  /** Of any asset that may be in the books: anybody can send a token that nobody listed, and that goes by its id. */
  symbol(id: AssetId): string;
  /** An address that we may pay on that chain. */
  parseDestination(chainId: ChainId, text: string): Address | Refusal;
  tokens(query: TokenQuery): { readonly tokens: readonly Asset[]; readonly total: number };
  supports(direction: Direction, asset: Asset): boolean;
}

export interface CatalogOptions {
  /** Our own hot addresses are no destinations: a payout to ourselves would be taken for a delivery. */
  readonly isOurs?: (address: Address) => boolean;
  /** Which assets of the listed chains some route begins or ends with now; all of them unless said otherwise. */
  readonly isRouted?: (direction: Direction, asset: Asset) => boolean;
}

export function makeCatalog(chains: readonly ChainRules[], venue: ChainRules, options: CatalogOptions = {}): Catalog {
  const { isOurs = () => false, isRouted = () => true } = options;
  const byId = new Map<number, ChainRules>([...chains, venue].map((rules) => [rules.facts.id, rules]));
  const listed = chains.flatMap((rules) => rules.facts.assets);
  const assets = new Map<AssetId, Asset>([...listed, ...venue.facts.assets].map((asset) => [asset.id, asset]));

  const swapChain = (id: number): ChainRules | undefined => (id === venue.facts.id ? undefined : byId.get(id));
  const supports = (direction: Direction, asset: Asset): boolean =>
    swapChain(asset.chainId) !== undefined && assets.has(asset.id) && isRouted(direction, asset);

  return {
    chains: () => chains,
    chain: (id) => byId.get(id),
    asset: (id) => present(assets.get(id), `asset ${id}`),
    symbol: (id) => assets.get(id)?.symbol ?? tokenOf(id),
    supports,

    parseAsset: remembering((chainId: number, token: string) => {
      const rules = swapChain(chainId);
      if (!rules) return refuse('unsupported_chain', 'This chain is not supported.');
      const canonical = token.length > MAX_ADDRESS_CHARS ? undefined : rules.parseToken(token);
      const found = canonical && assets.get(assetId(rules.facts.id, canonical));
      return found ?? refuse('unsupported_token', `This token is not supported on ${rules.facts.name}.`);
    }),

    parseDestination: remembering((chainId: ChainId, text: string) => {
      const rules = byId.get(chainId);
      if (!rules) return refuse('unsupported_chain', 'This chain is not supported.');
      const { name } = rules.facts;
      const address = text.length > MAX_ADDRESS_CHARS ? undefined : rules.parseAddress(text);
      if (!address) return refuse('invalid_address', `Invalid ${name} address format`);
      const reason = rules.refusesDestination(address);
      if (reason) return refuse('address_refused', `This ${name} address cannot be paid: ${reason}.`);
      if (isOurs(address)) return refuse('address_refused', 'This address belongs to this desk.');
      return address;
    }),

    tokens({ direction, chainId, q, offset, limit }) {
      const wanted = q?.toLowerCase() ?? '';
      const found = listed.filter(
        (asset) =>
          (chainId === undefined || asset.chainId === chainId) &&
          (direction ? supports(direction, asset) : supports('from', asset) || supports('to', asset)) &&
          (wanted === '' ||
            [asset.symbol, asset.name, asset.token].some((text) => text.toLowerCase().includes(wanted))),
      );
      return { tokens: found.slice(offset, offset + limit), total: found.length };
    },
  };
}

/**
 * A client that polls quotes names the same tokens and the same address every time, and checking one may cost more than the
 * rest of a quote.
 */
const REMEMBERED = 4_096;

/** Remembers the last answers; forgets all of them when full, which bounds both memory and work. */
function remembering<C extends number, T>(ask: (chain: C, text: string) => T): (chain: C, text: string) => T {
  const known = new Map<string, T>();
  return (chain, text) => {
    if (text.length > MAX_ADDRESS_CHARS) return ask(chain, text);
    const key = `${chain}:${text}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    const answer = ask(chain, text);
    if (known.size >= REMEMBERED) known.clear();
    known.set(key, answer);
    return answer;
  };
}
