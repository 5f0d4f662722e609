import type { Address } from '../../../src/kernel/ids.ts';
import { readTokenAccount } from '../../../src/world/chains/solana/account-codec.ts';
import {
  COMPUTE_BUDGET_PROGRAM,
  SYSTEM_PROGRAM,
  TOKEN_ACCOUNT_PROGRAM,
  TOKEN_PROGRAM,
  tokenAccountOf,
} from '../../../src/world/chains/solana/address-codec.ts';
import type { Instruction, Message } from '../../../src/world/chains/solana/message-codec.ts';
import { TOKEN_RENT, tokenAccountData } from '../../nodes/solana-world.ts';

export interface SimAccount {
  readonly lamports: bigint;
  readonly program: Address;
  readonly data: Uint8Array;
}

export type Accounts = Map<Address, SimAccount>;

/** As the real runtime words it in `err`. */
export type ExecutionError = string | Readonly<Record<string, unknown>>;

export const EMPTY: SimAccount = { lamports: 0n, program: SYSTEM_PROGRAM, data: new Uint8Array() };
/** What an account without data must hold for the chain to keep it. */
export const RESERVE = 890_880n;
const LAMPORTS_PER_SIGNATURE = 5_000n;
const DEFAULT_UNITS = 200_000n;
const INSUFFICIENT_FUNDS = 1;
const FROZEN = 17;

class Failed extends Error {
  readonly why: unknown;

  constructor(why: unknown) {
    super('the instruction failed');
    this.why = why;
  }
}

export function feeOf({ instructions }: Message, signatures: number): bigint {
  const budget = instructions.filter(({ program }) => program === COMPUTE_BUDGET_PROGRAM);
  const told = (kind: number, bytes: number) => {
    const data = budget.find((one) => one.data[0] === kind)?.data;
    return data
      ? BigInt(
          `0x${Buffer.from(data.slice(1, 1 + bytes))
            .reverse()
            .toString('hex')}`,
        )
      : undefined;
  };
  const priority = (told(2, 4) ?? DEFAULT_UNITS) * (told(3, 8) ?? 0n);
  return BigInt(signatures) * LAMPORTS_PER_SIGNATURE + (priority + 999_999n) / 1_000_000n;
}

/** Changes `accounts` if all instructions succeed; otherwise says why and changes nothing. */
export function execute(message: Message, accounts: Accounts): ExecutionError | null {
  const draft: Accounts = new Map(accounts);
  for (const [index, instruction] of message.instructions.entries()) {
    try {
      run(instruction, draft);
    } catch (error) {
      if (!(error instanceof Failed)) throw error;
      return { InstructionError: [index, error.why] };
    }
  }
  const poor = [...draft].find(([address, { lamports, data }]) => {
    const isChanged = lamports !== (accounts.get(address) ?? EMPTY).lamports;
    return isChanged && data.length === 0 && lamports > 0n && lamports < RESERVE;
  });
  if (poor) return { InsufficientFundsForRent: { account_index: 0 } };
  for (const [address, account] of draft) accounts.set(address, account);
  return null;
}

function run({ program, accounts: uses, data }: Instruction, accounts: Accounts): void {
  const at = (index: number): Address => {
    const used = uses[index];
    if (!used) throw new Failed('NotEnoughAccountKeys');
    return used.address;
  };
  const mustSign = (index: number): void => {
    if (!uses[index]?.signs) throw new Failed('MissingRequiredSignature');
  };
  const bytes = Buffer.from(data);
  if (program === SYSTEM_PROGRAM && bytes.readUInt32LE(0) === 2) {
    mustSign(0);
    moveCoins(accounts, at(0), at(1), bytes.readBigUInt64LE(4));
  } else if (program === TOKEN_ACCOUNT_PROGRAM && bytes[0] === 1) {
    mustSign(0);
    open(accounts, at(0), at(1), at(2), at(3));
  } else if (program === TOKEN_PROGRAM && bytes[0] === 12) {
    mustSign(3);
    moveTokens(accounts, { from: at(0), mint: at(1), to: at(2), owner: at(3) }, bytes.readBigUInt64LE(1));
  } else if (program !== COMPUTE_BUDGET_PROGRAM) {
    throw new Failed('InvalidInstructionData');
  }
}

function moveCoins(accounts: Accounts, from: Address, to: Address, amount: bigint): void {
  const source = accounts.get(from) ?? EMPTY;
  if (source.lamports < amount) throw new Failed({ Custom: INSUFFICIENT_FUNDS });
  accounts.set(from, { ...source, lamports: source.lamports - amount });
  const target = accounts.get(to) ?? EMPTY;
  accounts.set(to, { ...target, lamports: target.lamports + amount });
}

function open(accounts: Accounts, payer: Address, account: Address, wallet: Address, mint: Address): void {
  if (account !== tokenAccountOf(wallet, mint)) throw new Failed('InvalidSeeds');
  if (accounts.get(account)?.program === TOKEN_PROGRAM) return;
  const had = accounts.get(account)?.lamports ?? 0n;
  if (had < TOKEN_RENT) moveCoins(accounts, payer, account, TOKEN_RENT - had);
  const { lamports } = accounts.get(account) ?? EMPTY;
  accounts.set(account, { lamports, program: TOKEN_PROGRAM, data: tokenAccountData(mint, wallet, 0n) });
}

interface TokenMove {
  readonly from: Address;
  readonly to: Address;
  readonly mint: Address;
  readonly owner: Address;
}

function moveTokens(accounts: Accounts, { from, to, mint, owner }: TokenMove, amount: bigint): void {
  const [source, target] = [tokensOf(accounts, from), tokensOf(accounts, to)];
  if (source.token.mint !== mint || target.token.mint !== mint) throw new Failed({ Custom: 3 });
  if (source.token.owner !== owner) throw new Failed({ Custom: 4 });
  if (source.token.isFrozen || target.token.isFrozen) throw new Failed({ Custom: FROZEN });
  if (source.token.atoms < amount) throw new Failed({ Custom: INSUFFICIENT_FUNDS });
  if (from === to) return;
  const holding = (account: SimAccount, atoms: bigint): SimAccount => {
    const data = Buffer.from(account.data);
    data.writeBigUInt64LE(atoms, 64);
    return { ...account, data };
  };
  accounts.set(from, holding(source.account, source.token.atoms - amount));
  accounts.set(to, holding(target.account, target.token.atoms + amount));
}

function tokensOf(accounts: Accounts, address: Address) {
  const account = accounts.get(address);
  const token = account?.program === TOKEN_PROGRAM ? readTokenAccount(account.data) : undefined;
  if (!account || !token) throw new Failed('InvalidAccountData');
  return { account, token };
}
