import { type Account, accountText } from '../../src/kernel/account.ts';
import { type Amount, atoms } from '../../src/kernel/amount.ts';
import { present } from '../../src/kernel/assert.ts';
import { Fault } from '../../src/kernel/fault.ts';
import { type AssetId, assetId, type OrderId, type TokenId } from '../../src/kernel/ids.ts';
import { depositReader } from '../../src/life/transfer/deposit-readings.ts';
import { hotReader } from '../../src/life/transfer/readings.ts';
import { openReads } from '../../src/store/reads.ts';
import type { Asset, Chain } from '../../src/world/chains/chain.ts';
import { type DepositRoom, openDepositRoom } from './deposit-room.ts';
import { ETH, USDC } from './market.ts';

export const COIN: Asset = { ...ETH, id: assetId(USDC.chainId, 'COIN' as TokenId), token: 'COIN' as TokenId };

/** The engine's comparison over a chain whose accounts hold what the story says. */
export async function openDriftRoom() {
  const room: DepositRoom = await openDepositRoom();
  const held = new Map<string, bigint>();
  const asked: string[] = [];
  const unreadable = new Set<number>();
  const keyOf = (account: Account, asset: AssetId) => `${accountText(account)} ${asset}`;
  const chain = {
    ...room.chain,
    facts: { ...room.chain.facts, assets: [USDC, COIN] },
    terms: async () => ({ nonce: 0, fee: {}, cost: atoms(1n), usual: atoms(1n) }),
    async balance(account: Account, asset: AssetId) {
      if (account !== 'hot') {
        asked.push(keyOf(account, asset));
        if (unreadable.has(account.deposit)) throw new Fault('ambiguous', 'chain', 'it answers nonsense');
      }
      return { spendable: atoms(held.get(keyOf(account, asset)) ?? 0n), locked: atoms(0n) };
    },
  } as unknown as Chain;
  const { books, cases, clock } = room;
  /** As it is in the engine; another one is another process. */
  const openReader = () =>
    depositReader({
      ...{ chain, clock, books: books.depositReadings },
      raise: (about) => cases.raise('treasury', about),
      over: (about) => cases.over('treasury', about),
      told: async () => (await cases.list()).flatMap(({ about }) => (about.case === 'drift' ? [about] : [])),
    });
  const lines = openReads(room.db, room.orders, (asset) => asset);
  return {
    ...room,
    ...{ asked, unreadable, openReader, look: openReader() },
    readHot: () => hotReader(chain, { ...books.ledger, unfinal: async () => ({ mined: 0n, pool: 0n }) })(true),
    line: async (asset: AssetId) =>
      present(
        (await lines.ledger()).find((one) => one.asset === asset),
        asset,
      ),
    /** The chain holds this on the account from now on. */
    holds: (account: Account, { asset, atoms: value }: Amount) => held.set(keyOf(account, asset), value),
    at: async (id: OrderId): Promise<Account> => ({ deposit: (await room.find(id)).depositIndex }),
    drifts: async () =>
      (await cases.list()).flatMap(({ about }) =>
        about.case === 'drift' ? [[about.deposit?.place, about.deposit?.address, about.atoms]] : [],
      ),
  };
}
