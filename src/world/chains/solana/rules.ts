import { formatUnits } from '../../../kernel/amount.ts';
import { type Address, type AssetId, type TokenId, tokenOf } from '../../../kernel/ids.ts';
import type { Asset, ChainRules } from '../chain.ts';
import { parseSolanaAccount, parseSolanaAddress, SYSTEM_PROGRAM } from './address-codec.ts';
import { mintOf, SOL, SOL_ASSET_ID, SOLANA_ID, STABLE_DECIMALS, solanaToken, USDC_MINT, USDT_MINT } from './codec.ts';

const COIN_DECIMALS = 9;

export const SOLANA_ASSETS: readonly Asset[] = [
  asset(SOL_ASSET_ID, 'SOL', 'Solana', COIN_DECIMALS),
  asset(solanaToken(USDC_MINT), 'USDC', 'USD Coin', STABLE_DECIMALS),
  asset(solanaToken(USDT_MINT), 'USDT', 'Tether USD', STABLE_DECIMALS),
];

function asset(id: AssetId, symbol: string, name: string, decimals: number): Asset {
  return { id, chainId: SOLANA_ID, token: tokenOf(id), symbol, name, decimals, native: id === SOL_ASSET_ID };
}

/** On the curve by chance, and yet nobody's wallet. */
const PROGRAMS = new Set([
  'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
  'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL',
  'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
  'metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s',
]);
/** Native programs, system accounts and wrapped SOL: a name, then ones. Nobody finds a key to such an address. */
const RESERVED = /1{10}\d?$/;

export const solanaRules: ChainRules = {
  facts: {
    id: SOLANA_ID,
    name: 'Solana',
    family: 'solana',
    nativeSymbol: 'SOL',
    assets: SOLANA_ASSETS,
    minSwapUsd: 20,
    addressExample: '7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV',
    deposits: 'top_up',
    collectsTokens: true,
    feePayer: 'hot',
    feeField: 'feeAddressSol',
    // Deposits are seen once they are final, and final is enough for any size (D62).
    requiredConfirmations: 1,
    largeConfirmations: 1,
    depositSeconds: 20,
    payoutSeconds: 20,
    // The time in which a blockhash grows old: new bytes can follow soon after.
    stuck: { afterMs: 90_000, remedy: 'sign_anew' },
  },
  parseAddress: parseSolanaAddress,

  parseToken(text) {
    if (text === SOL || text === 'native' || text === SYSTEM_PROGRAM) return SOL;
    const mint = parseSolanaAccount(text) as string | undefined;
    return SOLANA_ASSETS.find(({ token }) => token === mint)?.token;
  },

  refusesDestination(address) {
    if (RESERVED.test(address)) return 'a system address';
    if (PROGRAMS.has(address)) return 'a program';
    return SOLANA_ASSETS.some(({ token }) => token === (address as string as TokenId)) ? 'a token mint' : undefined;
  },

  depositUri: solanaPayUri,
};

/** Solana Pay: amounts are decimals of whole units, and the token is named by its mint. */
function solanaPayUri(address: Address, { id, decimals }: Asset, atoms: bigint | undefined): string {
  const mint = mintOf(id);
  const fields = [
    ...(atoms === undefined ? [] : [`amount=${formatUnits(atoms, decimals)}`]),
    ...(mint ? [`spl-token=${mint}`] : []),
  ];
  return `solana:${address}${fields.length > 0 ? `?${fields.join('&')}` : ''}`;
}
