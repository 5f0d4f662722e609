import { Secret } from '../src/kernel/secret.ts';

/** What engines of the stories seal deposits with. */
export const SEAL_KEY = new Secret<Uint8Array>(new Uint8Array(32).fill(5));
