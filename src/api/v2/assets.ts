import { type Static, Type } from '@sinclair/typebox';
import { formatUnits } from '../../kernel/amount.ts';
import { scaleInt } from '../../kernel/ratio.ts';
import type { Order } from '../../life/order/order.ts';
import type { ApiDeps } from '../deps.ts';
import { endpoint } from '../endpoint.ts';
import { TOKENS_PER_PAGE } from '../limits.ts';
import { ChainNumber, definite, oneOf, orNull, ref } from '../wire-schemas.ts';
import { Token } from './schema.ts';

const ChainV2 = Type.Object({
  chainId: ChainNumber,
  name: Type.String(),
  family: Type.String(),
  nativeToken: Type.String(),
  deposit: Type.Boolean(),
  payout: Type.Boolean(),
  requiredConfirmations: Type.Integer(),
  minSwapUsd: Type.Number(),
  addressExample: Type.String(),
});

export const listAssets = endpoint({
  method: 'GET',
  path: '/v2/swaps/assets',
  summary: 'List chains and featured tokens',
  input: {},
  output: Type.Object({
    chains: Type.Array(ChainV2),
    featuredTokens: Type.Array(ref(Token)),
    fundingProviders: Type.Array(Type.String()),
  }),
  quota: 'requests',
  async run(_, deps) {
    const { catalog } = deps;
    const featured = catalog.chains().flatMap(({ facts }) => facts.assets.filter(isFeatured));
    return {
      chains: catalog.chains().map(({ facts }) => ({
        chainId: facts.id,
        name: facts.name,
        family: facts.family,
        nativeToken: facts.nativeSymbol,
        deposit: facts.assets.some((asset) => catalog.supports('from', asset)),
        payout: facts.assets.some((asset) => catalog.supports('to', asset)),
        requiredConfirmations: facts.requiredConfirmations,
        minSwapUsd: facts.minSwapUsd,
        addressExample: facts.addressExample,
      })),
      featuredTokens: await Promise.all(featured.filter(isSwappable(deps)).map((asset) => tokenOf(asset, deps))),
      fundingProviders: [],
    };
  },
});

/** What most people swap: the coin of each chain, and dollars. */
const isFeatured = ({ native, symbol }: Order['from']): boolean => native || DOLLARS.has(symbol);
const DOLLARS = new Set(['USDC', 'USDT']);

const isSwappable =
  ({ catalog }: ApiDeps) =>
  (asset: Order['from']): boolean =>
    catalog.supports('from', asset) || catalog.supports('to', asset);

export const listTokens = endpoint({
  method: 'GET',
  path: '/v2/swaps/assets/tokens',
  summary: 'Search tokens',
  input: {
    query: Type.Object({
      direction: Type.Optional(oneOf('from', 'to')),
      chainId: Type.Optional(ChainNumber),
      q: Type.Optional(Type.String({ maxLength: 128 })),
      offset: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000 })),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: TOKENS_PER_PAGE })),
    }),
  },
  output: Type.Object({
    tokens: Type.Array(ref(Token)),
    total: Type.Integer(),
    offset: Type.Integer(),
    limit: Type.Integer(),
    nextOffset: orNull(Type.Integer()),
  }),
  quota: 'requests',
  async run({ query: { offset = 0, limit = TOKENS_PER_PAGE, ...filter } }, deps) {
    const { tokens, total } = deps.catalog.tokens({ ...filter, offset, limit });
    const next = offset + tokens.length;
    return {
      tokens: await Promise.all(tokens.map((asset) => tokenOf(asset, deps))),
      total,
      offset,
      limit,
      nextOffset: next < total && tokens.length > 0 ? next : null,
    };
  },
});

async function tokenOf(asset: Order['from'], { catalog, quotes }: ApiDeps): Promise<Static<typeof Token>> {
  const price = await quotes.price(asset.id);
  // The price is in millionths of a dollar for one atom.
  const micros = price && scaleInt(10n ** BigInt(asset.decimals), price, 'down');
  return definite({
    chainId: asset.chainId,
    token: asset.token,
    symbol: asset.symbol,
    name: asset.name,
    decimals: asset.decimals,
    native: asset.native,
    priceUsd: micros === undefined ? undefined : formatUnits(micros, 6),
    deposit: catalog.supports('from', asset),
    payout: catalog.supports('to', asset),
  });
}
