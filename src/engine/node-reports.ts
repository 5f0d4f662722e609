import { type Instant, later } from '../kernel/clock.ts';
import type { ChainId } from '../kernel/ids.ts';
import type { Span } from '../kernel/span.ts';
import { onChain } from '../life/case/case.ts';
import type { RoundReports } from './reported-round.ts';

/** A case while there are blocks of a chain that were read without their states. */
export function unlookedReports(chain: ChainId, { cases }: Pick<RoundReports, 'cases'>) {
  // A process that begins does not know what the one before it told.
  let told: string | undefined;

  return async (unlooked: readonly Span[]): Promise<void> => {
    const [from, to] = [unlooked[0], unlooked.at(-1)];
    const now = from && to ? `${from.after} ${to.to}` : '';
    if (now === told) return;
    if (from && to)
      await cases.raise('treasury', { case: 'states_missing', chain, first: from.after + 1, last: to.to });
    else await cases.over('treasury', { case: 'states_missing', subject: `${chain}` });
    told = now;
  };
}

/** A case while a chain's scanner comes to no tip, round after round: it is far behind, or its node is slower than the chain. */
export function behindReports(chain: ChainId, { cases, clock, caseAfterMs }: RoundReports) {
  let since: Instant | undefined;
  // A process that begins does not know what the one before it told.
  let isTold: boolean | undefined;

  return async (more: boolean, at: number, tip: number): Promise<void> => {
    if (!more) {
      since = undefined;
      if (isTold !== false) await cases.over('treasury', { case: 'scanner_behind', subject: `${chain}` });
      isTold = false;
      return;
    }
    since ??= clock.now();
    if (isTold || clock.now() < later(since, caseAfterMs)) return;
    await cases.raise('treasury', { case: 'scanner_behind', chain, at, tip });
    isTold = true;
  };
}

/** A disagreement that lasts is a case: one node is always a little behind the other. */
export function nodeReports(chain: ChainId, { cases, clock, caseAfterMs }: RoundReports) {
  let apart: Map<string, Instant> | undefined;

  /** What the process before this one left. */
  const known = async (): Promise<Map<string, Instant>> => {
    if (apart) return apart;
    const left = (await cases.list()).flatMap(({ about, since }) =>
      about.case === 'nodes_disagree' && about.chain === chain ? [[about.about, since] as const] : [],
    );
    apart ??= new Map(left);
    return apart;
  };

  return {
    async disagree(about: string, first: string, second: string): Promise<void> {
      const since = (await known()).get(about) ?? clock.now();
      (await known()).set(about, since);
      if (clock.now() >= later(since, caseAfterMs))
        await cases.raise('treasury', { case: 'nodes_disagree', chain, about, first, second });
    },
    async agree(about: string): Promise<void> {
      if ((await known()).delete(about))
        await cases.over('treasury', { case: 'nodes_disagree', subject: onChain(chain, about) });
    },
  };
}
