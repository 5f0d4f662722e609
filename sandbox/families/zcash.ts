import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { sha256 } from '@noble/hashes/sha2.js';
import { createBase58check } from '@scure/base';
import { ZCASH_ID, ZEC_ASSET } from '../../src/world/chains/zcash/rules.ts';
import { type BoxFamily, units, type Via } from '../family.ts';
import { keptIn } from '../journal.ts';
import type { Keeping } from '../keeping.ts';
import {
  startZcashSimulator,
  type ZcashChange,
  type ZcashSnapshot,
  type ZcashWalletName,
} from '../simulators/zcash/simulator.ts';
import { ZCASH_WIRE } from './zcash-wire.ts';

const CONFIRMATIONS = 3;

export const zcash: BoxFamily = {
  name: 'zcash',
  limits: [{ chainId: ZCASH_ID, assets: [ZEC_ASSET], gas: '0', cost: units(1, 6) }],
  freshAddress: () => createBase58check(sha256).encode(Uint8Array.of(0x1c, 0xb8, ...randomBytes(20))),
  async start({ at, resumes }) {
    const world = await keptIn(
      { path: join(at.chains, 'zcash.json'), resumes },
      (snapshot: ZcashSnapshot | undefined, keeping: Keeping<ZcashChange>) =>
        startZcashSimulator(snapshot, undefined, keeping),
    );
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
