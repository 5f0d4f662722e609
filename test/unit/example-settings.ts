import { checkConfig } from '../../src/app/check-config.ts';
import type { Config } from '../../src/app/config.ts';
import { type DeskSettings, exampleDesk, settingsFromDesk } from '../../src/app/desk-file.ts';
import { partAt, withPart } from '../../src/app/pointer.ts';

const LIMITS = '/signer/limits';
/** Groups that a server has and this computer may not have. */
const GROUPS = ['/signer/socketGroup', '/signer/apiSocketGroup'];

/** The example that comes with the product, over this database. */
export const example = (database: unknown): unknown =>
  GROUPS.reduce(
    (desk, path) => withPart(desk, path, undefined),
    withPart(JSON.parse(exampleDesk()), '/database', database),
  );

/** The secrets that nobody chooses are the same each time. */
export function deskSettings(desk: unknown): DeskSettings {
  const made = new Map([
    ...['/keys/api', '/keys/engine', '/keys/hash'].map((path, at) => [path, `a${at}`.repeat(32)] as const),
    ['/chains/monero/spendWallet/login', 'wherry:a secret of some length'] as const,
    ...['/signer/passphrase', '/chains/monero/spendWallet/password'].map(
      (path) => [path, 'a secret of some length'] as const,
    ),
  ]);
  return settingsFromDesk(desk, (path) => made.get(path));
}

/** With other limits where the story wants them. */
export function exampleSettings(change: (limits: unknown) => unknown = (limits) => limits): Config {
  const desk = example('postgres://x');
  return checkConfig(deskSettings(withPart(desk, LIMITS, change(partAt(desk, LIMITS)))).whole);
}
