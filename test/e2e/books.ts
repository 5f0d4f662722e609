/** A line of `GET /operator/ledger`. */
export interface BooksLine {
  readonly asset: string;
  readonly chain: string;
  readonly held: string;
  readonly deposits: string;
  readonly cold: string;
  readonly drift: string;
}

/** What the newest readings do not find where the books say: operators are shown only what ten of them have in common. */
export const astrayIn = (lines: readonly BooksLine[]): readonly BooksLine[] =>
  lines.filter(
    ({ chain, held, deposits, cold, drift }) =>
      drift !== '0' || BigInt(chain) !== BigInt(held) - BigInt(deposits) - BigInt(cold),
  );
