import { TRX_ASSET } from '../../src/world/chains/tron/rules.ts';
import { ZEC_ASSET } from '../../src/world/chains/zcash/rules.ts';
import { BTC, SOL, XMR } from './elsewhere.ts';
import type { ChainName, Plan, Trip } from './events.ts';
import { type Bug, gives, has, NEVER_BACK, withoutCosts } from './planting.ts';

const costs = (chain: string, coin: string, trips: readonly Trip[], seed: number): Bug => ({
  name: `books no network costs of ${chain}`,
  ...{ from: 'conservation counts network fees', foundBy: 'the books are the wallets', seed },
  needs: gives(trips),
  plant: () => ({ database: withoutCosts(coin) }),
});

const credits = (chain: string, trips: readonly Trip[], undoes: (plan: Plan) => boolean, seed: number): Bug => ({
  name: `never takes a credit of ${chain} back`,
  ...{ from: '9.2 a deposit that left the chain', foundBy: 'credit is on the chain', seed },
  needs: (plan) => gives(trips)(plan) && undoes(plan),
  plant: () => ({ database: NEVER_BACK }),
});

const moneroUndone = has('monero', ({ loses }: { loses: string }) => ['deposits', 'spent'].includes(loses));
const undone = (name: ChainName) =>
  has('undone', ({ chain, loses }: { chain: ChainName; loses: string }) => chain === name && loses === 'spent');

/** The same on one chain after the other, since each has its own way of telling. */
export const BUGS_OF_CHAINS: readonly Bug[] = [
  costs('Monero', XMR.id, ['usdc_xmr'], 13),
  costs('Bitcoin', BTC.id, ['usdc_btc'], 12),
  costs('Tron', TRX_ASSET.id, ['usdc_trx'], 22),
  costs('Zcash', ZEC_ASSET.id, ['usdc_zec'], 13),
  costs('Solana', SOL.id, ['usdc_sol'], 41),
  credits('Monero', ['xmr_usdc'], moneroUndone, 144),
  credits('Bitcoin', ['btc_usdc'], undone('Bitcoin'), 173),
  credits('Tron', ['trx_usdc', 'tether_usdc', 'trx_trx1'], undone('Tron'), 205),
  credits('Zcash', ['zec_usdc', 'zec_zec1'], undone('Zcash'), 132),
];
