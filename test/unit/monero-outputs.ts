import { ed25519 } from '@noble/curves/ed25519.js';
import { numberToBytesLE } from '@noble/curves/utils.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { present } from '../../src/kernel/assert.ts';
import type { Address } from '../../src/kernel/ids.ts';
import { decodeAddress, keccak, publicKey, scalarHex } from '../../src/world/chains/monero/codec.ts';
import type { FoundTx } from '../../src/world/chains/monero/daemon.ts';
import {
  commit,
  commitmentMask,
  maskAmount,
  oneTimeKey,
  outputScalar,
  sharedSecret,
  viewTag,
} from '../../src/world/chains/monero/output-codec.ts';
import type { MoneroTx, TxOutput } from '../../src/world/chains/monero/tx-codec.ts';

/** What a sender may write into a transaction. */
export interface Written {
  readonly to: readonly Address[];
  readonly atoms: bigint;
  /** Each output has a transaction key of its own. */
  readonly isAdditional?: boolean;
  readonly isTagged?: boolean;
  /** A miner's pay, in clear. */
  readonly isCoinbase?: boolean;
  /** What the recipient's spend key is replaced by. */
  readonly spend?: Uint8Array;
}

/** As the wallet of a sender makes it, without the proofs, which nobody looks at here. */
export function written({ to, atoms, isAdditional, isTagged = true, isCoinbase = false, spend }: Written): FoundTx {
  const payees = to.map((address) => present(decodeAddress(address), address));
  const main = 1_000_003n;
  const secrets = payees.map((_, index) => (isAdditional ? main + BigInt(index) + 1n : main));
  const keyFor = (index: number): Uint8Array => {
    const payee = present(payees[index], 'a payee');
    const secret = present(secrets[index], 'a secret');
    return payee.kind === 'subaddress'
      ? ed25519.Point.fromBytes(payee.spend).multiply(secret).toBytes()
      : publicKey(secret);
  };
  const outputs = payees.map((payee, index): TxOutput => {
    const shared = present(sharedSecret(scalarHex(present(secrets[index], 'a secret')), payee.view), 'a point');
    const secret = outputScalar(shared, index);
    return {
      key: oneTimeKey(secret, spend ?? payee.spend),
      viewTag: isTagged ? viewTag(shared, index) : undefined,
      clearAtoms: isCoinbase ? atoms : 0n,
      hiddenAtoms: isCoinbase ? new Uint8Array() : maskAmount(numberToBytesLE(atoms, 8), secret),
      commitment: isCoinbase ? new Uint8Array() : commit(commitmentMask(secret), atoms).toBytes(),
    };
  });
  const nothing = new Uint8Array();
  const tx: MoneroTx = {
    ...{ unlockTime: 0n, keyImages: [], rings: [], outputs, fee: 0n, coinbase: isCoinbase, isOutdated: false },
    publicKeys: [isAdditional ? publicKey(main) : keyFor(0)],
    additionalKeys: isAdditional ? payees.map((_, index) => keyFor(index)) : [],
    unreadKeys: [],
    ...{ prefixHash: nothing, ringctHash: nothing, proofs: nothing },
  };
  const hash = bytesToHex(keccak(...outputs.map(({ key }) => key)));
  return { hash, tx, height: 7, doubleSpendSeen: false };
}
