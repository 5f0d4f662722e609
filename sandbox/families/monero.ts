import { join } from 'node:path';
import { Fault } from '../../src/kernel/fault.ts';
import type { Address } from '../../src/kernel/ids.ts';
import { Secret } from '../../src/kernel/secret.ts';
import type { KeyTree } from '../../src/signer/keys.ts';
import { moneroKeys } from '../../src/signer/rails/monero.ts';
import { MONERO_ID, SPEND_WALLET, XMR_ASSET } from '../../src/world/chains/monero/rules.ts';
import { openWallet } from '../../src/world/chains/monero/wallet-rpc.ts';
import { httpOutbound } from '../../src/world/outbound/http.ts';
import { type BoxFamily, type BoxGround, units } from '../family.ts';
import { keptIn } from '../journal.ts';
import type { Keeping } from '../keeping.ts';
import { haveMonero, startMoneroWorld } from '../nodes/monero.ts';
import { type MoneroWorld, SPEND_LOGIN, walletLogin } from '../nodes/monero-world.ts';
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
  readonly spend: string;
}

/** Of the wallet's file. */
const passwordOf = (secret: string): string => `${secret}-spend`;

export function moneroSettings({ daemonUrl, spend }: MoneroUrls, walletPassword: string) {
  return {
    monero: {
      daemonUrl,
      spendWallet: { url: spend, login: SPEND_LOGIN, password: passwordOf(walletPassword) },
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
    openSpendWallet(world, tree, walletPassword);
    return world;
  }
  return keptIn(
    { path: `${dir}.json`, resumes },
    (snapshot: MoneroSnapshot | undefined, keeping: Keeping<MoneroChange>) =>
      startMoneroSimulator({ hotAddress, keeping, ...(snapshot ? { snapshot } : {}) }),
  );
}

/**
 * Opens the desk's wallet long before the signer starts: it takes seconds, most of them for a key of TLS that nobody uses. The
 * signer finds it open, and would open it itself.
 */
function openSpendWallet({ walletUrl }: MoneroWorld, tree: KeyTree, walletPassword: string): void {
  const { address, viewKey, spendKey } = moneroKeys(tree);
  const wallet = {
    ...{ walletUrl: walletUrl('spend'), walletLogin: walletLogin('spend'), walletName: SPEND_WALLET },
    ...{ walletPassword: new Secret(passwordOf(walletPassword)), address, viewKey, spendKey, restoreHeight: 0 },
    given: async () => undefined,
  };
  openWallet(wallet, httpOutbound).catch(() => undefined);
}
