import type { Catalog } from '../../catalog/catalog.ts';
import { amount, parseUnits } from '../../kernel/amount.ts';
import { assert, present } from '../../kernel/assert.ts';
import { percent } from '../../kernel/ratio.ts';
import type { BridgeSettings } from '../../life/quote/bridge-quote.ts';
import type { Config } from '../config.ts';
import { bridgedOf } from './venue.ts';

/** The terms of every coin that this desk can bridge. */
export function bridgeSettingsOf(config: Config, catalog: Catalog): BridgeSettings {
  const { depositPercent, withdrawalPercent, minimums, withdrawalFlat: flats } = config.bridges;
  const assets = bridgedOf(config).map(({ name, native, wrapped }) => {
    const coins = (whole: string) => amount(native.id, present(parseUnits(whole, native.decimals), whole));
    const [minimum, withdrawalFlat] = [minimums, flats].map((list) => coins(present(list[name], `terms of ${name}`)));
    assert(minimum && withdrawalFlat, name);
    assert(minimum.atoms > withdrawalFlat.atoms, `the least ${name} that is bridged must be more than its fee`);
    return { name, native, wrapped: catalog.asset(wrapped), minimum, withdrawalFlat };
  });
  return { depositRate: percent(depositPercent), withdrawalRate: percent(withdrawalPercent), assets };
}
