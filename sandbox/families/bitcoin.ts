import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { bech32 } from '@scure/base';
import type { Address } from '../../src/kernel/ids.ts';
import type { KeyTree } from '../../src/signer/keys.ts';
import { bitcoinKeys } from '../../src/signer/rails/bitcoin.ts';
import { addressOfPublicKey } from '../../src/world/chains/bitcoin/address-codec.ts';
import {
  BITCOIN,
  BITCOIN_ON_LITECOIND,
  BITCOIN_REGTEST,
  type BitcoinNetwork,
} from '../../src/world/chains/bitcoin/networks.ts';
import { type BoxFamily, type BoxGround, units } from '../family.ts';
import { keptIn } from '../journal.ts';
import type { Keeping } from '../keeping.ts';
import { haveBitcoin, startBitcoinWorld } from '../nodes/bitcoin.ts';
import { BITCOIN_START, type BitcoinWorld } from '../nodes/bitcoin-world.ts';
import { type BitcoinChange, type BitcoinSnapshot, startBitcoinSimulator } from '../simulators/bitcoin/simulator.ts';
import { BITCOIN_WIRE } from './bitcoin-wire.ts';

/** Blocks of the box are never full, so no node can tell what haste costs. What the desk was given first is inventory. */
const SETTINGS = { confirmations: { small: 2, large: 3 }, blindFeeRate: '20000', scanFrom: BITCOIN_START } as const;
/** In as many outputs, so that many payouts can run at once. */
const START = { atoms: 64n * 10n ** 8n, outputs: 32 };

export const bitcoinHot = (tree: KeyTree, network: BitcoinNetwork): Address =>
  addressOfPublicKey(network, secp256k1.getPublicKey(bitcoinKeys(tree, network.coin).key('hot').reveal()));

export const bitcoin: BoxFamily = {
  name: 'bitcoin',
  real: { missing: () => (haveBitcoin() ? undefined : 'bitcoind or litecoind on the PATH') },
  limits: [{ chainId: BITCOIN.coin.asset.chainId, assets: [BITCOIN.coin.asset], gas: '0', cost: units(1, 7) }],
  freshAddress(like) {
    const hrp = like.slice(0, like.lastIndexOf('1')) || BITCOIN_REGTEST.hrp;
    return bech32.encode(hrp, [0, ...bech32.toWords(randomBytes(20))]);
  },
  async start(ground) {
    const world = await startWorld(ground);
    const { rpcLogin, rpcUrl } = world.node;
    return {
      chains: [world],
      wire: () => BITCOIN_WIRE,
      settings: async (via) => ({
        bitcoin: {
          network: world.network === BITCOIN_ON_LITECOIND ? 'litecoin-regtest' : 'regtest',
          rpcUrl: await via(world.chainId, rpcUrl),
          ...(rpcLogin ? { rpcLogin: rpcLogin.reveal() } : {}),
          ...SETTINGS,
        },
      }),
      fund: () => world.fund(bitcoinHot(ground.tree, world.network), START.atoms, START.outputs),
      close: () => world.close(),
    };
  },
};

function startWorld({ at, nodes, resumes }: BoxGround): Promise<BitcoinWorld> {
  const dir = join(at.chains, 'bitcoin');
  if (nodes === 'real') return startBitcoinWorld({ dir });
  return keptIn(
    { path: `${dir}.json`, resumes },
    (snapshot: BitcoinSnapshot | undefined, keeping: Keeping<BitcoinChange>) =>
      startBitcoinSimulator({ keeping, ...(snapshot ? { snapshot } : {}) }),
  );
}
