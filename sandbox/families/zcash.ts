import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { sha256 } from '@noble/hashes/sha2.js';
import { createBase58check } from '@scure/base';
import { ZCASH_ID, ZEC_ASSET } from '../../src/world/chains/zcash/rules.ts';
import { type BoxFamily, units, type Via } from '../family.ts';
import {
  startZcashSimulator,
  type ZcashSnapshot,
  type ZcashWalletName,
  type ZcashWorld,
} from '../simulators/zcash/simulator.ts';
import { keptIn } from '../snapshots.ts';
import { ZCASH_WIRE } from './zcash-wire.ts';

const CONFIRMATIONS = 3;

export const zcash: BoxFamily = {
  name: 'zcash',
  limits: [{ chainId: ZCASH_ID, assets: [ZEC_ASSET], gas: '0', cost: units(1, 6) }],
  freshAddress: () => createBase58check(sha256).encode(Uint8Array.of(0x1c, 0xb8, ...randomBytes(20))),
  async start({ at, resumes }) {
    const file = join(at.chains, 'zcash.json');
    const world = await keptIn<ZcashSnapshot, ZcashWorld>(file, resumes, (snapshot) => startZcashSimulator(snapshot));
    const { chainId } = world;
    const wallet = async (name: ZcashWalletName, via: Via) => ({
      url: await via(chainId, world.walletUrl(name)),
      login: world.walletLogin(name),
    });
    return {
      chains: [world],
      wire: () => ZCASH_WIRE,
      settings: async (via) => ({
        zcash: {
          nodeUrl: await via(chainId, world.nodeUrl),
          viewWallet: await wallet('view', via),
          spendWallet: await wallet('spend', via),
          accountUuid: world.accountUuid,
          confirmations: CONFIRMATIONS,
          scanFrom: 0,
        },
      }),
      // Its wallet got the first blocks' money.
      fund: async () => {},
      close: () => world.close(),
    };
  },
};
