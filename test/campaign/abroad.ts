import type { BoxChain, Place } from '../../sandbox/place.ts';
import type { Address } from '../../src/kernel/ids.ts';
import type { Asset } from '../../src/world/chains/chain.ts';
import type { OutboundCall, OutboundReply } from '../../src/world/outbound/http.ts';

/**
 * What becomes of payments in blocks that are found anew: all are there again; whoever paid has spent the same for himself; ours are
 * forgotten; or what ours had outbid is mined in their place.
 */
export type Undone = 'nothing' | 'spent' | 'ours' | 'outbid';

/** A chain that is there only where somebody trades it. Customers and providers pay out of one purse. */
export interface Abroad extends Place {
  readonly hot: Address;
  /** Its part of the desk's settings. */
  readonly settings: Readonly<Record<string, unknown>>;
  readonly blockMs: number;
  /** Providers pay from here. */
  readonly purse: Place;
  /** While blocks have no room for what the desk sends. */
  isCrowded: boolean;
  freshDestination(): Promise<Address>;
  /** The desk sent this. */
  isOurs(txHash: string): boolean;
  /** A call of the desk on its way to the node, and what it is told in the node's place, if anything. */
  pass?(call: OutboundCall): OutboundReply | undefined;
  beat(): Promise<void>;
  /** Of a chain that shows nothing that can be undone there is none. */
  undo?(depth: number, loses: Undone): Promise<void>;
  /** Tokens cannot be paid there from now on. */
  refuse?(address: Address): Promise<void>;
  /** What was paid takes another way before it is in a block. */
  outdo?(txHash: string): Promise<void>;
  /** What the desk has, with what lies at these deposit addresses. */
  held(asset: Asset, deposits: readonly string[]): Promise<bigint>;
  close(): Promise<void>;
}

/** Who paid what, where nobody but customers, providers and the desk does. */
export function purseOf(chain: BoxChain) {
  const [customers, providers] = [new Set<string>(), new Set<string>()];
  const paying = (paid: Set<string>): Pick<Place, 'pay'> => ({
    async pay(payment) {
      const sent = await chain.pay(payment);
      paid.add(sent.txHash);
      return sent;
    },
  });
  const isOurs = (txHash: string): boolean => !customers.has(txHash) && !providers.has(txHash);
  const isLost: Readonly<Record<Undone, (txHash: string) => boolean>> = {
    nothing: () => false,
    spent: (txHash) => customers.has(txHash),
    ours: isOurs,
    outbid: () => false,
  };
  return { ...paying(customers), purse: { ...chain, ...paying(providers) }, isOurs, isLost };
}
