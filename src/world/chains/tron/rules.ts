import { formatUnits } from '../../../kernel/amount.ts';
import { present } from '../../../kernel/assert.ts';
import type { Address, TokenId } from '../../../kernel/ids.ts';
import { tokenOf } from '../../../kernel/ids.ts';
import type { Asset, ChainRules, Depth, Heads, Tier } from '../chain.ts';
import { parseTronAddress, TRON_ID, TRX, tronAsset, tronContractOf, tronHex } from './codec.ts';

/** Nineteen of the twenty-seven producers have built on a block, its own among them: it is solidified, for good. */
export const SOLIDIFIED_DEPTH = 19;
const BLOCK_SECONDS = 3;

export type Confirmations = Readonly<Record<Tier, number>>;
export const SOLIDIFIED: Confirmations = { small: SOLIDIFIED_DEPTH, large: SOLIDIFIED_DEPTH };

const USDT = present(parseTronAddress('TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t'), 'USDT');
const DECIMALS = 6;

export const TRX_ASSET: Asset = asset(undefined, 'TRX', 'Tron');
export const USDT_ASSET: Asset = asset(USDT, 'USDT', 'Tether USD');

const BLACK_HOLE = 'TLsV52sRDL79HXGGm9yzwKibb6BeruhUzy';
/** The virtual machine's own contracts lie below this; nobody has their keys. */
const SYSTEM_ADDRESSES_BELOW = 0x1_0000n;

export function tronRules(confirmations: Confirmations = SOLIDIFIED): ChainRules {
  return {
    facts: {
      id: TRON_ID,
      name: 'Tron',
      family: 'tron',
      nativeSymbol: 'TRX',
      assets: [TRX_ASSET, USDT_ASSET],
      minSwapUsd: 20,
      addressExample: 'TJRabPrwbZy45sbavfcjinPJC18kjpRTv8',
      deposits: 'top_up',
      collectsTokens: true,
      feePayer: 'sender',
      feeField: undefined,
      requiredConfirmations: confirmations.small,
      largeConfirmations: confirmations.large,
      depositSeconds: confirmations.small * BLOCK_SECONDS,
      payoutSeconds: SOLIDIFIED_DEPTH * BLOCK_SECONDS,
      stuck: { afterMs: 120_000, remedy: 'sign_anew' },
    },
    parseAddress: parseTronAddress,

    parseToken(text) {
      if (text === 'native') return TRX;
      return [TRX_ASSET, USDT_ASSET].find(({ token }) => token === text)?.token;
    },

    refusesDestination(address) {
      const number = BigInt(`0x${tronHex(address).slice(2)}`);
      if (number === 0n) return 'the zero address';
      if (number < SYSTEM_ADDRESSES_BELOW) return 'a system address';
      if (address === BLACK_HOLE) return 'a burn address';
      return address === USDT ? 'a token contract' : undefined;
    },

    depositUri: paymentUri,
  };
}

/** Until a block is solidified it stands one short of a depth that means just that. */
export function depthAt(height: number, { tip, finalized }: Heads, need: number): Depth {
  const confirmations = Math.max(0, tip - height + 1);
  if (need < SOLIDIFIED_DEPTH) return { have: confirmations, need };
  return {
    have: height <= finalized ? Math.max(confirmations, need) : Math.min(confirmations, need - 1),
    need,
  };
}

/** No standard exists; wallets that know any form of it read this one, made like BIP-21. */
function paymentUri(address: Address, asset: Asset, amount: bigint | undefined): string {
  const contract = tronContractOf(asset.id);
  const query = [
    ...(amount === undefined ? [] : [`amount=${formatUnits(amount, asset.decimals)}`]),
    ...(contract ? [`token=${contract}`] : []),
  ];
  return `tron:${address}${query.length > 0 ? `?${query.join('&')}` : ''}`;
}

function asset(contract: Address | undefined, symbol: string, name: string): Asset {
  const id = tronAsset(contract);
  const token: TokenId = tokenOf(id);
  return { id, chainId: TRON_ID, token, symbol, name, decimals: DECIMALS, native: contract === undefined };
}
