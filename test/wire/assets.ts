import { type Catalog, makeCatalog } from '../../src/catalog/catalog.ts';
import { assetId, chainId, type TokenId } from '../../src/kernel/ids.ts';
import type { Asset, ChainFacts, ChainRules } from '../../src/world/chains/chain.ts';
import { evmNetwork } from '../../src/world/chains/evm/networks.ts';
import { evmRules } from '../../src/world/chains/evm/rules.ts';
import { MONERO_DEFAULTS, moneroRules } from '../../src/world/chains/monero/rules.ts';
import { tronRules } from '../../src/world/chains/tron/rules.ts';
import { ZCASH_DEFAULTS, zcashRules } from '../../src/world/chains/zcash/rules.ts';
import { venueRules } from '../../src/world/venues/hyperliquid/rules.ts';

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
export const USDC = asset(42161, '0xaf88d065e77c8cC2239327C5EDb3A432268e5831', 'USDC', 6);
export const USDT = asset(42161, '0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9', 'USDT', 6);
export const WBTC = asset(42161, '0x2f2a2543B76A4166549F7aaB2e75Bef0aefC5B0f', 'WBTC', 8);
export const BASE_ETH = asset(8453, '0x0000000000000000000000000000000000000000', 'ETH', 18, true);
export const VENUE_XMR = asset(1337, '0xbb2057659bd378d17e2e151bb04bdcaa', 'XMR1', 8);
export const VENUE_USDC = asset(1337, '0x6d1e7cde53ba9467b783cb7c530ce054', 'USDC', 8);

export const MONERO_ADDRESS =
  '44AFFq5kSiGBoZ4NMDwYtN18obc8AemS33DBLWs3H7otXft3XjrpDtQGv7SqSsaBYBb98uNbr2VBBEt7f2wfn3RVGQBEP3A';
export const OTHER_MONERO_ADDRESS =
  '46HE8DUVRHmJ1dEDn3qgt6Eks64oNFRak5xL51f8ep5a6CRqjxdcNMGD9nHK17HTnXMenCZdetkppWAkKoKgFqxTPLpZXZR';
export const EVM_ADDRESS = '0x52908400098527886E0F7030069857D2E4169EE7';
export const OTHER_EVM_ADDRESS = '0x8617E340B3D01FA5F11F306F4090FD50E238070D';

type Facts = Partial<ChainFacts> & Pick<ChainFacts, 'name' | 'assets'>;

/** A chain as it is, with fewer assets and rounder numbers: the contract shows what it writes as examples. */
function rules(facts: Facts, real: (facts: ChainFacts) => ChainRules): ChainRules {
  const [first] = facts.assets;
  if (!first) throw new Error('a chain without assets');
  return real({
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
    stuck: { afterMs: 60_000, remedy: 'outbid' },
    ...facts,
  });
}

const evm = (facts: ChainFacts): ChainRules => evmRules({ ...evmNetwork(facts.id), facts });
const monero = (facts: ChainFacts): ChainRules => ({ ...moneroRules(MONERO_DEFAULTS), facts });
const venue = (facts: ChainFacts): ChainRules => ({ ...venueRules([]), facts });

export const catalog: Catalog = catalogOf([ETH, USDC]);
/** With everything that the rates feed names. */
export const wideCatalog: Catalog = catalogOf([ETH, USDC, USDT, WBTC]);
/** With every coin that has a bridge. */
export const bridgedCatalog: Catalog = catalogOf([ETH, USDC], [tronRules(), zcashRules(ZCASH_DEFAULTS)]);

function catalogOf(arbitrum: readonly Asset[], more: readonly ChainRules[] = []): Catalog {
  return makeCatalog(
    [
      rules({ name: 'Arbitrum', assets: arbitrum }, evm),
      rules({ name: 'Base', assets: [BASE_ETH] }, evm),
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
        monero,
      ),
      ...more,
    ],
    rules({ name: 'Hyperliquid', family: 'venue', assets: [VENUE_XMR, VENUE_USDC] }, venue),
    { isRouted: (_, { symbol }) => symbol !== 'ETH' },
  );
}
