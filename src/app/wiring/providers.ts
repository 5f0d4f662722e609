import type { Clock } from '../../kernel/clock.ts';
import type { Address, ChainId } from '../../kernel/ids.ts';
import { Secret } from '../../kernel/secret.ts';
import type { Outbound } from '../../world/outbound/http.ts';
import { openBridge } from '../../world/providers/bridge/bridge.ts';
import { openOneClick } from '../../world/providers/oneclick/oneclick.ts';
import type { Provider } from '../../world/providers/provider.ts';
import { openRelay } from '../../world/providers/relay/relay.ts';
import type { Config } from '../config.ts';
import { assetsOf, rulesOf } from './chains.ts';
import { type Later, openLater } from './open-later.ts';
import { bridgedOf, venueRulesOf } from './venue.ts';

export interface Providers {
  readonly providers: readonly Provider[];
  /** Those that are not there yet are asked no more. */
  close(): void;
}

/** Every configured provider, at once; each supports nothing until its list of tokens could be read. */
export function openProviders(config: Config, outbound: Outbound, clock: Clock): Providers {
  const { oneclick, relay } = config.providers;
  const assets = assetsOf(config);
  const rules = rulesOf(config);
  const parseAddress = (chain: ChainId, text: string): Address | undefined =>
    rules.find(({ facts }) => facts.id === chain)?.parseAddress(text);
  const all: Later[] = [];
  if (oneclick) {
    const { url, jwt } = oneclick;
    const settings = { url, parseAddress, ...(jwt === undefined ? {} : { jwt: new Secret(jwt) }) };
    all.push(openLater('oneclick', () => openOneClick(settings, assets, outbound, clock)));
  }
  if (relay) {
    const { url, apiKey } = relay;
    const settings = { url, parseAddress, ...(apiKey === undefined ? {} : { apiKey: new Secret(apiKey) }) };
    all.push(openLater('relay', () => openRelay(settings, assets, outbound, clock)));
  }
  return opened(all);
}

const opened = (all: readonly Later[]): Providers => ({
  providers: all.map(({ provider }) => provider),
  close: () => {
    for (const one of all) one.close();
  },
});

/** Who exchanges the desk's own coins and their wrapped forms. No customer's order goes there: this desk is a bridge itself. */
export function openBridges(config: Config, outbound: Outbound, clock: Clock): Providers {
  const { bridge } = config.providers;
  if (!bridge) return opened([]);
  const { url, key } = bridge;
  const rules = [...rulesOf(config), venueRulesOf(config)];
  const settings = {
    url,
    ...(key === undefined ? {} : { key: new Secret(key) }),
    pairs: bridgedOf(config).map(({ name, native, wrapped, decimals }) => ({
      ...{ name, native: { asset: native.id, decimals: native.decimals }, wrapped: { asset: wrapped, decimals } },
    })),
    parseAddress: (chain: ChainId, text: string) => rules.find(({ facts }) => facts.id === chain)?.parseAddress(text),
  };
  return opened([openLater('bridge', () => openBridge(settings, outbound, clock))]);
}
