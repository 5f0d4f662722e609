import { base58 } from '@scure/base';
import { TOKEN_PROGRAM } from '../../../src/world/chains/solana/address-codec.ts';
import { RpcFailure } from '../rpc-server.ts';
import type { Accounts, ExecutionError } from './execute.ts';
import { printInstruction } from './print-instruction.ts';
import { decimalsOf, printTokens } from './token-amount.ts';
import type { Balances, SimTx } from './transaction.ts';
import { isWritten, messageOf, readWire, type WireTx } from './wire-message.ts';

/** Transactions as nodes print them: https://solana.com/docs/rpc/json-structures */

export interface Print {
  readonly encoding?: unknown;
  readonly maxSupportedTransactionVersion?: unknown;
}

/** What a program that is part of the node itself uses. */
const UNITS_PER_INSTRUCTION = 150;

/** `transaction`, `meta` and, for those who say that they can read it, `version`. */
export function printTx(accounts: Accounts, tx: SimTx, { encoding = 'json', ...how }: Print): object {
  const wire = readWire(tx.wire);
  const meta = {
    ...printBalances(accounts, tx),
    ...{ innerInstructions: [], logMessages: logsOf(wire, tx.err), rewards: [] },
    ...{ loadedAddresses: { readonly: [], writable: [] }, computeUnitsConsumed: unitsOf(wire) },
  };
  return { meta, transaction: printBody(tx, wire, encoding), ...versionOf(wire, how) };
}

/** Only who took part and what they held. */
export function printAccounts(accounts: Accounts, tx: SimTx, how: Print): object {
  const wire = readWire(tx.wire);
  const transaction = { signatures: signaturesOf(wire), accountKeys: keysOf(wire) };
  return { meta: printBalances(accounts, tx), transaction, ...versionOf(wire, how) };
}

export const unitsOf = ({ instructions }: WireTx): number => UNITS_PER_INSTRUCTION * instructions.length;

export function logsOf({ keys, instructions }: WireTx, err: ExecutionError | null): readonly string[] {
  const { InstructionError } = (typeof err === 'object' ? err : null) ?? {};
  const [failedAt, why] = (InstructionError ?? [instructions.length]) as readonly [number, unknown?];
  return instructions.slice(0, failedAt + 1).flatMap(({ program }, at) => {
    const name = `Program ${keys[program]}`;
    return [`${name} invoke [1]`, at < failedAt ? `${name} success` : `${name} failed: ${JSON.stringify(why)}`];
  });
}

function versionOf({ version }: WireTx, { maxSupportedTransactionVersion: most }: Print): object {
  if (most !== undefined && most !== null) return { version };
  if (version === 'legacy') return {};
  const hint = 'Please try the request again with the following configuration parameter';
  throw new RpcFailure(
    -32015,
    `Transaction version (${version}) is not supported by the requesting client. ${hint}: "maxSupportedTransactionVersion": 0`,
  );
}

function printBody({ wire: bytes }: SimTx, wire: WireTx, encoding: unknown): unknown {
  const { version, signers, readSigners, readOthers, keys, blockhash, instructions } = wire;
  if (encoding === 'base64') return [Buffer.from(bytes).toString('base64'), 'base64'];
  if (encoding === 'base58') return [base58.encode(bytes), 'base58'];
  const signatures = signaturesOf(wire);
  const tables = version === 0 ? { addressTableLookups: [] } : {};
  if (encoding === 'jsonParsed') {
    const parsed = messageOf(wire).instructions.map(printInstruction);
    const message = { accountKeys: keysOf(wire), instructions: parsed, recentBlockhash: blockhash, ...tables };
    return { signatures, message };
  }
  const header = {
    numRequiredSignatures: signers,
    numReadonlySignedAccounts: readSigners,
    numReadonlyUnsignedAccounts: readOthers,
  };
  const compiled = instructions.map(({ program, accounts, data }) => ({
    ...{ programIdIndex: program, accounts, data: base58.encode(data), stackHeight: 1 },
  }));
  const message = { accountKeys: keys, header, instructions: compiled, recentBlockhash: blockhash, ...tables };
  return { signatures, message };
}

const signaturesOf = ({ signatures }: WireTx): readonly string[] => signatures.map((one) => base58.encode(one));

const keysOf = (wire: WireTx): readonly object[] =>
  wire.keys.map((pubkey, at) => ({
    ...{ pubkey, signer: at < wire.signers, writable: isWritten(wire, at), source: 'transaction' },
  }));

function printBalances(accounts: Accounts, { err, fee, before, after }: SimTx): object {
  return {
    ...{ err, status: err === null ? { Ok: null } : { Err: err }, fee },
    ...{ preBalances: before.lamports, postBalances: after.lamports },
    ...{ preTokenBalances: tokensOf(accounts, before), postTokenBalances: tokensOf(accounts, after) },
  };
}

function tokensOf(accounts: Accounts, { tokens }: Balances): readonly object[] {
  return tokens.map(({ at, mint, owner, atoms }) => ({
    ...{ accountIndex: at, mint, owner, programId: TOKEN_PROGRAM },
    uiTokenAmount: printTokens(atoms, decimalsOf(accounts, mint)),
  }));
}
