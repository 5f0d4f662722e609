import type { Address, ChainId } from '../../kernel/ids.ts';

export type Verdict = 'clear' | 'hit';

/** PORT. Whether money from these addresses may be carried out. Throws a `Fault` where it cannot tell: unknown is not clear. */
export type Screen = (chain: ChainId, senders: readonly Address[]) => Promise<Verdict>;
