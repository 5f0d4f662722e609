import { BOX_FAMILIES } from './families.ts';
import type { BoxFamily, NodeKind } from './family.ts';

/**
 * What runs where there is a choice, by family; the other families, the venue and the providers have one kind each. What was
 * saved by one kind cannot be read by the other.
 */
export type Nodes = Readonly<Record<string, NodeKind>>;

type WithChoice = BoxFamily & Required<Pick<BoxFamily, 'real'>>;
const CHOICES = BOX_FAMILIES.filter((family): family is WithChoice => family.real !== undefined);

/** What `--real` would need and is not on this computer. */
export const missingNodes = (): readonly string[] => CHOICES.flatMap(({ real }) => real.missing() ?? []);

/** Whoever says nothing gets the real nodes that there are, but for those that forget: a sandbox goes on after a crash of its own. */
export function chooseNodes(wanted: NodeKind | undefined): Nodes {
  const missing = wanted === 'real' ? missingNodes() : [];
  if (missing.length > 0) throw new Error(`--real needs ${missing.join(', ')}.`);
  const kindOf = ({ real }: WithChoice): NodeKind => {
    if (wanted !== undefined) return wanted;
    return real.forgets || real.missing() !== undefined ? 'simulated' : 'real';
  };
  return Object.fromEntries(CHOICES.map((family) => [family.name, kindOf(family)]));
}

/** Some real nodes forget their chain when they stop; everything else goes on where it was. */
export const canResume = (nodes: Nodes): boolean =>
  !CHOICES.some(({ name, real }) => real.forgets && nodes[name] === 'real');
