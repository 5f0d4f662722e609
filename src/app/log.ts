import { type LoggerOptions, pino } from 'pino';
import type { Config } from './config.ts';

/** Names under which a secret could reach a log line; whatever stands there is replaced. */
const SECRETS = [
  'passphrase',
  'password',
  'login',
  'seed',
  'token',
  'authorization',
  'sessionId',
  'key',
  'privateKey',
  'binding',
  'charter',
];
const PATHS = SECRETS.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]).concat(
  ['x-api-key', 'x-integrator-key', 'x-session-id'].flatMap((name) => [`headers["${name}"]`, `*.headers["${name}"]`]),
);

/** A command's own output is its answer, so what it logs goes beside it. */
export function openLog(role: string, level: Config['logLevel'], to: 'output' | 'beside' = 'output') {
  const options: LoggerOptions = {
    level,
    base: { role },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: PATHS, censor: '[secret]' },
    serializers: { error: pino.stdSerializers.err },
  };
  return pino(options, pino.destination(to === 'output' ? 1 : 2));
}

export type AppLog = ReturnType<typeof openLog>;
