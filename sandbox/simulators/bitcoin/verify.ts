import { secp256k1 } from '@noble/curves/secp256k1.js';
import { OutScript, p2wpkh, SigHash, Transaction } from '@scure/btc-signer';
import type { TxOutput } from '../../../src/world/chains/bitcoin/tx-codec.ts';

const ANY = { allowUnknownInputs: true, allowUnknownOutputs: true, disableScriptCheck: true };

/**
 * Whether every input really unlocks what it spends. By another implementation than the one that the service signs with, so
 * that a mistake in that one cannot hide. Only P2WPKH outputs can be spent here.
 */
export function unlocksAll(raw: string, txid: string, prevouts: readonly TxOutput[]): boolean {
  const tx = Transaction.fromRaw(Buffer.from(raw, 'hex'), ANY);
  if (tx.id !== txid || tx.inputsLength !== prevouts.length) return false;
  return prevouts.every((prevout, at) => unlocks(tx, at, prevout));
}

function unlocks(tx: Transaction, at: number, { atoms, script }: TxOutput): boolean {
  const { finalScriptSig, finalScriptWitness } = tx.getInput(at);
  const [signature, publicKey, ...more] = finalScriptWitness ?? [];
  if (!signature || !publicKey || more.length > 0 || (finalScriptSig?.length ?? 0) > 0) return false;
  try {
    const payment = p2wpkh(publicKey);
    if (Buffer.from(payment.script).toString('hex') !== script) return false;
    const code = OutScript.encode({ type: 'pkh', hash: payment.hash });
    const digest = tx.preimageWitnessV0(at, code, signature.at(-1) ?? SigHash.ALL, atoms);
    return secp256k1.verify(signature.slice(0, -1), digest, publicKey, { prehash: false, format: 'der' });
  } catch {
    return false;
  }
}
