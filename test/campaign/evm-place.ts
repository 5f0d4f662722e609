import { createHash } from 'node:crypto';
import type { Place } from '../../sandbox/place.ts';
import { present } from '../../src/kernel/assert.ts';
import { type Address, assetId, type TokenId } from '../../src/kernel/ids.ts';
import { evmContractOf, parseEvmAddress } from '../../src/world/chains/evm/codec.ts';
import { evmRules } from '../../src/world/chains/evm/rules.ts';
import type { EvmChain } from './evm-chain.ts';

const address = (digit: string): Address => present(parseEvmAddress(`0x${digit.repeat(40)}`), digit);
/** Customers pay from here, providers from there. */
export const CUSTOMER = address('c');
export const PROVIDER = address('d');

/** The address of whoever has this name. */
export const addressOf = (name: string): Address =>
  present(parseEvmAddress(`0x${createHash('sha256').update(name).digest('hex').slice(0, 40)}`), name);

const RICH = 10n ** 40n;

/** The chain as providers and customers see it. */
export function evmPlace(chain: EvmChain, who: Address = PROVIDER): Place {
  const { facts } = chain.network;
  const { parseAddress, parseToken } = evmRules(chain.network);
  const contractOf = (token: string) => evmContractOf(assetId(facts.id, token as TokenId));
  return {
    ...{ chainId: facts.id, name: facts.name, kind: 'simulated', rpcUrl: '', tokens: facts.assets },
    ...{ parseAddress, parseToken, customerAddress: who },
    wallets: async () => [who],
    async pay({ token, to, atoms, from = who }) {
      const contract = contractOf(token);
      chain.endow(from, contract, RICH);
      return { txHash: chain.pay(from as Address, to, contract, atoms).hash, from };
    },
    async received(token, to) {
      const contract = contractOf(token);
      const transfers = chain
        .movements()
        .filter(({ ok, tx }) => ok && tx.token === contract && tx.payee.toLowerCase() === to.toLowerCase())
        .map(({ tx, height }) => ({ txHash: tx.hash as string, amount: tx.atoms, height }));
      return { total: transfers.reduce((sum, { amount }) => sum + amount, 0n), transfers };
    },
  };
}
