import { LITECOIN_REGTEST } from '../src/world/chains/bitcoin/address-codec.ts';
import type { Counterparties } from './config.ts';
import type { ChainFaults, Wire } from './control/faults.ts';
import { type ProxyServer, startProxy } from './control/proxy.ts';
import { BITCOIN_WIRE, evmWire, MONERO_WIRE, solanaWire, tronWire, ZCASH_WIRE } from './control/wires.ts';
import type { Providers } from './providers.ts';
import { evmDeposits, type HotAddresses } from './seed.ts';
import { BRIDGE } from './venue.ts';
import type { Chains } from './world.ts';

const MONERO = 0;

/** By chain: how the service's questions are read on their way to it. */
export function wiresOf(
  { evm, bitcoin, solana, tron, zcash }: Chains,
  hot: HotAddresses,
  { takesDeposits }: Providers,
): ReadonlyMap<number, Wire> {
  const isDeposit = evmDeposits();
  const evmPayer = (parseAddress: (text: string) => string | undefined) => ({
    hot: hot.evm,
    isOurs(text: string) {
      const address = parseAddress(text) ?? text;
      return text === BRIDGE || takesDeposits(address) || isDeposit(address);
    },
  });
  return new Map([
    ...evm.map(({ chainId, parseAddress }) => [chainId, evmWire(evmPayer(parseAddress))] as const),
    [MONERO, MONERO_WIRE],
    [bitcoin.chainId, BITCOIN_WIRE],
    [solana.chainId, solanaWire({ hot: hot.solana, isOurs: takesDeposits })],
    [tron.chainId, tronWire({ hot: hot.tron, isOurs: takesDeposits })],
    [zcash.chainId, ZCASH_WIRE],
  ]);
}

export interface Proxies {
  readonly addresses: Omit<Counterparties, 'database' | 'providers' | 'venueUrl'>;
  close(): Promise<void>;
}

/** Puts a proxy before every server of every chain. */
export async function connect(
  chains: Chains,
  faults: ChainFaults,
  wireOf: (chainId: number) => Wire,
): Promise<Proxies> {
  const { evm, monero, bitcoin, solana, tron, zcash } = chains;
  const open: ProxyServer[] = [];
  const via = async (chainId: number, url: string): Promise<string> => {
    const proxy = await startProxy(url, (passing) => faults.judge(chainId, wireOf(chainId), passing));
    open.push(proxy);
    return proxy.url;
  };
  const close = async () => void (await Promise.all(open.map((proxy) => proxy.close())));
  const { rpcLogin } = bitcoin.node;
  const { user, password } = zcash.walletLogin;
  const addresses = {
    evm: await Promise.all(evm.map(async ({ chainId, rpcUrl }) => ({ chainId, rpcUrl: await via(chainId, rpcUrl) }))),
    monero: {
      daemonUrl: await via(MONERO, monero.daemonUrl),
      viewWalletUrl: await via(MONERO, monero.walletUrl('view')),
      spendWalletUrl: await via(MONERO, monero.walletUrl('spend')),
    },
    bitcoin: {
      network: bitcoin.network === LITECOIN_REGTEST ? ('litecoin-regtest' as const) : ('regtest' as const),
      rpcUrl: await via(bitcoin.chainId, bitcoin.node.rpcUrl),
      ...(rpcLogin ? { rpcLogin: rpcLogin.reveal() } : {}),
    },
    solana: { rpcUrl: await via(solana.chainId, solana.rpcUrl), genesisHash: solana.genesisHash },
    tron: { nodeUrl: await via(tron.chainId, tron.rpcUrl) },
    zcash: {
      nodeUrl: await via(zcash.chainId, zcash.nodeUrl),
      viewWalletUrl: await via(zcash.chainId, zcash.walletUrl('view')),
      spendWalletUrl: await via(zcash.chainId, zcash.walletUrl('spend')),
      walletLogin: `${user}:${password}`,
      accountUuid: zcash.accountUuid,
    },
  };
  return { addresses, close };
}
