import { sameText, sha256Hex } from '../kernel/secret.ts';

/** Somebody who may come into this room. */
export interface Operator {
  readonly name: string;
  /** Whoever may not act may look at everything. */
  readonly mayAct: boolean;
  /** Several people hold the same token, so that it does not say which of them asks. */
  readonly isShared: boolean;
}

/** An operator and the SHA-256 of every token that is theirs at present: two while an old one gives way to a new one. */
export interface KnownOperator extends Operator {
  readonly tokenHashes: readonly string[];
}

const BEARER = /^Bearer ([\x21-\x7e]{1,512})$/i;

/** Tokens are long and random, so that their plain hash tells nothing. All of them are compared, whoever it is. */
export function recognise(header: string | undefined, known: readonly KnownOperator[]): Operator | undefined {
  const hash = sha256Hex(BEARER.exec(header ?? '')?.[1] ?? '');
  const matching = known.filter(({ tokenHashes }) => tokenHashes.filter((one) => sameText(one, hash)).length > 0);
  return matching[0];
}
