import { sha256Hex } from '../kernel/secret.ts';
import type { KnownOperator } from '../operator/operators.ts';
import { SHARED_NAME } from './check-config.ts';
import type { Config } from './config.ts';

/** Those of the settings: people by name, and whoever holds the one token that has no name. */
export function operatorsOf({ operator }: Pick<Config, 'operator'>): readonly KnownOperator[] {
  const { token, people = [] } = operator;
  if (token === undefined && people.length === 0) {
    throw new Error('configuration: /operator has neither people nor a token: nobody could look at the desk');
  }
  const named = people.map(({ name, tokenHashes, readOnly = false }) => ({
    ...{ name, mayAct: !readOnly, isShared: false, tokenHashes },
  }));
  if (token === undefined) return named;
  return [{ name: SHARED_NAME, mayAct: true, isShared: true, tokenHashes: [sha256Hex(token)] }, ...named];
}
