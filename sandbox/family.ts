import type { KeyTree } from '../src/signer/keys.ts';
import type { BoxClock } from './clock.ts';
import type { Wire } from './control/faults.ts';
import type { Places } from './files.ts';
import type { BoxChain, PlaceToken } from './place.ts';
import type { Prices } from './prices.ts';

export type NodeKind = 'real' | 'simulated';

/** What a family may use while it starts. */
export interface BoxGround {
  readonly at: Places;
  readonly resumes: boolean;
  readonly clock: BoxClock;
  /** Where there is a choice. */
  readonly nodes: NodeKind;
  /** The desk's own keys, which everybody knows here. */
  readonly tree: KeyTree;
  /** Of the desk's own wallets. */
  readonly walletPassword: string;
  /** Of so many blocks EVM nodes keep the state. */
  readonly evmStates: number;
}

/** Puts a proxy before a server of a chain, and gives the address at which the service finds it. */
export type Via = (chainId: number, url: string) => Promise<string>;

/** Whether an address takes payments of the desk that are no payouts. */
export type IsOurs = (address: string) => boolean;

export interface StartedFamily {
  readonly chains: readonly BoxChain[];
  /** How the service's questions are read on their way to a chain. */
  wire(chain: BoxChain, isOurs: IsOurs): Wire;
  /** The family's part of `chains` in the settings. */
  settings(via: Via): Promise<Readonly<Record<string, unknown>>>;
  /** The desk's first money. The service finds it where it finds all money: on the chains. */
  fund(prices: Prices): Promise<void>;
  /** What may wait until the service is up. */
  wake?(): Promise<void>;
  close(): Promise<void>;
}

/** By chain: what may leave, and what gas and a transfer may cost, in atoms of its own coin. */
export interface BoxLimits {
  readonly chainId: number;
  readonly assets: readonly (Pick<PlaceToken, 'decimals'> & { readonly id: string })[];
  readonly gas: string;
  readonly cost: string;
}

/** PORT. The sandbox's half of a family of chains; the list in `families.ts` is all that knows of it. */
export interface BoxFamily {
  readonly name: string;
  /** Where real node software can stand in for the simulator: what this machine lacks for it, or undefined. */
  readonly real?: {
    missing(): string | undefined;
    /** It keeps nothing when it stops. */
    readonly forgets?: true;
  };
  readonly limits: readonly BoxLimits[];
  /** A new valid address of the network that `like` is of; nobody holds its key, and what is sent there leaves the box. */
  freshAddress(like: string): string;
  start(ground: BoxGround): Promise<StartedFamily>;
}

export const units = (whole: number, decimals: number): string => `${whole}${'0'.repeat(decimals)}`;

/** More deposit addresses than one sandbox ever gives out. */
const DEPOSITS = 2_000;

/** Tells deposit addresses of the desk from everybody else's. Takes a moment when it is first asked. */
export function depositsOf(addresses: () => (index: number) => string): (address: string) => boolean {
  let known: ReadonlySet<string> | undefined;
  return (address) => {
    if (!known) {
      const deposit = addresses();
      known = new Set(Array.from({ length: DEPOSITS }, (_, index) => deposit(index)));
    }
    return known.has(address);
  };
}
