import { type Address, assetId, chainId, type TokenId } from '../../src/kernel/ids.ts';
import { type Catalog, makeCatalog } from '../../src/life/quote/catalog.ts';
import type { Asset, ChainFacts, ChainRules } from '../../src/world/chains/chain.ts';

function asset(chain: number, token: string, symbol: string, decimals: number, native = false): Asset {
  const id = chainId(chain);
  return {
    id: assetId(id, token as TokenId),
    chainId: id,
    token: token as TokenId,
    symbol,
    name: symbol,
    decimals,
    native,
  };
}

export const XMR = asset(0, 'XMR', 'XMR', 12, true);
export const ETH = asset(42161, '0x0000000000000000000000000000000000000000', 'ETH', 18, true);
export const USDC = asset(42161, '0xaf88d065e77c8cc2239327c5edb3a432268e5831', 'USDC', 6);
export const USDT = asset(42161, '0xfd086bc7cd5c481dcc9c85ebe478a1c0b69fcbb9', 'USDT', 6);
export const WBTC = asset(42161, '0x2f2a2543b76a4166549f7aab2e75bef0aefc5b0f', 'WBTC', 8);
export const BASE_ETH = asset(8453, '0x0000000000000000000000000000000000000000', 'ETH', 18, true);
export const VENUE_XMR = asset(1337, '0xbb2057659bd378d17e2e151bb04bdcaa', 'XMR1', 8);
export const VENUE_USDC = asset(1337, '0x6d1e7cde53ba9467b783cb7c530ce054', 'USDC', 8);

export const MONERO_ADDRESS = `4${'A'.repeat(94)}`;
export const OTHER_MONERO_ADDRESS = `4${'B'.repeat(94)}`;
export const EVM_ADDRESS = '0x52908400098527886e0f7030069857d2e4169ee7';
export const OTHER_EVM_ADDRESS = '0x8617e340b3d01fa5f11f306f4090fd50e238070d';
const ZERO_ADDRESS = '0x0000000000000000000000000000000000000000';

interface Forms {
  readonly address: RegExp;
  readonly scheme: string;
}

function rules(facts: Partial<ChainFacts> & Pick<ChainFacts, 'name' | 'assets'>, forms: Forms): ChainRules {
  const [first] = facts.assets;
  if (!first) throw new Error('a chain without assets');
  return {
    facts: {
      id: first.chainId,
      family: 'evm',
      nativeSymbol: first.symbol,
      minSwapUsd: 20,
      addressExample: EVM_ADDRESS,
      deposits: 'top_up',
      collectsTokens: true,
      feePayer: 'sender',
      feeField: 'feeAddress',
      requiredConfirmations: 12,
      largeConfirmations: 64,
      depositSeconds: 60,
      payoutSeconds: 10,
      ...facts,
    },
    parseAddress: (text) =>
      forms.address.test(text) ? (text.replace(/^0x.*/i, (hex) => hex.toLowerCase()) as Address) : undefined,
    parseToken: (text) => facts.assets.find(({ token }) => token === text || token === text.toLowerCase())?.token,
    refusesDestination: (address) => (address === ZERO_ADDRESS ? 'the zero address' : undefined),
    depositUri: (address, _, atoms) => `${forms.scheme}:${address}?amount=${atoms}`,
  };
}

const EVM: Forms = { address: /^0x[0-9a-f]{40}$/i, scheme: 'ethereum' };

export const catalog: Catalog = catalogOf([ETH, USDC]);
/** With everything that the rates feed names. */
export const wideCatalog: Catalog = catalogOf([ETH, USDC, USDT, WBTC]);

function catalogOf(arbitrum: readonly Asset[]): Catalog {
  return makeCatalog(
    [
      rules({ name: 'Arbitrum', assets: arbitrum }, EVM),
      rules({ name: 'Base', assets: [BASE_ETH] }, EVM),
      rules(
        {
          name: 'Monero',
          family: 'monero',
          assets: [XMR],
          minSwapUsd: 25,
          deposits: 'as_it_comes',
          collectsTokens: false,
          requiredConfirmations: 10,
          addressExample: MONERO_ADDRESS,
        },
        { address: /^4[0-9A-Za-z]{94}$/, scheme: 'monero' },
      ),
    ],
    rules({ name: 'Hyperliquid', family: 'venue', assets: [VENUE_XMR, VENUE_USDC] }, EVM),
    { isRouted: (_, { symbol }) => symbol !== 'ETH' },
  );
}
