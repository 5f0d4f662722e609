import { pbkdf2Sync } from 'node:crypto';
import { bytesToHex, privateToAddress } from '@ethereumjs/util';
import { HDKey } from '@scure/bip32';

/** The words that every node for development signs with: nobody's secret. */
const WORDS = 'test test test test test test test test test test test junk';
const ACCOUNTS = 10;

/** Keys of the accounts that the node signs for, by address. */
export function ownKeys(): ReadonlyMap<string, Uint8Array> {
  const parent = HDKey.fromMasterSeed(pbkdf2Sync(WORDS, 'mnemonic', 2048, 64, 'sha512')).derive("m/44'/60'/0'/0");
  return new Map(
    Array.from({ length: ACCOUNTS }, (_, index) => {
      const key = parent.deriveChild(index).privateKey;
      if (!key) throw new Error('a derived key');
      return [bytesToHex(privateToAddress(key)), key];
    }),
  );
}
