import type { ChainFaults, Wire } from './control/faults.ts';
import { type ProxyServer, startProxy } from './control/proxy.ts';
import type { StartedFamily } from './family.ts';

export interface Proxies {
  /** `chains` of the settings, with the addresses of the proxies. */
  readonly settings: Readonly<Record<string, unknown>>;
  close(): Promise<void>;
}

/** Puts a proxy before every server of every chain. */
export async function connect(
  families: readonly StartedFamily[],
  faults: ChainFaults,
  wireOf: (chainId: number) => Wire,
): Promise<Proxies> {
  const open: ProxyServer[] = [];
  const via = async (chainId: number, url: string): Promise<string> => {
    const proxy = await startProxy(url, {
      isCalm: () => faults.isCalm(chainId),
      judge: (passing) => faults.judge(chainId, wireOf(chainId), passing),
    });
    open.push(proxy);
    return proxy.url;
  };
  const settings = await Promise.all(families.map((family) => family.settings(via)));
  return {
    settings: Object.assign({}, ...settings),
    close: async () => void (await Promise.all(open.map((proxy) => proxy.close()))),
  };
}
