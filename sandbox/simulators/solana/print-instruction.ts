import { base58 } from '@scure/base';
import {
  SYSTEM_PROGRAM,
  TOKEN_ACCOUNT_PROGRAM,
  TOKEN_PROGRAM,
} from '../../../src/world/chains/solana/address-codec.ts';
import type { Instruction } from '../../../src/world/chains/solana/message-codec.ts';
import { printTokens } from './token-amount.ts';

/** Instructions in the words of `jsonParsed`: https://solana.com/docs/rpc/json-structures */

interface Words {
  readonly program: string;
  readonly parsed: { readonly type: string; readonly info: object };
}

/** What a node has no words for it shows as it is. */
export function printInstruction(instruction: Instruction): object {
  const { program: programId, accounts, data } = instruction;
  const said = words(instruction);
  if (said) return { ...said, programId, stackHeight: 1 };
  return { accounts: accounts.map(({ address }) => address), data: base58.encode(data), programId, stackHeight: 1 };
}

function words({ program, accounts, data }: Instruction): Words | undefined {
  const bytes = Buffer.from(data);
  const [first, second, third, fourth, fifth, sixth] = accounts.map(({ address }) => address);
  if (program === SYSTEM_PROGRAM && bytes.length === 12 && bytes.readUInt32LE(0) === 2) {
    const info = { source: first, destination: second, lamports: bytes.readBigUInt64LE(4) };
    return { program: 'system', parsed: { type: 'transfer', info } };
  }
  if (program === TOKEN_PROGRAM && bytes.length === 10 && bytes[0] === 12) {
    const tokenAmount = printTokens(bytes.readBigUInt64LE(1), bytes.readUInt8(9));
    const info = { source: first, mint: second, destination: third, authority: fourth, tokenAmount };
    return { program: 'spl-token', parsed: { type: 'transferChecked', info } };
  }
  if (program === TOKEN_ACCOUNT_PROGRAM && bytes[0] === 1) {
    const parties = { source: first, account: second, wallet: third, mint: fourth };
    const info = { ...parties, systemProgram: fifth, tokenProgram: sixth };
    return { program: 'spl-associated-token-account', parsed: { type: 'createIdempotent', info } };
  }
  return undefined;
}
