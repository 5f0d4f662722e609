import { checkConfig } from '../../src/app/check-config.ts';
import type { Config } from '../../src/app/config.ts';
import { exampleDesk, settingsFromDesk } from '../../src/app/desk-file.ts';
import { partAt, withPart } from '../../src/app/pointer.ts';

const LIMITS = '/signer/limits';

/** The example that comes with the product, with other limits where the story wants them. */
export function exampleSettings(change: (limits: unknown) => unknown = (limits) => limits): Config {
  const example = withPart(JSON.parse(exampleDesk()), '/database', 'postgres://x');
  const changed = withPart(example, LIMITS, change(partAt(example, LIMITS)));
  const made = new Map([
    ...['/keys/api', '/keys/engine', '/keys/hash'].map((path, at) => [path, `a${at}`.repeat(32)] as const),
    ['/chains/monero/spendWallet/login', 'wherry:a secret of some length'] as const,
    ...['/signer/passphrase', '/chains/monero/viewWallet/password', '/chains/monero/spendWallet/password'].map(
      (path) => [path, 'a secret of some length'] as const,
    ),
  ]);
  return checkConfig(settingsFromDesk(changed, (path) => made.get(path)).whole);
}
