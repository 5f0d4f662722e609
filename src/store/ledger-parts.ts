/** Parts of the ledger as the database sums them up (`ledger_part`), each by asset. */
export const TREASURY = 'treasury';
export const FEES = 'fees';
export const GAS = 'gas';
export const COLD = 'cold';
/** What integrations have earned. */
export const OWED = 'owed';
export const FEE_PAYMENTS = 'fee payment';
/** What customers have, of orders that are open and of those that are done with; the latter two lie on deposit addresses. */
export const ORDERS = 'order';
export const CLAIMS = 'claim';
export const DEPOSITS = 'deposit';
export const DEPOSIT_CLAIMS = 'deposit claim';
/** Set apart for payments to customers. */
export const PAYMENTS = 'payment';
export const DEPOSIT_PAYMENTS = 'deposit payment';
export const HOUSE_PAYMENTS = 'house payment';

export const ON_DEPOSIT_ADDRESSES = [DEPOSITS, DEPOSIT_CLAIMS, DEPOSIT_PAYMENTS, 'left'];
export const SET_APART = [PAYMENTS, DEPOSIT_PAYMENTS, HOUSE_PAYMENTS, FEE_PAYMENTS];

/** These are summed up beside the ledger: open orders by phase, and by chain what deposits in blocks that are not final are worth. */
export const OPEN_ORDERS = 'open orders';
export const AT_STAKE = 'at stake';
export const OF_LEDGER = `what NOT IN ('${OPEN_ORDERS}', '${AT_STAKE}')`;

/** Of rows of `tallied`: what these parts hold together. */
export const sumOf = (...parts: readonly string[]): string =>
  `coalesce(sum(n) FILTER (WHERE what IN (${parts.map((part) => `'${part}'`).join(', ')})), 0)`;
