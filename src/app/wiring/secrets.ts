import { FAMILIES } from '../../world/chains/index.ts';
import type { Role } from '../roles.ts';

const BY_PART = { watcher: 'engine', spender: 'signer' } as const;

/** Every setting that is a secret, by its path, and the roles that need it. What is not named here is none. */
export const SECRETS: Readonly<Record<string, readonly Role[]>> = {
  '/database': ['engine', 'api'],
  '/databaseReplica': ['api'],
  '/databaseSession': ['engine', 'api'],
  '/keys/api': ['api'],
  '/keys/engine': ['engine'],
  '/keys/hash': ['api'],
  '/keys/oldHashes': ['api'],
  '/keys/oldEngines': ['engine'],
  '/signer/passphrase': ['signer'],
  '/operator/token': ['api'],
  '/providers/oneclick/jwt': ['engine', 'api'],
  '/providers/relay/apiKey': ['engine', 'api'],
  '/providers/bridge/key': ['engine'],
  ...Object.fromEntries(
    FAMILIES.flatMap(({ secrets = {} }) =>
      Object.entries(secrets).map(([path, parts]) => [`/chains/${path}`, parts.map((part) => BY_PART[part])] as const),
    ),
  ),
};

/** The secrets that a role has no business with. */
export const notFor = (role: Role): readonly string[] =>
  Object.entries(SECRETS).flatMap(([path, roles]) => (roles.includes(role) ? [] : [path]));

/** Every secret but these. */
export const allBut = (...needed: readonly string[]): readonly string[] =>
  Object.keys(SECRETS).filter((path) => !needed.includes(path));
