import type { Option } from './command.ts';

/** Of every command that reads a role's settings. */
export const CONFIG: Option = {
  takes: '<file>',
  says: 'the settings; WHERRY_CONFIG, or those of WHERRY_DIR, without it',
};

/** Of every command that writes them. */
export const DIR: Option = {
  takes: '<folder>',
  says: 'where the settings are; WHERRY_DIR, or /etc/wherry, without it',
};

/** How an operator reaches the desk. */
export const OPERATOR: Readonly<Record<string, Option>> = {
  url: {
    takes: '<url>',
    says: 'where operators are answered; WHERRY_OPERATOR_URL, or http://127.0.0.1:8081, without it',
  },
  'token-file': {
    takes: '<file>',
    says: 'holds your token; WHERRY_OPERATOR_TOKEN_FILE or WHERRY_OPERATOR_TOKEN without it',
  },
};

export const PERSON: Option = {
  takes: '<name>',
  says: 'under which acts are kept: small letters, digits, . _ -',
  isNeeded: true,
};

/** More orders than a desk makes between two backups; what it costs is so many addresses that are derived and watched. */
export const DEFAULT_MARGIN = 1_000;
