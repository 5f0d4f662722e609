import assert from 'node:assert/strict';
import {
  startZcashSimulator,
  type ZcashSnapshot,
  type ZcashWalletName,
  type ZcashWorld,
} from '../../sandbox/simulators/zcash/simulator.ts';
import { atoms } from '../../src/kernel/amount.ts';
import { type Address, intentId, type TxHash, txHash } from '../../src/kernel/ids.ts';
import { openZcashDevice, type ZcashDevice } from '../../src/signer/rails/zcash-device.ts';
import type { TransferRequest } from '../../src/signer/request.ts';
import type { Chain, SignedFor, SignedTransfer } from '../../src/world/chains/chain.ts';
import type { ChainBench } from '../../src/world/chains/conformance.ts';
import { ZCASH_DEFAULTS, ZCASH_ID, ZEC_ASSET } from '../../src/world/chains/zcash/rules.ts';
import { openZcash } from '../../src/world/chains/zcash/zcash.ts';
import { httpOutbound, type Outbound } from '../../src/world/outbound/http.ts';
import { loginOf } from '../../src/world/outbound/login.ts';
import { elsewhereThan } from './addresses-elsewhere.ts';

export const ZEC = 100_000_000n;

export interface ZcashBench {
  readonly world: ZcashWorld;
  readonly chain: Chain;
  readonly device: ZcashDevice;
}

/** The signer's wallet and the engine's view of it, on one network; what passes the engine's door can be bent. */
export async function openZcashBench(world: ZcashWorld, outbound: Outbound = httpOutbound): Promise<ZcashBench> {
  const { accountUuid, nodeUrl } = world;
  const wallet = (name: ZcashWalletName) => ({
    ...{ accountUuid, walletUrl: world.walletUrl(name), walletLogin: loginOf(world.walletLogin(name)) },
  });
  const device = await openZcashDevice(wallet('spend'), httpOutbound);
  const config = { ...ZCASH_DEFAULTS, ...wallet('view'), nodeUrl };
  const signed = new Map<TxHash, SignedFor>();
  const spendSide = { ...device, signedFor: async (hash: TxHash) => signed.get(hash) };
  const chain = await openZcash({ ...config, address: device.address, spendSide }, outbound);
  const sign: ZcashDevice['sign'] = async (request) => {
    const answer = await device.sign(request);
    const { from, asset, atoms: value, to } = request;
    signed.set(answer.txHash, { from, asset, atoms: value, to, cost: answer.cost });
    return answer;
  };
  return { world, chain, device: { ...device, sign } };
}

export const startBench = async (snapshot?: ZcashSnapshot): Promise<ZcashBench> =>
  openZcashBench(await startZcashSimulator(snapshot));

let leg = 0;

/** By the chain's own terms; to ourselves, it shields what came transparent. */
export async function signPayment({ chain, device }: ZcashBench, to: Address, amount: bigint): Promise<SignedTransfer> {
  leg += 1;
  const transfer = { from: 'hot', asset: ZEC_ASSET.id, atoms: atoms(amount), to } as const;
  const terms = await chain.terms(transfer);
  assert.ok('fee' in terms);
  const kind = to === chain.hotAddress ? 'rebalance' : 'payout';
  const intent = intentId('treasury', kind, leg);
  return device.sign({ ...transfer, intent, kind, owner: 'treasury', chainId: ZCASH_ID, fee: terms.fee });
}

export function conformanceBench({ world, chain, device }: ZcashBench): ChainBench {
  return {
    chain,
    asset: ZEC_ASSET,
    unit: atoms(ZEC),
    hasPool: true,
    foreign: [
      ...elsewhereThan('zcash'),
      // Testnet: transparent, script, Sapling; and an address that only transparent money may pay.
      'tmEZhbWHTpdKMw5it8YDspUXSMGQyFwovpU',
      't26YoyZ1iPgiMEWL4zGUm74eVWfhyDMXzY2',
      'ztestsapling1ctuamfer5xjnnrdr3xdazenljx0mu0gutcf9u9e74tr2d3jwjnt0qllzxaplu54hgc2tyjdc2p6',
      'tex1s2rt77ggv6q989lr49rkgzmh5slsksa9khdgte',
    ],
    pay: async (to, amount) => ({
      txHash: txHash((await world.pay({ token: 'ZEC', to, atoms: amount })).txHash),
      from: undefined,
    }),
    mine: (blocks) => world.mine(blocks),
    reorg: (depth, drop = []) => world.reorg(depth, drop),
    sign: (request: TransferRequest) => device.sign(request),
    received: async (address: Address) => (await world.received('ZEC', address)).total,
    freshDestination: async () => world.freshDestination(),
    close: () => world.close(),
  };
}
