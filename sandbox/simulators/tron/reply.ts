import type { Ledger } from './ledger.ts';
import type { Codes } from './machine.ts';
import type { Store } from './store.ts';

export type Params = Readonly<Record<string, unknown>>;
export type Reply = (params: Params) => unknown;
export type Replies = Readonly<Record<string, Reply>>;

export interface Parts {
  readonly store: Store;
  readonly codes: Codes;
  readonly ledger: Ledger;
}
