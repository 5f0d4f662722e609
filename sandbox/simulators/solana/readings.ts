import { base58 } from '@scure/base';
import type { Address } from '../../../src/kernel/ids.ts';
import { readTokenAccount } from '../../../src/world/chains/solana/account-codec.ts';
import { TOKEN_PROGRAM } from '../../../src/world/chains/solana/address-codec.ts';
import { decodeMessage, signersOf } from '../../../src/world/chains/solana/message-codec.ts';
import { RpcFailure } from '../rpc-server.ts';
import { EMPTY, feeOf, type SimAccount } from './execute.ts';
import type { Ledger } from './ledger.ts';
import type { Methods } from './server.ts';

type Asked = Readonly<Record<string, unknown>>;

const asked = (value: unknown): Asked => (value ?? {}) as Asked;
const SLOTS_IN_EPOCH = 432_000;
const INVALID_PARAMS = -32602;
const MINT_BYTES = 82;
const SUPPLY_AT = 36;
const DECIMALS_AT = 44;

/** What anybody's client asks a node for, to see what became of money; the adapter needs none of it. */
export function solanaReadings(ledger: Ledger, context: () => object): Methods {
  const accountAt = (address: unknown): SimAccount => ledger.accounts.get(address as Address) ?? EMPTY;
  const shown = (address: unknown, encoding: unknown): object | null => {
    const account = accountAt(address);
    return account.lamports === 0n ? null : shownAccount(ledger, account, encoding);
  };
  return {
    getHealth: () => 'ok',
    getVersion: () => ({ 'solana-core': '4.1.2', 'feature-set': 0 }),
    getTransactionCount: () => ledger.transactions.size,
    getBlocks: ([from, to, how]) =>
      ledger.slotsBetween(from as number, Math.min(Number(to ?? ledger.slot), lastSlot(ledger, how)), ledger.slot),
    getEpochInfo: ([how]) => {
      const slot = lastSlot(ledger, how);
      return {
        ...{ absoluteSlot: slot, blockHeight: ledger.height, transactionCount: ledger.transactions.size },
        ...{ epoch: Math.floor(slot / SLOTS_IN_EPOCH), slotIndex: slot % SLOTS_IN_EPOCH, slotsInEpoch: SLOTS_IN_EPOCH },
      };
    },
    isBlockhashValid: ([hash]) => ({ context: context(), value: ledger.isRecent(hash as string) }),
    getFeeForMessage([bytes]) {
      const message = decodeMessage(Uint8Array.from(Buffer.from(bytes as string, 'base64')));
      return { context: context(), value: feeOf(message, signersOf(message).length) };
    },

    getBalance: ([address]) => ({ context: context(), value: accountAt(address).lamports }),
    getAccountInfo: ([address, how]) => ({ context: context(), value: shown(address, asked(how).encoding) }),
    getMultipleAccounts: ([addresses, how]) => ({
      context: context(),
      value: (addresses as Address[]).map((address) => shown(address, asked(how).encoding ?? 'base64')),
    }),

    getTokenAccountBalance([address]) {
      const token = readTokenAccount(accountAt(address).data);
      if (!token) throw new RpcFailure(INVALID_PARAMS, 'Invalid param: could not find account');
      return { context: context(), value: tokens(token.atoms, decimalsOf(ledger, token.mint)) };
    },
    getTokenSupply([mint]) {
      const { data } = accountAt(mint);
      if (data.length !== MINT_BYTES) throw new RpcFailure(INVALID_PARAMS, 'Invalid param: not a Token mint');
      const supply = Buffer.from(data).readBigUInt64LE(SUPPLY_AT);
      return { context: context(), value: tokens(supply, decimalsOf(ledger, mint as Address)) };
    },
    getTokenAccountsByOwner([owner, which, how]) {
      const { mint, programId } = asked(which);
      const theirs = [...ledger.accounts].filter(([, { program, data }]) => {
        const token = program === TOKEN_PROGRAM ? readTokenAccount(data) : undefined;
        return token?.owner === owner && (token?.mint === mint || programId === TOKEN_PROGRAM);
      });
      const value = theirs.map(([pubkey, account]) => ({
        pubkey,
        account: shownAccount(ledger, account, asked(how).encoding),
      }));
      return { context: context(), value };
    },
  };
}

const lastSlot = (ledger: Ledger, how: unknown): number => ledger.slotAt(asked(how).commitment ?? 'finalized');

const decimalsOf = (ledger: Ledger, mint: Address): number => ledger.accounts.get(mint)?.data[DECIMALS_AT] ?? 0;

function tokens(atoms: bigint, decimals: number): object {
  const uiAmount = Number(atoms) / 10 ** decimals;
  return { amount: atoms.toString(), decimals, uiAmount, uiAmountString: `${uiAmount}` };
}

function shownAccount(ledger: Ledger, account: SimAccount, encoding: unknown): object {
  const { lamports, program: owner, data } = account;
  return {
    ...{ lamports, owner, executable: false, rentEpoch: 0, space: data.length },
    data: shownData(ledger, account, encoding),
  };
}

/** Without a word about it an account's bytes are base58, as they once were for everybody. */
function shownData(ledger: Ledger, { program, data }: SimAccount, encoding: unknown): unknown {
  const token = program === TOKEN_PROGRAM ? readTokenAccount(data) : undefined;
  if (encoding === 'jsonParsed' && token) {
    const { mint, owner, isFrozen } = token;
    const tokenAmount = tokens(token.atoms, decimalsOf(ledger, mint));
    const info = { mint, owner, tokenAmount, isNative: false, state: isFrozen ? 'frozen' : 'initialized' };
    return { program: 'spl-token', parsed: { type: 'account', info }, space: data.length };
  }
  if (encoding === undefined) return base58.encode(data);
  return encoding === 'base58' ? [base58.encode(data), 'base58'] : [Buffer.from(data).toString('base64'), 'base64'];
}
