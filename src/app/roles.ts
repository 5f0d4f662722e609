export const ROLES = ['signer', 'engine', 'api'] as const;
export type Role = (typeof ROLES)[number];
