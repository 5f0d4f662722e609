import { pino } from 'pino';
import type { Config } from './config.ts';

/** Names under which a secret could reach a log line; whatever stands there is replaced. */
const SECRETS = [
  'passphrase',
  'password',
  'walletPassword',
  'seed',
  'token',
  'authorization',
  'sessionId',
  'key',
  'privateKey',
  'binding',
];
const PATHS = SECRETS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]).concat(
  ['x-api-key', 'x-integrator-key', 'x-session-id'].flatMap((name) => [`headers["${name}"]`, `*.headers["${name}"]`]),
);

export function openLog(role: string, level: Config['logLevel']) {
  return pino({
    level,
    base: { role },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: PATHS, censor: '[secret]' },
    serializers: { error: pino.stdSerializers.err },
  });
}

export type AppLog = ReturnType<typeof openLog>;
