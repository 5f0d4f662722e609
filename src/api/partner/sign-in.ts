import { Type } from '@sinclair/typebox';
import { isoTime, later } from '../../kernel/clock.ts';
import { refuse } from '../../kernel/refusal.ts';
import { hashOfSession, newSessionToken, SESSION_MS } from '../../partners/session.ts';
import { checkSignIn, NONCE_MS, newNonce, type SignInTrouble } from '../../partners/sign-in.ts';
import type { ApiDeps } from '../deps.ts';
import { Timestamp } from '../wire-schemas.ts';
import { COOKIE, partnerEndpoint } from './partner-endpoint.ts';
import { exact, Nothing, SignedIn } from './schema.ts';

export const askNonce = partnerEndpoint({
  method: 'POST',
  path: '/partner/sign-in/nonce',
  name: 'askNonce',
  summary: 'Ask for a nonce, good for one sign-in within five minutes',
  input: {},
  output: exact({ nonce: Type.String(), expiresAt: Timestamp }),
  needs: 'nobody',
  isSignIn: true,
  async run(_, { partnerRoom: { sessions }, clock, randomBytes }) {
    const nonce = newNonce(randomBytes);
    const expiresAt = later(clock.now(), NONCE_MS);
    await sessions.addNonce(nonce, expiresAt);
    return { nonce, expiresAt: isoTime(expiresAt) };
  },
});

const SAYS: Readonly<Record<SignInTrouble, string>> = {
  bad_signature: 'The signature is not the account’s.',
  wrong_domain: 'The message was made for another site.',
  wrong_nonce: 'The nonce is old, used or not ours.',
  expired: 'The message is not valid now.',
  malformed: 'This is no message to sign in with.',
};
const refused = (reason: SignInTrouble) => refuse('sign_in_refused', SAYS[reason], { reason });

export const signIn = partnerEndpoint({
  method: 'POST',
  path: '/partner/sign-in',
  name: 'signIn',
  summary: 'Sign in with Ethereum (EIP-4361)',
  input: { body: exact({ message: Type.String({ maxLength: 4_000 }), signature: Type.String({ maxLength: 10_000 }) }) },
  output: SignedIn,
  needs: 'nobody',
  isSignIn: true,
  async run({ body, setCookie }, deps) {
    const { sessions, place, contractSignatures } = deps.partnerRoom;
    const now = deps.clock.now();
    const checked = await checkSignIn(body.message, body.signature, place, now, contractSignatures);
    if (typeof checked === 'string') return refused(checked);
    // Last, so that a mistake uses no nonce up; and once, whoever else tries at the same time.
    if (!(await sessions.spendNonce(checked.nonce, now))) return refused('wrong_nonce');
    const token = newSessionToken(deps.randomBytes);
    await sessions.open(hashOfSession(deps.hashKey, token), checked.address, now);
    setCookie(cookie(token, SESSION_MS / 1000, deps));
    return signedIn(checked.address, deps);
  },
});

export const signOut = partnerEndpoint({
  method: 'POST',
  path: '/partner/sign-out',
  name: 'signOut',
  summary: 'Sign out; the session is dead everywhere',
  input: {},
  output: Nothing,
  status: 204,
  needs: 'nobody',
  async run({ session, setCookie }, deps) {
    if (session !== undefined) await deps.partnerRoom.sessions.close(session);
    setCookie(cookie('', 0, deps));
    return {};
  },
});

export const readMe = partnerEndpoint({
  method: 'GET',
  path: '/partner/me',
  name: 'readMe',
  summary: 'Who is signed in',
  input: {},
  output: SignedIn,
  needs: 'member',
  run: ({ member }, deps) => signedIn(member, deps),
});

const signedIn = async (address: string, { partnerRoom: { book } }: ApiDeps) => ({
  address,
  integrations: [...(await book.of(address))],
});

function cookie(token: string, seconds: number, { partnerRoom: { place } }: ApiDeps): string {
  const parts = [`${COOKIE}=${token}`, 'Path=/partner', `Max-Age=${seconds}`, 'HttpOnly', 'SameSite=Strict'];
  return [...parts, ...(place.origin.startsWith('https:') ? ['Secure'] : [])].join('; ');
}
