import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { ed25519 } from '@noble/curves/ed25519.js';
import { base58 } from '@scure/base';
import { solanaKeys } from '../../src/signer/rails/solana.ts';
import { solanaAddressOfKey } from '../../src/world/chains/solana/address-codec.ts';
import { SOLANA_ID } from '../../src/world/chains/solana/codec.ts';
import { SOLANA_ASSETS } from '../../src/world/chains/solana/rules.ts';
import { type BoxFamily, type BoxGround, units } from '../family.ts';
import { keptIn } from '../journal.ts';
import { startSimulatedSolana, startSolanaWorld } from '../nodes/solana.ts';
import type { SolanaWorld } from '../nodes/solana-world.ts';
import { surfpoolMissing } from '../nodes/surfpool.ts';

import { startOf } from '../start-money.ts';
import { solanaWire } from './solana-wire.ts';

export const solana: BoxFamily = {
  name: 'solana',
  real: { missing: surfpoolMissing, forgets: true },
  // Opening a customer's token account costs two thousandths of a coin.
  limits: [{ chainId: SOLANA_ID, assets: SOLANA_ASSETS, gas: units(1, 8), cost: units(1, 8) }],
  freshAddress: () => base58.encode(ed25519.getPublicKey(randomBytes(32))),
  async start(ground) {
    const world = await startWorld(ground);
    const hot = solanaAddressOfKey(solanaKeys(ground.tree)('hot').reveal());
    return {
      chains: [world],
      wire: (_, isOurs) => solanaWire({ hot, isOurs }),
      settings: async (via) => ({
        solana: {
          rpcUrl: await via(world.chainId, world.rpcUrl),
          // What is bent on the way to the desk's own node is not bent here: the second node that a proof of death needs.
          witnessUrls: [world.rpcUrl],
          genesisHash: world.genesisHash,
          scanFrom: 0,
        },
      }),
      async fund(prices) {
        for (const token of world.tokens)
          await world.pay({ token: token.token, to: hot, atoms: startOf(token, prices) });
        await world.mine(1);
      },
      close: () => world.close(),
    };
  },
};

function startWorld({ at, nodes, resumes }: BoxGround): Promise<SolanaWorld> {
  if (nodes === 'real') return startSolanaWorld('real');
  return keptIn({ path: join(at.chains, 'solana.json'), resumes, forgets: true }, startSimulatedSolana);
}
