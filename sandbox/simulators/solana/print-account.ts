import { base58 } from '@scure/base';
import { readTokenAccount } from '../../../src/world/chains/solana/account-codec.ts';
import { TOKEN_PROGRAM } from '../../../src/world/chains/solana/address-codec.ts';
import type { SimAccount } from './execute.ts';
import type { Ledger } from './ledger.ts';
import { decimalsOf, printTokens } from './token-amount.ts';

/** An account as nodes print it. */
export function shownAccount(ledger: Ledger, account: SimAccount, encoding: unknown): object {
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
    const tokenAmount = printTokens(token.atoms, decimalsOf(ledger.accounts, mint));
    const info = { mint, owner, tokenAmount, isNative: false, state: isFrozen ? 'frozen' : 'initialized' };
    return { program: 'spl-token', parsed: { type: 'account', info }, space: data.length };
  }
  if (encoding === undefined) return base58.encode(data);
  return encoding === 'base58' ? [base58.encode(data), 'base58'] : [Buffer.from(data).toString('base64'), 'base64'];
}
