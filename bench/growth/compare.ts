import { testDatabase } from '../../sandbox/nodes/postgres.ts';
import { migrate } from '../../src/store/migrate.ts';
import { fill } from './fill.ts';
import { type Figure, measuredDb } from './measured.ts';
import { askEverything } from './statements.ts';
import type { Wanted } from './templates.ts';

/** What a statement reads may grow by so much, and should grow by no more than so much, from the smallest database to the largest. */
export const BOUND = 2;
export const GOAL = 1.3;
/** Below so many pages a table is read as a whole, and one more level of an index is much: that says nothing of growth. */
const FEW = 32;

export interface Measured {
  readonly wanted: Wanted;
  readonly figures: ReadonlyMap<string, Figure>;
}

const prepare = async (url: string) => void (await migrate(url));

/** Fills a throw-away database, hands it to `beside`, and asks it everything. */
export async function measure(wanted: Wanted, beside = async (_url: string) => {}): Promise<Measured> {
  const { url, drop } = await testDatabase(prepare);
  try {
    await fill(url, wanted);
    await beside(url);
    const { db, figures } = await measuredDb(url);
    await askEverything(db, wanted.now);
    await db.close();
    return { wanted, figures };
  } finally {
    await drop();
  }
}

export interface Growth {
  readonly name: string;
  readonly buffers: readonly number[];
  readonly ms: readonly number[];
  readonly ratio: number;
  /** In the largest. */
  readonly way: readonly string[];
}

/** Of every statement, from the smallest to the largest; those that grew most come first. */
export function growthOf(all: readonly Measured[]): readonly Growth[] {
  const names = [...(all[0]?.figures.keys() ?? [])];
  return names
    .map((name) => {
      const found = all.map(({ figures }) => figures.get(name) ?? { buffers: 0, ms: 0, way: [] });
      const buffers = found.map((one) => one.buffers);
      const ratio = Math.max((buffers.at(-1) ?? 0) / Math.max(buffers[0] ?? 0, FEW), 0);
      return { name, buffers, ms: found.map((one) => one.ms), ratio, way: found.at(-1)?.way ?? [] };
    })
    .sort((a, b) => b.ratio - a.ratio);
}

export const beyond = (all: readonly Growth[]): readonly Growth[] => all.filter(({ ratio }) => ratio > BOUND);
