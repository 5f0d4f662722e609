import { gzipSync } from 'node:zlib';
import { bytesToHex, hexToBytes } from '@ethereumjs/util';
import { type Methods, RpcFailure } from '../rpc-server.ts';
import { ownKeys } from './accounts.ts';
import { type Call, estimate } from './calls.ts';
import type { EvmChain } from './chain.ts';
import { readChain, writeChain } from './file.ts';
import { addressOf } from './place.ts';
import { type Params, USUAL_TIP } from './read-methods.ts';
import { wordKey } from './state.ts';
import { pretendedBy, readSigned, type SentTx, signedBy } from './transaction.ts';

const START_COINS = 10_000n * 10n ** 18n;
const WORD = 64;
/** Anybody's way to put code at an address that the code itself tells: the same on every network. */
const DEPLOYER = '0x4e59b44847b379578588920ca78fbf26c0b4956c';
const DEPLOYER_CODE =
  '0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3';

interface Wanted extends Call {
  readonly nonce?: string;
  readonly gasPrice?: string;
  readonly maxFeePerGas?: string;
  readonly maxPriorityFeePerGas?: string;
  readonly accessList?: readonly unknown[];
}

/** The chain of another node as it is now, in this simulator's own words. */
export type CopyFrom = (url: string) => Promise<string>;

/** Sending, and the hand on the chain that nodes for development have; named as the node that this one stands for names them. */
export function handMethods(chain: EvmChain, isNew: boolean, copyFrom: CopyFrom): Methods<Params> {
  const keys = ownKeys();
  const pretended = new Set<string>();
  /** What is there before the first transaction. */
  const lay = () => {
    for (const account of keys.keys()) chain.putAccount(account, { balance: START_COINS });
    chain.putAccount(DEPLOYER, { code: hexToBytes(DEPLOYER_CODE) });
  };
  if (isNew) lay();

  async function made(wanted: Wanted): Promise<SentTx> {
    const from = addressOf(wanted.from);
    const key = keys.get(from);
    if (!key && !pretended.has(from)) throw new RpcFailure(-32602, 'No Signer available');
    const tip = BigInt(wanted.maxPriorityFeePerGas ?? USUAL_TIP);
    const fees =
      wanted.gasPrice === undefined
        ? { type: 2, maxPriorityFeePerGas: tip, maxFeePerGas: BigInt(wanted.maxFeePerGas ?? chain.baseFeeNext() + tip) }
        : { type: 0, gasPrice: BigInt(wanted.gasPrice) };
    const fields = {
      ...{
        ...fees,
        chainId: chain.chainId,
        value: BigInt(wanted.value ?? 0),
        data: wanted.data ?? wanted.input ?? '0x',
      },
      ...(wanted.to ? { to: wanted.to } : {}),
      ...(wanted.accessList && fees.type === 2 ? { accessList: wanted.accessList } : {}),
      nonce: wanted.nonce === undefined ? chain.pendingNonceOf(from) : BigInt(wanted.nonce),
      gasLimit:
        wanted.gas === undefined
          ? await estimate(chain, wanted, { at: chain.tip, read: chain.history.now })
          : BigInt(wanted.gas),
    };
    return key ? signedBy(fields, from, key, chain.common) : pretendedBy(fields, from, chain.common);
  }

  const methods: Methods<Params> = {
    eth_accounts: () => [...keys.keys(), ...pretended],
    eth_requestAccounts: () => [...keys.keys()],
    eth_sendRawTransaction: ([raw]) => chain.send(readSigned(String(raw), chain.common)),
    eth_sendTransaction: async ([wanted]) => chain.send(await made(wanted as Wanted)),
    async anvil_mine([count]) {
      for (let left = Number(count ?? 1); left > 0; left -= 1) await chain.mine();
    },
    async evm_mine() {
      await chain.mine();
      return '0x0';
    },
    anvil_rollback: ([depth]) => chain.rollback(Number(depth ?? 1)),
    anvil_setBalance: ([account, value]) => chain.putAccount(addressOf(account), { balance: BigInt(String(value)) }),
    anvil_setNonce: ([account, value]) => chain.putAccount(addressOf(account), { nonce: BigInt(String(value)) }),
    anvil_setCode: ([account, code]) =>
      chain.putAccount(addressOf(account), { code: hexToBytes(code as `0x${string}`) }),
    anvil_setStorageAt([account, slot, value]) {
      const word = BigInt(String(value)).toString(16);
      const even = word.padStart(word.length + (word.length % 2), '0');
      const key = wordKey(addressOf(account), BigInt(String(slot)).toString(16).padStart(WORD, '0'));
      chain.history.put(key, word === '0' ? undefined : even);
      return true;
    },
    anvil_setCoinbase([account]) {
      chain.coinbase = addressOf(account);
    },
    anvil_setNextBlockBaseFeePerGas([fee]) {
      chain.nextBaseFee = BigInt(String(fee));
    },
    anvil_impersonateAccount: ([account]) => void pretended.add(addressOf(account)),
    anvil_stopImpersonatingAccount: ([account]) => void pretended.delete(addressOf(account)),
    anvil_dropTransaction: ([hash]) => (chain.pool.drop(String(hash)) ? hash : null),
    anvil_dumpState: () => bytesToHex(gzipSync(writeChain(chain))),
    async anvil_reset([how]) {
      const { forking } = (how ?? {}) as { readonly forking?: { readonly jsonRpcUrl?: string } };
      if (forking?.jsonRpcUrl) return readChain(chain, await copyFrom(forking.jsonRpcUrl));
      chain.restart();
      lay();
    },
  };
  return methods;
}
