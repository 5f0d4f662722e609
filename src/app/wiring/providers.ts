import type { Clock } from '../../kernel/clock.ts';
import type { Address, ChainId } from '../../kernel/ids.ts';
import { Secret } from '../../kernel/secret.ts';
import type { Outbound } from '../../world/outbound/http.ts';
import { openOneClick } from '../../world/providers/oneclick/oneclick.ts';
import type { Provider } from '../../world/providers/provider.ts';
import { openRelay } from '../../world/providers/relay/relay.ts';
import type { Config } from '../config.ts';
import { assetsOf, rulesOf } from './chains.ts';
import { type Later, openLater } from './open-later.ts';

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
  return {
    providers: all.map(({ provider }) => provider),
    close: () => {
      for (const one of all) one.close();
    },
  };
}
