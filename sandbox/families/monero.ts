import { join } from 'node:path';
import { Fault } from '../../src/kernel/fault.ts';
import type { Address } from '../../src/kernel/ids.ts';
import { Secret } from '../../src/kernel/secret.ts';
import type { KeyTree } from '../../src/signer/keys.ts';
import { moneroKeys } from '../../src/signer/rails/monero.ts';
import { MONERO_ID, WALLETS, XMR_ASSET } from '../../src/world/chains/monero/rules.ts';
import { openWallet } from '../../src/world/chains/monero/wallet-rpc.ts';
import { httpOutbound } from '../../src/world/outbound/http.ts';
import { type BoxFamily, type BoxGround, units } from '../family.ts';
import { keptIn } from '../journal.ts';
import type { Keeping } from '../keeping.ts';
import { haveMonero, startMoneroWorld } from '../nodes/monero.ts';
import { loginText, type MoneroWorld, walletLogin } from '../nodes/monero-world.ts';
import { ROOT } from '../root.ts';
import { type MoneroChange, type MoneroSnapshot, startMoneroSimulator } from '../simulators/monero/simulator.ts';
import { moneroPlace } from './monero-place.ts';
import { MONERO_WIRE } from './monero-wire.ts';

const CONFIRMATIONS = { small: 10, large: 20 } as const;
const OUTPUT_POOL = 64;
/** The first blocks take long to find, and are the same in every sandbox of this computer. */
const CACHE = join(ROOT, 'node_modules/.cache/wherry');

export const moneroHot = (tree: KeyTree): Address => moneroKeys(tree).address;

export interface MoneroUrls {
  readonly daemonUrl: string;
  readonly view: string;
  readonly spend: string;
}

/** Of the wallets' files. */
const passwordsOf = (secret: string) => ({ view: `${secret}-view`, spend: `${secret}-spend` });

export function moneroSettings({ daemonUrl, view, spend }: MoneroUrls, walletPassword: string) {
  const passwords = passwordsOf(walletPassword);
  const wallet = (name: 'view' | 'spend', url: string) => ({ url, login: loginText(name), password: passwords[name] });
  return {
    monero: {
      ...{ daemonUrl, viewWallet: wallet('view', view), spendWallet: wallet('spend', spend) },
      ...{ restoreHeight: 0, confirmations: CONFIRMATIONS, outputPool: OUTPUT_POOL },
    },
  };
}

export const monero: BoxFamily = {
  name: 'monero',
  real: { missing: () => (haveMonero() ? undefined : 'monerod and monero-wallet-rpc on the PATH') },
  limits: [{ chainId: MONERO_ID, assets: [XMR_ASSET], gas: '0', cost: units(1, 12) }],
  freshAddress: () => {
    throw new Fault('permanent', 'sandbox', 'no provider takes Monero');
  },
  async start(ground) {
    const world = await startWorld(ground);
    const place = moneroPlace(world);
    return {
      chains: [place],
      wire: () => MONERO_WIRE,
      settings: async (via) =>
        moneroSettings(
          {
            daemonUrl: await via(MONERO_ID, world.daemonUrl),
            view: await via(MONERO_ID, world.walletUrl('view')),
            spend: await via(MONERO_ID, world.walletUrl('spend')),
          },
          ground.walletPassword,
        ),
      // The hot wallet got the first blocks' money.
      fund: async () => {},
      wake: () => world.wake(),
      close: () => world.close(),
    };
  },
};

async function startWorld({ at, nodes, resumes, tree, walletPassword }: BoxGround): Promise<MoneroWorld> {
  const dir = join(at.chains, 'monero');
  const hotAddress = moneroHot(tree);
  if (nodes === 'real') {
    const world = await startMoneroWorld({ dir, hotAddress, cacheDir: CACHE });
    openWallets(world, tree, walletPassword);
    return world;
  }
  return keptIn(
    { path: `${dir}.json`, resumes },
    (snapshot: MoneroSnapshot | undefined, keeping: Keeping<MoneroChange>) =>
      startMoneroSimulator({ hotAddress, keeping, ...(snapshot ? { snapshot } : {}) }),
  );
}

/**
 * Opens the desk's two wallets long before its processes start: each takes seconds, most of them for a key of TLS that
 * nobody uses. The processes find them open, and would open them themselves.
 */
function openWallets({ walletUrl }: MoneroWorld, tree: KeyTree, walletPassword: string): void {
  const { address, viewKey, spendKey } = moneroKeys(tree);
  const passwords = passwordsOf(walletPassword);
  const wallet = (name: 'view' | 'spend') => ({
    ...{ walletUrl: walletUrl(name), walletLogin: walletLogin(name), walletName: WALLETS[name] },
    ...{ walletPassword: new Secret(passwords[name]), address, viewKey, restoreHeight: 0 },
    given: async () => undefined,
  });
  for (const one of [wallet('view'), { ...wallet('spend'), spendKey }])
    openWallet(one, httpOutbound).catch(() => undefined);
}
