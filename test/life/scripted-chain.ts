import { type Atoms, atoms } from '../../src/kernel/amount.ts';
import { Fault } from '../../src/kernel/fault.ts';
import { type Address, type AssetId, txHash } from '../../src/kernel/ids.ts';
import type { Chain, ChainFacts, Heads, ScanCursor, ScanPage, Sighting, Tier } from '../../src/world/chains/chain.ts';

interface Block {
  readonly hash: string;
  readonly transfers: readonly Omit<Sighting, 'block'>[];
}

/** Confirmations that a deposit needs on this chain. */
export const NEEDS: Readonly<Record<Tier, number>> = { small: 2, large: 5 };
export const HOT = 'hot' as Address;

/** A chain as stories about deposits need it: blocks with transfers in them, which a story mines and takes back. */
export function scriptedChain(facts: ChainFacts) {
  const blocks: Block[] = [{ hash: 'genesis', transfers: [] }];
  /** Assets about which the node cannot be asked. */
  const unreadable = new Set<AssetId>();
  /** What waits in the pool of now. */
  const pool: Omit<Sighting, 'block'>[] = [];
  let made = 0;
  let rewoundTo: number | undefined;
  let looksAtPool = true;

  const tip = (): number => blocks.length - 1;
  const heads = (): Heads => ({ tip: tip(), safe: tip(), finalized: tip() });
  const sightingsAbove = (height: number): readonly Sighting[] =>
    blocks.flatMap(({ hash, transfers }, at) =>
      at > height ? transfers.map((one) => ({ ...one, block: { height: at, hash } })) : [],
    );

  const chain = {
    facts,
    hotAddress: HOT,
    async scan(cursor: ScanCursor | undefined): Promise<ScanPage> {
      const after = rewoundTo ?? cursor?.height ?? tip();
      const waiting = looksAtPool ? pool.map((one) => ({ ...one, block: undefined })) : [];
      const seen = { sightings: [...sightingsAbove(after), ...waiting], more: !looksAtPool };
      const page = { heads: heads(), rewoundTo, ...seen, pool: looksAtPool ? pool.map(({ key }) => key) : undefined };
      rewoundTo = undefined;
      return { ...page, cursor: { height: tip(), recent: [] } };
    },
    depositDepth: (height: number, { tip: top }: Heads, tier: Tier) => ({ have: top - height + 1, need: NEEDS[tier] }),
    async standing(asked: readonly Sighting[]) {
      const bad = asked.find(({ asset }) => unreadable.has(asset));
      if (bad) throw new Fault('ambiguous', `chain:${facts.id}`, `${bad.asset} answers nonsense`);
      return asked.flatMap(({ key, address, asset, block, atoms: claimed }) => {
        const { hash, transfers = [] } = blocks[block?.height ?? -1] ?? {};
        const there = transfers.find((one) => one.key === key && one.address === address && one.asset === asset);
        if (!there || hash !== block?.hash) return [];
        return [{ key, atoms: claimed < there.atoms ? claimed : there.atoms }];
      });
    },
  };

  return {
    chain: chain as unknown as Chain,
    unreadable,
    pool,
    tip,
    /** Whether a page looks at the pool, or has no time for it. */
    lookAtPool(does: boolean): void {
      looksAtPool = does;
    },
    /** Blocks, the first of them with these transfers. */
    mine(count: number, ...transfers: readonly Omit<Sighting, 'block'>[]): void {
      for (let n = 0; n < count; n += 1) {
        made += 1;
        blocks.push({ hash: `block ${made}`, transfers: n === 0 ? transfers : [] });
      }
    },
    /** The chain above this height is gone, with what was in it. */
    reorganise(height: number): void {
      blocks.length = height + 1;
      rewoundTo = Math.min(rewoundTo ?? height, height);
    },
  };
}

export function transfer(
  key: string,
  to: Address,
  { asset, atoms: value }: { readonly asset: AssetId; readonly atoms: bigint },
  sender = 'sender' as Address,
): Omit<Sighting, 'block'> {
  return { key, address: to, asset, atoms: atoms(value) as Atoms, txHash: txHash(`0x${key}`), sender };
}
