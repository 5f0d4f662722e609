/** The interface's names of the addresses at which an integrator is paid its fee (5.4). */
export const FEE_FIELDS = ['feeAddress', 'feeAddressSol', 'feeAddressBtc'] as const;
export type FeeField = (typeof FEE_FIELDS)[number];
