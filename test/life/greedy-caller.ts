import { type Atoms, atoms } from '../../src/kernel/amount.ts';
import { present } from '../../src/kernel/assert.ts';
import { bindAmount, bindDestination } from '../../src/kernel/binding.ts';
import { type Address, type AssetId, type ChainId, chainOf, type OrderId } from '../../src/kernel/ids.ts';
import type { Ratio } from '../../src/kernel/ratio.ts';
import type { Cap, Limits } from '../../src/signer/limits.ts';
import type { TransferRequest } from '../../src/signer/request.ts';
import { WITHDRAWAL_FEE } from '../../src/world/venues/hyperliquid/codec.ts';
import * as bench from '../unit/signer-bench.ts';
import { type Ask, type HostileRoom, move, reasonOf, trade, transfer } from './hostile-room.ts';

const { ENGINE, MALLORY, USDC, VENUE } = bench;
/** What nodes would never take, and the signer does not know. */
const FREE = { gas: '21000', maxFeePerGas: '1', maxPriorityFeePerGas: '0' };
const GAS = 21_000n;
/** The smallest request is so many times smaller than the largest: less than half a cent of what the example lets out at once. */
const SMALLEST = 2n ** 22n;

const bounded = (cap: Cap): bigint => present(cap === 'unlimited' ? undefined : cap, 'a limit');

/** A price as trades write it. */
const text = ({ num, den }: Ratio): string => {
  const scaled = (num * 10n ** 18n) / den;
  return `${scaled / 10n ** 18n}.${(scaled % 10n ** 18n).toString().padStart(18, '0')}`;
};

/**
 * Holds the keys of the engine, has orders of its own that it never paid for, and asks for as much as it can have: first as much as one
 * request may be, then, whenever it is refused, for half of that, until it gets nothing more.
 */
export function greedyCaller(room: HostileRoom, limits: Limits, tokens: Readonly<Record<AssetId, number>>) {
  let number = 0;
  const next = (): number => {
    number += 1;
    return number;
  };
  const orderOf = (nr: number): OrderId =>
    `sw_${nr
      .toString(36)
      .replace(/\d/g, (digit) => 'qrstuvwxyz'[Number(digit)] ?? '')
      .padEnd(26, 'a')}` as OrderId;

  /** All that was signed of it, in what the requests are sized by. */
  async function until(most: bigint, asks: (size: bigint) => Ask): Promise<bigint> {
    let taken = 0n;
    for (let size = most; size * SMALLEST >= most; ) {
      const reply = await room.ask('engine', asks(size));
      if (reasonOf(reply) === 'signed') taken += size;
      else size /= 2n;
    }
    return taken;
  }

  const nonceOn = (chain: ChainId): number => (chain === VENUE ? 1_700_000_300_000 : 0) + next();
  const feeOn = (chain: ChainId, asset: AssetId, cost: bigint): TransferRequest['fee'] =>
    chain === VENUE
      ? { token: `X:${asset.split(':')[1]}`, decimals: `${tokens[asset]}`, opening: `${cost}` }
      : { ...FREE, maxFeePerGas: `${cost / GAS || 1n}` };
  /** An order that the thief made for so much, and nobody paid for. */
  const toThief = (asset: AssetId, size: bigint): TransferRequest => {
    const [chainId, value] = [chainOf(asset), atoms(size)];
    const owner = orderOf(next());
    const papers = { charter: bench.charter(owner, asset, MALLORY, value) };
    const what = {
      owner,
      asset,
      to: MALLORY,
      atoms: value,
      chainId,
      nonce: nonceOn(chainId),
      fee: feeOn(chainId, asset, 0n),
    };
    return bench.payout({ ...what, ...papers });
  };
  /** The same order, whose money comes back to the thief out of an account that is somebody else's. */
  const fromDeposit = (asset: AssetId, size: bigint): TransferRequest => {
    const { nonce = 0, ...paid } = toThief(asset, size);
    const owner = paid.owner as OrderId;
    return {
      ...{ ...paid, kind: 'refund', intent: bench.intent(`${owner}:refund:1`), from: { deposit: next() } },
      binding: bindDestination(bench.API, owner, 'refund', asset, MALLORY),
      nonce: chainOf(asset) === VENUE ? nonce : 0,
    };
  };
  /** Somebody's order, funded at a provider that is the thief. */
  const asDeal = (size: bigint): TransferRequest => {
    const [owner, value]: [OrderId, Atoms] = [orderOf(next()), atoms(size)];
    const [binding, most] = [
      bindDestination(ENGINE, owner, 'fund', USDC, MALLORY),
      { most: value, binding: bindAmount(ENGINE, owner, 'fund', USDC, value) },
    ];
    return bench.fund({
      intent: bench.intent(`${owner}:fund:0`),
      owner,
      to: MALLORY,
      atoms: value,
      nonce: next(),
      fee: FREE,
      binding,
      raised: most,
      charter: bench.charter(owner, USDC, bench.ALICE, value),
    });
  };
  /** To ourselves, at a price that is the thief's. */
  const burning = (chain: ChainId, asset: AssetId, to: Address, cost: bigint): TransferRequest =>
    bench.own({
      kind: 'rebalance',
      intent: bench.intent(`treasury:rebalance:${next()}`),
      chainId: chain,
      asset,
      atoms: atoms(1n),
      to,
      nonce: nonceOn(chain),
      fee: feeOn(chain, asset, cost),
    });

  async function ofEach(asks: (asset: AssetId, size: bigint) => TransferRequest) {
    const taken = new Map<AssetId, bigint>();
    for (const [id, { perTransfer, perDay }] of Object.entries(limits.assets)) {
      const asset = id as AssetId;
      if (bounded(perDay) === 0n) continue;
      taken.set(asset, await until(bounded(perTransfer), (size) => transfer(asks(asset, size))));
    }
    return taken;
  }

  return {
    /** Atoms of every asset that has a limit. */
    payouts: (): Promise<ReadonlyMap<AssetId, bigint>> => ofEach(toThief),
    refunds: (): Promise<ReadonlyMap<AssetId, bigint>> => ofEach(fromDeposit),
    deals: () => until(bounded(limits.assets[USDC]?.perTransfer ?? 'unlimited'), (size) => transfer(asDeal(size))),
    /** Coins that networks take. */
    fees: (chain: ChainId, asset: AssetId) =>
      until(bounded(limits.chains[chain]?.cost ?? 'unlimited'), (cost) =>
        transfer(burning(chain, asset, room.hot, cost)),
      ),
    /** What the venue keeps of so many withdrawals to ourselves. */
    async withdrawals(many: number): Promise<bigint> {
      let kept = 0n;
      for (let at = 0; at < many; at += 1) {
        const nonce = nonceOn(VENUE);
        const withdraw = { move: 'withdraw', atoms: atoms(100n * WITHDRAWAL_FEE), to: room.hot, nonce } as const;
        const about = {
          intent: bench.intent(`treasury:rebalance:${nonce}`),
          owner: 'treasury',
          kind: 'rebalance',
        } as const;
        if (reasonOf(await room.ask('engine', move({ ...about, move: withdraw, wire: {} }))) === 'signed')
          kept += WITHDRAWAL_FEE;
      }
      return kept;
    },
    /** Base atoms that are sold at the lowest price, and money that is spent at the highest. */
    async trades(): Promise<{ readonly sold: bigint; readonly bought: bigint }> {
      const { size, price } = limits.trades;
      const ticket = (side: 'buy' | 'sell', value: bigint) => {
        const nr = next();
        const clientId = `0x${nr.toString(16).padStart(32, 'c')}` as const;
        const limit = text(side === 'sell' ? price.least : price.most);
        return trade(bench.trade({ clientId, side, size: atoms(value), limit, nonce: 1_700_000_400_000 + nr }));
      };
      const bases = await until(bounded(size), (value) => ticket('buy', value));
      return {
        sold: await until(bounded(size), (value) => ticket('sell', value)),
        bought: (bases * price.most.num) / price.most.den,
      };
    },
  };
}
