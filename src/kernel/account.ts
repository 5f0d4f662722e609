/** `hot` pays customers; a deposit account is the one that received deposits under that index. */
export type Account = 'hot' | { readonly deposit: number };

/** As lanes and claims on nonces name it. */
export const accountText = (account: Account): string => (account === 'hot' ? account : `${account.deposit}`);

/** As the books name it. */
export const accountInBooks = (account: Account): string =>
  account === 'hot' ? account : `deposit:${account.deposit}`;

export const sameAccount = (a: Account, b: Account): boolean => accountText(a) === accountText(b);
