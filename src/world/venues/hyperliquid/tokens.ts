import { assert, present } from '../../../kernel/assert.ts';
import { Fault } from '../../../kernel/fault.ts';
import { type AssetId, assetId, type ChainId, chainId, type TokenId } from '../../../kernel/ids.ts';
import type { Asset } from '../../chains/chain.ts';
import type { Ask } from './ask.ts';
import { fields, list, malformed, text, VENUE, whole } from './reply.ts';

export const VENUE_CHAIN: ChainId = chainId(1337);
/** Spot markets are numbered from here in orders. */
export const SPOT_ASSET_OFFSET = 10_000;
/** USDC is the venue's token number zero, by protocol. */
export const USDC_INDEX = 0;
/** And bears this id on the main network. */
export const USDC_TOKEN = '0x6d1e7cde53ba9467b783cb7c530ce054' as TokenId;

export interface Token {
  readonly id: TokenId;
  readonly asset: AssetId;
  readonly index: number;
  readonly name: string;
  readonly decimals: number;
  readonly sizeDecimals: number;
}

export interface SpotPair {
  readonly coin: string;
  readonly orderAsset: number;
  readonly base: Token;
  readonly quote: Token;
}

export interface SpotMeta {
  readonly tokens: readonly Token[];
  readonly universe: readonly unknown[];
}

export async function readSpotMeta(ask: Ask): Promise<SpotMeta> {
  const meta = fields(await ask({ type: 'spotMeta' }), 'spotMeta');
  return {
    tokens: list(meta.tokens, 'spotMeta.tokens').map(readToken),
    universe: list(meta.universe, 'spotMeta.universe'),
  };
}

/** These very tokens, and USDC first. Names prove nothing here: anyone may deploy a token called XMR1. */
export function pickTokens(tokens: readonly Token[], ids: readonly string[]): readonly Token[] {
  const usdc = present(
    tokens.find((token) => token.index === USDC_INDEX),
    'USDC among the tokens',
  );
  const found = ids.map((id) => tokens.find((token) => token.id === id.toLowerCase()) ?? unknownToken(id));
  return [usdc, ...found];
}

function unknownToken(id: string): never {
  throw new Fault('permanent', VENUE, `spotMeta knows no token ${id}`);
}

/** The market of this very token against USDC. */
export function findPair({ tokens, universe }: SpotMeta, baseId: string): SpotPair {
  const [quote, base] = pickTokens(tokens, [baseId]);
  assert(quote && base, 'two tokens were picked');
  for (const entry of universe) {
    const pair = fields(entry, 'spotMeta.universe');
    const [first, second] = list(pair.tokens, 'spotMeta.universe.tokens');
    if (first !== base.index || second !== quote.index) continue;
    const orderAsset = SPOT_ASSET_OFFSET + whole(pair.index, 'spotMeta.universe.index');
    return { coin: text(pair.name, 'spotMeta.universe.name'), orderAsset, base, quote };
  }
  throw new Fault('permanent', VENUE, `no market of ${baseId} against USDC`);
}

function readToken(value: unknown): Token {
  const token = fields(value, 'spotMeta.tokens');
  const id = text(token.tokenId, 'spotMeta.tokens.tokenId').toLowerCase();
  if (!/^0x[0-9a-f]{32}$/.test(id)) return malformed('spotMeta.tokens.tokenId');
  return {
    id: id as TokenId,
    asset: assetId(VENUE_CHAIN, id as TokenId),
    index: whole(token.index, 'spotMeta.tokens.index'),
    name: text(token.name, 'spotMeta.tokens.name'),
    decimals: whole(token.weiDecimals, 'spotMeta.tokens.weiDecimals'),
    sizeDecimals: whole(token.szDecimals, 'spotMeta.tokens.szDecimals'),
  };
}

export const assetOf = ({ id, name, decimals }: Pick<Token, 'id' | 'name' | 'decimals'>): Asset => ({
  id: assetId(VENUE_CHAIN, id),
  chainId: VENUE_CHAIN,
  token: id,
  symbol: name,
  name: `${name} on Hyperliquid`,
  decimals,
  native: id === USDC_TOKEN,
});

/** How actions name a token: its name and id; the venue checks both. */
export function tokenWire(tokens: readonly Token[], asset: AssetId): Readonly<Record<string, string>> {
  const token = present(
    tokens.find((one) => one.asset === asset),
    `venue token ${asset}`,
  );
  return { token: `${token.name}:${token.id}`, decimals: String(token.decimals) };
}
