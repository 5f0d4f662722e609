import type { Account } from '../../kernel/account.ts';
import { parseAtoms } from '../../kernel/amount.ts';
import { assert } from '../../kernel/assert.ts';
import { later } from '../../kernel/clock.ts';
import type { Address } from '../../kernel/ids.ts';
import type { Secret } from '../../kernel/secret.ts';
import { TOKEN_ACCOUNT_RENT } from '../../world/chains/solana/account-codec.ts';
import {
  parseSolanaAccount,
  parseSolanaAddress,
  solanaAddressOfKey,
  tokenAccountOf,
} from '../../world/chains/solana/address-codec.ts';
import {
  decodeSolana,
  isSolanaAsset,
  mintOf,
  SOL_ASSET_ID,
  SOLANA_ID,
  signSolana,
  solanaCost,
  solanaFee,
  solanaTokens,
  solanaUnsigned,
} from '../../world/chains/solana/codec.ts';
import type { RailFamily } from '../family.ts';
import type { KeyTree } from '../keys.ts';
import type { TransferRail } from '../rail.ts';
import type { TransferRequest } from '../request.ts';

type KeyOf = (account: Account) => Secret<Uint8Array>;

/** Deposit i: m/44'/501'/i'/0'. Hot: m/44'/501'/0'/1'. */
export const solanaKeys =
  (tree: KeyTree): KeyOf =>
  (account) =>
    tree.edwards(account === 'hot' ? [44, 501, 0, 1] : [44, 501, account.deposit, 0]);

export const solana: RailFamily = {
  name: 'solana',
  open({ solana: settings }: { solana?: unknown }, { tree }) {
    if (!settings) return [];
    const keyOf = solanaKeys(tree);
    const addressOf = (account: Account): Address => solanaAddressOfKey(keyOf(account).reveal());
    return [
      {
        family: 'solana',
        rail: solanaRail(keyOf),
        publicKeys: async () => ({ hot: addressOf('hot') }),
        wallet: {
          // Nobody can derive them without the keys, and everybody may know them.
          depositAddresses: async (first, count) =>
            Array.from({ length: count }, (_, offset) => addressOf({ deposit: first + offset })),
        },
      },
    ];
  },
};

/** The hot account pays the fee of every transfer, so that deposit accounts can be emptied without any coins of their own. */
export function solanaRail(keyOf: KeyOf): TransferRail {
  const addressOf = (account: Account): Address => solanaAddressOfKey(keyOf(account).reveal());
  const hot = addressOf('hot');
  return {
    chains: [SOLANA_ID],
    hasNonces: false,
    nativeAsset: () => SOL_ASSET_ID,
    canonical: parseSolanaAddress,
    addressOf: (account) => (account === 'hot' ? hot : addressOf(account)),
    objection,
    // Nothing replaces bytes that may still take effect: both would be paid.
    outbids: () => false,
    isOver: (_, signedAt, now) => now > later(signedAt, BLOCKHASH_LIFE_MS),
    async sign(request) {
      const { intent, chainId, from } = request;
      const privateKeys = [keyOf('hot').reveal(), keyOf(from).reveal()];
      const unsigned = solanaUnsigned(request, addressOf(from), hot);
      const { raw, txHash, signers } = signSolana(unsigned, privateKeys);
      const told = solanaFee(request.fee);
      // A caller who names a lower rent is not believed: the chain takes its own.
      const isTooLow = unsigned.opensFor !== undefined && told.accountRent < TOKEN_ACCOUNT_RENT;
      const fee = isTooLow ? { ...told, accountRent: TOKEN_ACCOUNT_RENT } : told;
      const consumes = solanaTokens(chainId, intent, txHash, fee.lastValidBlockHeight);
      return { intent, chainId, txHash, raw, consumes, cost: solanaCost(signers, fee) };
    },
    async tell({ raw, txHash }, request) {
      const { payer, from, asset, atoms, account, ...told } = decodeSolana(raw);
      assert(payer === hot && told.txHash === txHash, `${txHash} is not what its bytes say`);
      return { chainId: SOLANA_ID, from, asset, atoms, to: walletOf(account, request), nonce: undefined };
    },
    giveBack: async () => {},
  };
}

/** Bytes name the token account that receives; it is the wallet's if it is the one that follows from it. */
function walletOf(account: Address, { asset, to }: TransferRequest): Address {
  const mint = mintOf(asset);
  return mint && account === tokenAccountOf(to, mint) ? to : account;
}

/** Amounts and prices are words of 64 bits. */
const WORD = 2n ** 64n;
/** More than any transaction may use. */
const MAX_UNITS = 1_400_000n;

function objection({ asset, atoms, fee }: TransferRequest): string | undefined {
  if (!isSolanaAsset(asset)) return `token ${asset}`;
  if (atoms >= WORD) return `${atoms} atoms`;
  if (parseSolanaAccount(fee.blockhash ?? '') === undefined) return 'fee needs blockhash';
  const parts = FEE_PARTS.map((part) => parseAtoms(fee[part]));
  if (parts.some((part) => part === undefined || part >= WORD)) return `fee needs ${FEE_PARTS.join(', ')}`;
  return (parts[0] ?? WORD) <= MAX_UNITS ? undefined : 'a fee that no node takes';
}

const FEE_PARTS = ['unitLimit', 'unitPrice', 'accountRent', 'lastValidBlockHeight'] as const;

/** Nobody knows a blockhash before its block, and 150 blocks later it is no good: that is one to two minutes. */
const BLOCKHASH_LIFE_MS = 5 * 60_000;
