import { haveBitcoin } from './nodes/bitcoin.ts';
import { haveMonero } from './nodes/monero.ts';
import { surfpoolMissing } from './nodes/surfpool.ts';

type Kind = 'real' | 'simulated';

/**
 * What runs where there is a choice: EVM networks are always real, Tron, Zcash, the venue and the providers always
 * simulated. What was saved by one kind cannot be read by the other.
 */
export interface Nodes {
  readonly monero: Kind;
  readonly bitcoin: Kind;
  readonly solana: Kind;
}

export function chooseNodes(wanted: Kind | undefined): Nodes {
  const missing = {
    monero: haveMonero() ? undefined : 'monerod and monero-wallet-rpc on the PATH',
    bitcoin: haveBitcoin() ? undefined : 'bitcoind or litecoind on the PATH',
    solana: surfpoolMissing(),
  };
  const lacks = Object.values(missing).filter((one) => one !== undefined);
  if (wanted === 'real' && lacks.length > 0) throw new Error(`--real needs ${lacks.join(', ')}.`);
  const kind = (lack: string | undefined): Kind =>
    wanted !== 'simulated' && lack === undefined ? 'real' : 'simulated';
  return { monero: kind(missing.monero), bitcoin: kind(missing.bitcoin), solana: kind(missing.solana) };
}

/** Surfpool forgets its chain when it stops; everything else goes on where it was. */
export const canResume = ({ solana }: Nodes): boolean => solana === 'simulated';
