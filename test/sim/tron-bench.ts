import { randomBytes } from 'node:crypto';
import { startTronSimulator, type TronWorld } from '../../sandbox/simulators/tron/simulator.ts';
import { SandboxWallet } from '../../sandbox/simulators/tron/wallet.ts';
import { type Atoms, atoms } from '../../src/kernel/amount.ts';
import { present } from '../../src/kernel/assert.ts';
import { type Address, txHash } from '../../src/kernel/ids.ts';
import { Secret } from '../../src/kernel/secret.ts';
import { openKeyTree } from '../../src/signer/keys.ts';
import { tronKeys, tronRail } from '../../src/signer/rails/tron.ts';
import type { Asset } from '../../src/world/chains/chain.ts';
import type { ChainBench } from '../../src/world/chains/conformance.ts';
import { parseTronAddress, tronAddressOfKey, tronHex } from '../../src/world/chains/tron/codec.ts';
import { TRX_ASSET } from '../../src/world/chains/tron/rules.ts';
import { stakeOf } from '../../src/world/chains/tron/stake-codec.ts';
import { openTron } from '../../src/world/chains/tron/tron.ts';
import { httpOutbound, type Outbound } from '../../src/world/outbound/http.ts';
import { elsewhereThan } from './addresses-elsewhere.ts';

export const KEYS = tronKeys(openKeyTree(new Secret(new Uint8Array(64).fill(7))));
export const RAIL = tronRail(KEYS);
export const HOT = present(RAIL.addressOf('hot'), 'the hot address');
export const UNIT = 1_000_000n;
/** A thousand TRX, for a transaction that makes many transfers. */
const FLOOD_FEE_LIMIT = 1_000_000_000;

export const freshAddress = (): Address => tronAddressOfKey(randomBytes(32));

export interface TronBench extends ChainBench {
  readonly world: TronWorld;
  /** Lets the chain's clock run on. */
  wait(ms: number): void;
}

/** Active permission for contracts 57 and 58: byte 7, bits 1 and 2. */
export const LENDING = `${'00'.repeat(7)}06${'00'.repeat(24)}`;

interface Staking {
  /** Whole TRX. */
  readonly trx?: bigint;
  readonly coins?: bigint;
  readonly operations?: string;
  readonly allows?: Address;
}

/** An account of the operator stakes coins for energy and lets the hot key lend that, as people do with wallets. */
export async function stakeOn(world: TronWorld, { trx = 20_000n, coins = 200n, operations, allows }: Staking = {}) {
  const staker = new SandboxWallet(randomBytes(32), world.ledger);
  await world.fund(staker.address, TRX_ASSET.token, (trx + coins + 101n) * UNIT);
  for (const make of [() => staker.stake(trx * UNIT), () => staker.allow(allows ?? HOT, operations ?? LENDING)]) {
    world.send(await make());
    await world.mine(1);
  }
  return { staker, stake: stakeOf({ account: staker.address, permission: 2, perLoan: 15_000 }) };
}

/** The simulator with a hot account that holds a thousand of the asset and coin for fees. */
export async function openTronBench(asset: Asset, outbound: Outbound = httpOutbound): Promise<TronBench> {
  let waited = 0;
  const world = await startTronSimulator({ now: () => Date.now() + waited });
  await world.fund(HOT, TRX_ASSET.token, 10_000n * UNIT);
  if (!asset.native) await world.fund(HOT, asset.token, 1_000n * UNIT);
  const refusedDestination = freshAddress();
  if (asset.native) world.deploy(refusedDestination, () => '');
  else await world.blacklist(refusedDestination, true);
  const { stake } = await stakeOn(world);
  const chain = await openTron({ nodeUrl: world.rpcUrl, xpub: KEYS.xpub, hotAddress: HOT, stake }, outbound);

  return {
    ...{ world, chain, asset },
    unit: atoms(UNIT),
    hasPool: false,
    // Hexadecimal spellings have no checksum.
    foreign: [
      ...elsewhereThan('tron'),
      '41a614f803b6fd780986a42c78ec9c7f77e6ded13c',
      '0xa614f803b6fd780986a42c78ec9c7f77e6ded13c',
    ],
    refusedDestination,
    wait: (ms) => {
      waited += ms;
    },
    mine: world.mine,
    reorg: (depth, drop = []) => world.reorg(depth, drop),
    sign: (request) => RAIL.sign(request),
    received: async (address) => (await world.received(asset.token, address)).total,
    freshDestination: async () => freshAddress(),

    async pay(to: Address, amount: Atoms) {
      const sent = await world.pay({ token: asset.token, to, atoms: amount });
      return { txHash: txHash(sent.txHash), from: sent.from as Address };
    },

    async flood(to: Address, each: Atoms, times: number) {
      const contract = freshAddress();
      const token = tronHex(present(parseTronAddress(asset.token), 'a token'));
      world.deploy(contract, ({ self, data }, run) => {
        for (let n = 0; n < times; n += 1) run.call({ caller: self, self: token, data });
        return '';
      });
      await world.fund(contract, asset.token, each * BigInt(times));
      const words = [
        { type: 'address', value: to },
        { type: 'uint256', value: each.toString() },
      ];
      return txHash(
        world.send(await world.customer.call(contract, 'transfer(address,uint256)', words, FLOOD_FEE_LIMIT)),
      );
    },

    close: () => world.close(),
  };
}
