import { randomBytes } from 'node:crypto';
import { ed25519 } from '@noble/curves/ed25519.js';
import { sha256 } from '@noble/hashes/sha2.js';
import { base58, bech32, createBase58check } from '@scure/base';
import { present } from '../../../src/kernel/assert.ts';
import { parseEvmAddress } from '../../../src/world/chains/evm/codec.ts';

const EVM = new Set([1, 10, 56, 137, 8453, 42161]);
const base58check = createBase58check(sha256);

/** New valid addresses of each family; nobody holds their keys, and what is sent there leaves the box. */
export function freshAddresses(options: { readonly bitcoinHrp?: string } = {}): (chainId: number) => string {
  const hrp = options.bitcoinHrp ?? 'bcrt';
  const makers: Readonly<Record<number, () => string>> = {
    20000000000001: () => bech32.encode(hrp, [0, ...bech32.toWords(randomBytes(20))]),
    1151111081099710: () => base58.encode(ed25519.getPublicKey(randomBytes(32))),
    728126428: () => base58check.encode(Uint8Array.of(0x41, ...randomBytes(20))),
    20000000000133: () => base58check.encode(Uint8Array.of(0x1c, 0xb8, ...randomBytes(20))),
  };
  return (chainId) => {
    if (EVM.has(chainId)) return present(parseEvmAddress(`0x${randomBytes(20).toString('hex')}`), 'an EVM address');
    return present(makers[chainId], `addresses of chain ${chainId}`)();
  };
}
