/** Nothing comes from elsewhere, nothing is framed, nothing inline runs. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types wherry',
].join('; ');

const SAFE = {
  'content-security-policy': POLICY,
  // `no-referrer` would make our own forms say `Origin: null`.
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), microphone=(), geolocation=(), payment=(), usb=()',
  'x-content-type-options': 'nosniff',
  vary: 'Accept-Language, Cookie',
} as const;

const HSTS = 'max-age=31536000';

export interface Origin {
  readonly isSecure: boolean;
  readonly isOnion: boolean;
  /** The onion service's address of the same page, told to clearnet visitors. */
  readonly onionUrl: string | undefined;
}

export function pageHeaders({ isSecure, isOnion, onionUrl }: Origin): Readonly<Record<string, string>> {
  return {
    ...SAFE,
    ...(isSecure && !isOnion ? { 'strict-transport-security': HSTS } : {}),
    ...(onionUrl && !isOnion ? { 'onion-location': onionUrl } : {}),
  };
}
