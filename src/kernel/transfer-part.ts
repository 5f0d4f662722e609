/** The two transfers that a payment may consist of: coins for its fee that go ahead, and the payment itself. */
export type Part = 'gas' | 'main';
