import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { sha256 } from '@noble/hashes/sha2.js';
import { createBase58check } from '@scure/base';
import { tronKeys } from '../../src/signer/rails/tron.ts';
import { TRON_ID, tronAddressOfKey, tronDepositAddresses } from '../../src/world/chains/tron/codec.ts';
import { TRX_ASSET, USDT_ASSET } from '../../src/world/chains/tron/rules.ts';
import { type BoxFamily, depositsOf, units } from '../family.ts';
import { keptIn } from '../journal.ts';
import type { Keeping } from '../keeping.ts';
import type { TronChange } from '../simulators/tron/ledger.ts';
import { startTronSimulator, type TronSnapshot } from '../simulators/tron/simulator.ts';
import { startOf } from '../start-money.ts';
import { tronWire } from './tron-wire.ts';

/** A small network: seven producers, of whom five have built on a block this far below the tip. */
const PACE = { slotMs: 1_000, solidBelowTip: 4 };
const CONFIRMATIONS = { small: 2, large: 4 } as const;

export const tron: BoxFamily = {
  name: 'tron',
  // A call of the token may burn up to a hundred and fifty.
  limits: [{ chainId: TRON_ID, assets: [TRX_ASSET, USDT_ASSET], gas: units(200, 6), cost: units(200, 6) }],
  freshAddress: () => createBase58check(sha256).encode(Uint8Array.of(0x41, ...randomBytes(20))),
  async start({ at, resumes, clock, tree }) {
    const world = await keptIn(
      { path: join(at.chains, 'tron.json'), resumes },
      (snapshot: TronSnapshot | undefined, keeping: Keeping<TronChange>) =>
        startTronSimulator({ ...PACE, now: clock.now, keeping, ...(snapshot ? { snapshot } : {}) }),
    );
    const keys = tronKeys(tree);
    const hot = tronAddressOfKey(keys.key('hot').reveal());
    const isDeposit = depositsOf(() => tronDepositAddresses(keys.xpub));
    return {
      chains: [world],
      wire: (_, isOurs) => tronWire({ hot, isOurs, isDeposit }),
      settings: async (via) => ({
        tron: { nodeUrl: await via(world.chainId, world.rpcUrl), confirmations: CONFIRMATIONS, scanFrom: 0 },
      }),
      fund: async (prices) =>
        void (await Promise.all(world.tokens.map((token) => world.fund(hot, token.token, startOf(token, prices))))),
      close: () => world.close(),
    };
  },
};
