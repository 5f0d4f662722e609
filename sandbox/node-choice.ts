import { BOX_FAMILIES } from './families.ts';
import type { BoxFamily, NodeKind } from './family.ts';

/**
 * What runs where there is a choice, by family; the other families, the venue and the providers have one kind each. What was
 * saved by one kind cannot be read by the other.
 */
export type Nodes = Readonly<Record<string, NodeKind>>;

type WithChoice = BoxFamily & Required<Pick<BoxFamily, 'real'>>;
const CHOICES = BOX_FAMILIES.filter((family): family is WithChoice => family.real !== undefined);

export function chooseNodes(wanted: NodeKind | undefined): Nodes {
  const lacks = CHOICES.map(({ name, real }) => [name, real.missing()] as const);
  const missing = lacks.flatMap(([, lack]) => lack ?? []);
  if (wanted === 'real' && missing.length > 0) throw new Error(`--real needs ${missing.join(', ')}.`);
  return Object.fromEntries(
    lacks.map(([name, lack]) => [name, wanted !== 'simulated' && lack === undefined ? 'real' : 'simulated']),
  );
}

/** Some real nodes forget their chain when they stop; everything else goes on where it was. */
export const canResume = (nodes: Nodes): boolean =>
  !CHOICES.some(({ name, real }) => real.forgets && nodes[name] === 'real');
