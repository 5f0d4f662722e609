import { base58 } from '@scure/base';
import type { Address } from '../../../src/kernel/ids.ts';
import { RpcFailure } from '../rpc-server.ts';
import type { ExecutionError } from './execute.ts';
import { isSigned, type Ledger } from './ledger.ts';
import { shownAccount } from './print-account.ts';
import { logsOf, unitsOf } from './print-tx.ts';
import type { Methods } from './server.ts';
import { Malformed, readWire, type WireTx } from './wire-message.ts';

interface Options {
  readonly encoding?: unknown;
  readonly skipPreflight?: boolean;
  readonly sigVerify?: boolean;
  readonly replaceRecentBlockhash?: boolean;
  readonly accounts?: { readonly addresses: readonly Address[]; readonly encoding?: unknown };
}

const INVALID_PARAMS = -32602;
const PREFLIGHT_FAILURE = -32002;
const SIGNATURE_FAILURE = -32003;
const WORDS: Readonly<Record<string, string>> = {
  SignatureFailure: 'Transaction signature verification failure',
  AlreadyProcessed: 'This transaction has already been processed',
  BlockhashNotFound: 'Blockhash not found',
  AccountNotFound: 'Attempt to debit an account but found no record of a prior credit.',
};

/** Transactions that come, to be carried out or only to be tried. */
export function sendingMethods(ledger: Ledger, context: () => object): Methods {
  return {
    sendTransaction([text, how]) {
      const { encoding, skipPreflight } = optionsOf(how);
      const bytes = bytesOf(text, encoding);
      const wire = wellFormed(() => readWire(bytes));
      const refused = ledger.refusal(wire) ?? (skipPreflight === true ? null : failure(ledger, wire));
      if (refused === null) return ledger.submit(bytes);
      throw new RpcFailure(PREFLIGHT_FAILURE, `Transaction simulation failed: ${told(refused)}`, nothingDone(refused));
    },

    simulateTransaction([text, how]) {
      const options = optionsOf(how);
      const { sigVerify = false, replaceRecentBlockhash = false } = options;
      if (sigVerify && replaceRecentBlockhash)
        throw new RpcFailure(INVALID_PARAMS, 'sigVerify may not be used with replaceRecentBlockhash');
      const wire = wellFormed(() => readWire(bytesOf(text, options.encoding)));
      if (sigVerify && !isSigned(wire))
        throw new RpcFailure(SIGNATURE_FAILURE, 'Transaction signature verification failure');
      if (!replaceRecentBlockhash && !ledger.isRecent(wire.blockhash))
        return { context: context(), value: nothingDone('BlockhashNotFound') };
      const replaced = replaceRecentBlockhash ? { replacementBlockhash: ledger.latest } : {};
      return { context: context(), value: { ...simulated(ledger, wire, options), ...replaced } };
    },
  };
}

/** Why it would come to nothing. */
const failure = (ledger: Ledger, wire: WireTx): ExecutionError | null =>
  ledger.isRecent(wire.blockhash) ? ledger.tryOut(wire).err : 'BlockhashNotFound';

const told = (refused: ExecutionError): string =>
  typeof refused === 'string' ? (WORDS[refused] ?? refused) : JSON.stringify(refused);

function simulated(ledger: Ledger, wire: WireTx, { accounts: wanted }: Options): object {
  const { err, accounts } = ledger.tryOut(wire);
  const shown = wanted?.addresses.map((address) => {
    const account = accounts.get(address);
    return account ? shownAccount(ledger, account, wanted.encoding ?? 'base64') : null;
  });
  const done = { err, logs: logsOf(wire, err), unitsConsumed: unitsOf(wire) };
  return { ...nothingDone(err), ...done, accounts: shown ?? null };
}

const nothingDone = (err: ExecutionError | null): object => ({
  ...{ err, logs: [], accounts: null, unitsConsumed: 0, returnData: null, innerInstructions: null },
});

const optionsOf = (how: unknown): Options => (how ?? {}) as Options;

/** Without a word about it they are base58, as they once were for everybody. */
function bytesOf(text: unknown, encoding: unknown): Uint8Array {
  try {
    return encoding === 'base64' ? Uint8Array.from(Buffer.from(String(text), 'base64')) : base58.decode(String(text));
  } catch (error) {
    throw new RpcFailure(INVALID_PARAMS, `invalid base58 encoding: ${(error as Error).message}`);
  }
}

export function wellFormed<T>(reading: () => T): T {
  try {
    return reading();
  } catch (error) {
    if (error instanceof Malformed) throw new RpcFailure(INVALID_PARAMS, error.message);
    throw error;
  }
}
