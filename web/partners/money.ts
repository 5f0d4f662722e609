import { tokenKey, VENUE_CHAIN, VENUE_MONEY_DECIMALS } from '../server/desk.ts';
import { money, plainName, type View } from '../server/view.ts';

interface Coin {
  readonly chainId: number;
  readonly token: string;
  readonly symbol: string;
}

/** What a fee is paid in is listed, or the money of the venue; whatever else comes is told in its smallest units. */
export function feeMoney({ book, words }: View, coin: Coin, atoms: string): string {
  const isVenue = coin.chainId === VENUE_CHAIN && coin.symbol === 'USDC';
  const decimals = isVenue ? VENUE_MONEY_DECIMALS : book.token(tokenKey(coin))?.decimals;
  return decimals === undefined
    ? words.swap.notListed(atoms, plainName(coin.symbol))
    : money(atoms, decimals, coin.symbol);
}

/** A row of an order names a coin by its symbol alone, which tells its decimals where all coins of that name share them. */
export function amountOf({ book }: View, symbol: string, atoms: string): string | undefined {
  const decimals = new Set(book.tokens.filter((token) => token.symbol === symbol).map((token) => token.decimals));
  const [only] = decimals;
  return decimals.size === 1 && only !== undefined ? money(atoms, only, symbol) : undefined;
}
