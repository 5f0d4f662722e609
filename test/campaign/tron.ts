import { startTronSimulator } from '../../sandbox/simulators/tron/simulator.ts';
import type { Address } from '../../src/kernel/ids.ts';
import type { KeyTree } from '../../src/signer/keys.ts';
import { tronKeys } from '../../src/signer/rails/tron.ts';
import { tronAddressOfKey } from '../../src/world/chains/tron/codec.ts';
import { TronNode } from '../../src/world/chains/tron/node.ts';
import { TRX_ASSET, USDT_ASSET } from '../../src/world/chains/tron/rules.ts';
import { httpOutbound } from '../../src/world/outbound/http.ts';
import { type Abroad, purseOf } from './abroad.ts';
import type { Chance } from './random.ts';
import { BLOCK_MS } from './seal.ts';

/** So far below its tip nothing can be undone. */
const SOLID_BELOW_TIP = 4;
const STOCK = { [TRX_ASSET.token]: 5_000_000n * 10n ** 6n, [USDT_ASSET.token]: 1_000_000n * 10n ** 6n };

export async function openTron(tree: KeyTree, chance: Chance, now: () => number): Promise<Abroad> {
  const world = await startTronSimulator({ slotMs: 1_000, solidBelowTip: SOLID_BELOW_TIP, now });
  const { ledger, rpcUrl } = world;
  const hot = tronAddressOfKey(tronKeys(tree).key('hot').reveal());
  const scanFrom = ledger.tip.height;
  for (const [token, atoms] of Object.entries(STOCK)) await world.fund(hot, token, atoms);
  ledger.mine(SOLID_BELOW_TIP);
  const { purse, pay, isOurs, isLost } = purseOf(world);
  const node = new TronNode(rpcUrl, undefined, httpOutbound);
  const tron: Abroad = {
    ...{ ...world, hot, purse, pay, isOurs, isCrowded: false, blockMs: BLOCK_MS },
    settings: { tron: { nodeUrl: rpcUrl, confirmations: { small: 2, large: SOLID_BELOW_TIP }, scanFrom } },
    freshDestination: async () => tronAddressOfKey(chance.bytes(32)),
    async beat() {
      ledger.withheld.clear();
      if (tron.isCrowded) for (const txHash of ledger.pool.keys()) if (isOurs(txHash)) ledger.withheld.add(txHash);
      ledger.mine(1);
    },
    async undo(depth, loses) {
      const undone = ledger.blocks.slice(-depth).flatMap(({ mined }) => mined.map(({ tx }) => tx.id));
      ledger.reorg(depth, undone.filter(isLost[loses]));
    },
    refuse: (address) => world.blacklist(address, true),
    async held({ native, token }, deposits) {
      const contract = native ? undefined : (token as string as Address);
      const sums = await Promise.all([hot, ...deposits].map((one) => node.balance(one as Address, contract)));
      return sums.reduce((sum, one) => sum + one, 0n);
    },
  };
  return tron;
}
