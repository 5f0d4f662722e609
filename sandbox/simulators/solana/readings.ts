import type { Address } from '../../../src/kernel/ids.ts';
import { readTokenAccount } from '../../../src/world/chains/solana/account-codec.ts';
import { TOKEN_PROGRAM } from '../../../src/world/chains/solana/address-codec.ts';
import { RpcFailure } from '../rpc-server.ts';
import { EMPTY, feeOf, type SimAccount } from './execute.ts';
import type { Ledger } from './ledger.ts';
import { shownAccount } from './print-account.ts';
import { wellFormed } from './send-methods.ts';
import type { Methods } from './server.ts';
import { decimalsOf, printTokens } from './token-amount.ts';
import { messageOf, readMessage } from './wire-message.ts';

type Asked = Readonly<Record<string, unknown>>;

const asked = (value: unknown): Asked => (value ?? {}) as Asked;
const SLOTS_IN_EPOCH = 432_000;
const INVALID_PARAMS = -32602;
const MINT_BYTES = 82;
const SUPPLY_AT = 36;

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
      const wire = wellFormed(() => readMessage(Uint8Array.from(Buffer.from(String(bytes), 'base64'))));
      return {
        context: context(),
        value: ledger.isRecent(wire.blockhash) ? feeOf(messageOf(wire), wire.signers) : null,
      };
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
      return { context: context(), value: printTokens(token.atoms, decimalsOf(ledger.accounts, token.mint)) };
    },
    getTokenSupply([mint]) {
      const { data } = accountAt(mint);
      if (data.length !== MINT_BYTES) throw new RpcFailure(INVALID_PARAMS, 'Invalid param: not a Token mint');
      const supply = Buffer.from(data).readBigUInt64LE(SUPPLY_AT);
      return { context: context(), value: printTokens(supply, decimalsOf(ledger.accounts, mint as Address)) };
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
