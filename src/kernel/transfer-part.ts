/**
 * The transfers that a payment may consist of: what goes ahead for its fee, the payment itself, and the end of a loan that went ahead.
 */
export type Part = 'gas' | 'main' | 'back';
