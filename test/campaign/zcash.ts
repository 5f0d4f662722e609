import { startZcashSimulator, type ZcashSnapshot } from '../../sandbox/simulators/zcash/simulator.ts';
import { type Abroad, purseOf } from './abroad.ts';
import { chance } from './random.ts';
import { Scheduler } from './scheduler.ts';
import { enter } from './seal.ts';

const START = 1_790_000_000_000;
const BLOCK_MS = 30_000;
/** As many as one seed spends: whoever reads the first blocks opens them all. */
const OUTPUTS = 10;

let made: ZcashSnapshot | undefined;

/** The first blocks of every seed's Zcash, with what the desk and customers have. Made once. */
export async function zcashStart(): Promise<ZcashSnapshot> {
  if (made) return made;
  const c = chance('zcash');
  enter({ scheduler: new Scheduler(c, START), chance: c });
  const world = await startZcashSimulator(undefined, OUTPUTS);
  made = world.snapshot();
  await world.close();
  enter(undefined);
  return made;
}

export async function openZcash(confirmations: number, settledConfirmations: number): Promise<Abroad> {
  const world = await startZcashSimulator(await zcashStart());
  const { nodeUrl, accountUuid, ledger, hotAddress: hot } = world;
  const { purse, pay, isOurs, isLost } = purseOf(world);
  const wallet = (name: 'view' | 'spend') => ({ url: world.walletUrl(name), login: world.walletLogin(name) });
  const zcash: Abroad = {
    ...{ ...world, hot, purse, pay, isOurs, isCrowded: false, blockMs: BLOCK_MS },
    settings: {
      zcash: {
        ...{ nodeUrl, accountUuid, confirmations, settledConfirmations, scanFrom: 0 },
        ...{ viewWallet: wallet('view'), spendWallet: wallet('spend') },
      },
    },
    freshDestination: async () => world.freshDestination(),
    async beat() {
      const left = [...ledger.pool].filter(([txid]) => zcash.isCrowded && isOurs(txid));
      for (const [txid] of left) ledger.pool.delete(txid);
      ledger.mine([]);
      for (const [, { raw }] of left) ledger.submit(raw);
    },
    async undo(depth, loses) {
      const undone = ledger.blocks
        .slice(-depth)
        .flatMap(({ txs }) => txs.flatMap(({ tx, txid }) => (tx.coinbase === undefined ? [txid] : [])));
      ledger.replace(depth, undone.filter(isLost[loses]));
    },
    // All that comes to its addresses is in the one account.
    held: async () => world.held(),
  };
  return zcash;
}
