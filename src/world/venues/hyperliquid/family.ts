import { type Static, Type } from '@sinclair/typebox';
import { present } from '../../../kernel/assert.ts';
import { Fault } from '../../../kernel/fault.ts';
import { assetId, chainId, type TokenId } from '../../../kernel/ids.ts';
import type { ChainRules } from '../../chains/chain.ts';
import { exact, Url } from '../../settings-shapes.ts';
import type { VenueFamily, VenueSurroundings } from '../family.ts';
import { openVenueChain } from './chain.ts';
import { USDC_DECIMALS } from './codec.ts';
import { openHyperliquid } from './hyperliquid.ts';
import { VENUE } from './reply.ts';
import { venueRules } from './rules.ts';
import { assetOf, SPOT_ASSET_OFFSET, USDC_TOKEN, VENUE_CHAIN } from './tokens.ts';

const Token = Type.String({ pattern: '^0x[0-9a-f]{32}$' });
/** A coin's wrapped form. The signer goes by these decimals. */
const WrappedShape = Type.Optional(exact({ tokenId: Token, decimals: Type.Integer({ minimum: 0, maximum: 18 }) }));

const Shape = exact({
  url: Url,
  baseTokenId: Token,
  /** The venue's number of this token's spot market against USDC. The signer trades there and nowhere else. */
  market: Type.Integer({ minimum: 0, maximum: 99_999 }),
  /** Beside XMR, which is bridged by the token that is traded. */
  bridges: Type.Optional(exact({ trx: WrappedShape, zec: WrappedShape })),
});
type Settings = Static<typeof Shape>;

/** The venue's home chain is Arbitrum; this contract takes deposits there. */
const HOME = {
  chainId: chainId(42161),
  symbol: 'USDC',
  bridge: '0x2df1c51e09aecf9cacb7bc98cb1742757f163df7',
  minimum: 5_000_000n,
};

const settingsOf = ({ settings }: VenueSurroundings): Settings => settings as Settings;

function wrappedOf({ baseTokenId, bridges = {} }: Settings) {
  const others = Object.entries(bridges).map(([name, { tokenId, decimals }]) => ({ name, tokenId, decimals }));
  return [{ name: 'xmr', tokenId: baseTokenId, decimals: USDC_DECIMALS }, ...others].map(
    ({ name, tokenId, decimals }) => ({ name, token: tokenId as TokenId, decimals }),
  );
}

const rulesOf = (settings: Settings, tokens: readonly TokenId[]): ChainRules =>
  venueRules([
    assetOf({ id: USDC_TOKEN, name: 'USDC', decimals: USDC_DECIMALS }),
    ...wrappedOf(settings)
      .filter(({ token }) => tokens.includes(token))
      .map(({ name, token, decimals }) => assetOf({ id: token, name: `${name.toUpperCase()}1`, decimals })),
  ]);

/** The desk reckons by the settings before the venue is open, and so does the signer at all times. */
function agrees({ facts: wanted }: ChainRules, { facts }: ChainRules): void {
  for (const { id, token, decimals } of wanted.assets) {
    const said = facts.assets.find((asset) => asset.id === id)?.decimals;
    if (said !== decimals)
      throw new Fault('permanent', VENUE, `${token} has ${said ?? 'no known'} decimals there, not ${decimals}`);
  }
}

export const hyperliquid: VenueFamily = {
  family: 'venue',
  chainId: VENUE_CHAIN,
  settings: Shape,
  coin: assetId(VENUE_CHAIN, USDC_TOKEN),
  decimals: USDC_DECIMALS,
  baseSymbol: 'XMR',
  home: HOME,
  market: ({ market }: Settings) => `${SPOT_ASSET_OFFSET + market}`,
  url: ({ url }: Settings) => url,
  wrapped: wrappedOf,
  rules: rulesOf,
  async open(around, tokens, funding) {
    const { url, baseTokenId, market } = settingsOf(around);
    const otherTokenIds = tokens.filter((token) => token !== baseTokenId);
    const { chainId: home, minimum } = HOME;
    const venue = await openHyperliquid(
      {
        url,
        baseTokenId,
        market,
        otherTokenIds,
        account: around.keys.hot,
        funding: { chainId: home, minimum, ...funding },
      },
      around.outbound,
      around.clock,
    );
    agrees(rulesOf(settingsOf(around), tokens), venue.rules);
    return venue;
  },
  async openChain(around, tokenIds, deposits) {
    const { url } = settingsOf(around);
    const { hot: account, xpub } = around.keys;
    const chain = await openVenueChain(
      { url, account, xpub: present(xpub, 'the extended key'), tokenIds, accounts: deposits.taken },
      around.outbound,
      around.clock,
    );
    agrees(rulesOf(settingsOf(around), tokenIds), chain);
    return chain;
  },
};
