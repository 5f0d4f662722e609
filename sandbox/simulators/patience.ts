/**
 * A simulator shares its process with those who ask it. When that stands still, the next question must not meet a connection that is
 * given up in the same moment: whoever asks lets go of it long before (`src/world/outbound/http.ts`).
 */
export const PATIENT = { keepAliveTimeout: 120_000 } as const;
