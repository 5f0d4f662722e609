import { IS_FINAL, NEXT, type Phase } from './state.ts';

/** The map of states as the documents show it: every road of `NEXT`, and where an order may end. */
export function printMap(): string {
  const phases = Object.keys(NEXT) as Phase[];
  const roads = phases.flatMap((from) => [
    ...NEXT[from].map((to) => `    ${from} --> ${to}`),
    ...(IS_FINAL[from] ? [`    ${from} --> [*]`] : []),
  ]);
  return ['```mermaid', 'stateDiagram-v2', '    [*] --> awaiting_deposit', ...roads, '```'].join('\n');
}
