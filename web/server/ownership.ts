import { createHash } from 'node:crypto';
import { parseOrderId, parseSessionId } from '../../src/kernel/ids.ts';
import { MEMBER_COOKIE } from '../partners/partner-desk.ts';
import { isLocalPath } from './local-path.ts';

/** The cookie of an order's page holds its session. It is sent to that page alone, so one name serves all. */
export const OWNERSHIP_COOKIE = 'wherry_proof';
const KEEP_SECONDS = 90 * 24 * 60 * 60;

export interface Ownership {
  readonly id: string;
  readonly session: string;
}

/** It goes to the page of that order and to nobody else. */
const orderCookie = (name: string, value: string, id: string, base: string, isSecure: boolean): string =>
  [
    `${name}=${value}`,
    `Path=${base}/order/${id}`,
    `Max-Age=${KEEP_SECONDS}`,
    'HttpOnly',
    'SameSite=Lax',
    ...(isSecure ? ['Secure'] : []),
  ].join('; ');

export const ownershipCookie = ({ id, session }: Ownership, base: string, isSecure: boolean): string =>
  orderCookie(OWNERSHIP_COOKIE, session, id, base, isSecure);

/** Where an order pays a bill, its page is given the address of that bill: the desk itself knows the order alone. */
export const BILL = 'wherry_bill';

export const billCookie = (bill: string, { id }: Ownership, base: string, isSecure: boolean): string =>
  orderCookie(BILL, Buffer.from(bill).toString('base64url'), id, base, isSecure);

export function readBill(cookie: string | undefined): string | undefined {
  const path = Buffer.from(cookie ?? '', 'base64url').toString();
  return path.startsWith('/pay?') && isLocalPath(path) ? path : undefined;
}

/** The session of a partner's member, for the pages of partners alone; those who were only sent here by another site are not signed in. */
export const memberCookie = (value: string, maxAge: string, base: string, isSecure: boolean): string =>
  [
    `${MEMBER_COOKIE}=${value}`,
    `Path=${base}/partners`,
    `Max-Age=${maxAge}`,
    'HttpOnly',
    'SameSite=Strict',
    ...(isSecure ? ['Secure'] : []),
  ].join('; ');

/** How people chose to see the pages; no secret. */
export const choiceCookie = (name: 'lang' | 'theme', value: string, base: string, isSecure: boolean): string =>
  [
    `${name}=${value}`,
    `Path=${base}/`,
    `Max-Age=${KEEP_SECONDS}`,
    'HttpOnly',
    'SameSite=Lax',
    ...(isSecure ? ['Secure'] : []),
  ].join('; ');

export function readCookie(header: string | undefined, name: string): string | undefined {
  const pairs = (header ?? '').split(';').map((pair) => pair.trim().split('='));
  return pairs.find(([key]) => key === name)?.[1];
}

const PREFIX = 'wherry-1';
const CODE = /wherry-1\.([a-z]+_[a-z2-7]+)\.([0-9a-fA-F-]{36})\.([0-9a-f]{8})/;

const checkOf = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 8);

/** `wherry-1.<orderId>.<sessionId>.<check>`; the check finds what was copied badly. */
export function recoveryCode({ id, session }: Ownership): string {
  const text = `${PREFIX}.${id}.${session}`;
  return `${text}.${checkOf(text)}`;
}

/** The code, wherever it stands in what was pasted. */
export function readRecoveryCode(pasted: string): Ownership | undefined {
  const found = CODE.exec(pasted.replaceAll(/\s+/g, ''));
  const id = parseOrderId(found?.[1]);
  const session = parseSessionId(found?.[2]);
  if (!found || !id || !session) return undefined;
  return checkOf(`${PREFIX}.${id}.${session}`) === found[3] ? { id, session } : undefined;
}
