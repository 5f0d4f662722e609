import { type MoneroWorld, walletLogin } from '../../sandbox/nodes/monero-world.ts';
import { atoms } from '../../src/kernel/amount.ts';
import { present } from '../../src/kernel/assert.ts';
import { type Address, type TxHash, txHash } from '../../src/kernel/ids.ts';
import { Secret } from '../../src/kernel/secret.ts';
import { type MoneroDevice, openMoneroDevice } from '../../src/signer/rails/monero-device.ts';
import type { TransferRequest } from '../../src/signer/request.ts';
import type { Chain, SignedFor } from '../../src/world/chains/chain.ts';
import type { ChainBench } from '../../src/world/chains/conformance.ts';
import { moneroKeysFromSeed } from '../../src/world/chains/monero/codec.ts';
import { openMonero } from '../../src/world/chains/monero/monero.ts';
import { MONERO_DEFAULTS, XMR_ASSET } from '../../src/world/chains/monero/rules.ts';
import { httpOutbound, type Outbound } from '../../src/world/outbound/http.ts';
import { elsewhereThan } from './addresses-elsewhere.ts';

export const HOT_KEYS = moneroKeysFromSeed(new Uint8Array(32).fill(7));
export const XMR = 1_000_000_000_000n;

export interface MoneroBench {
  readonly world: MoneroWorld;
  readonly chain: Chain;
  readonly device: MoneroDevice;
  /** All that the signer has asked its wallet for. */
  readonly asked: readonly string[];
}

/** The signer's wallet and the engine's view of it, on one network. What the engine asks the daemon may be meddled with. */
export async function openMoneroBench(
  world: MoneroWorld,
  given = 0,
  meddled: (real: Outbound) => Outbound = (real) => real,
): Promise<MoneroBench> {
  const spend = {
    walletUrl: world.walletUrl('spend'),
    walletLogin: present(walletLogin('spend'), 'a login'),
    walletName: 'spend',
    walletPassword: new Secret('play money'),
    restoreHeight: 0,
  };
  const asked: string[] = [];
  const overheard: Outbound = (call) => {
    asked.push(call.label);
    return httpOutbound(call);
  };
  const opening = openMoneroDevice({ ...spend, keys: HOT_KEYS }, overheard);
  const signed = new Map<TxHash, SignedFor>();
  const spendSide = {
    balance: async () => (await opening).balance(),
    depositAddresses: async (first: number, count: number) => (await opening).depositAddresses(first, count),
    signedFor: async (hash: TxHash) => signed.get(hash),
  };
  const { address, viewKey } = HOT_KEYS;
  const config = {
    ...MONERO_DEFAULTS,
    address,
    viewKey,
    daemonUrl: world.daemonUrl,
    spendSide,
    depositCount: async () => given,
  };
  const [device, chain] = await Promise.all([opening, openMonero(config, meddled(httpOutbound))]);
  const sign: MoneroDevice['sign'] = async (request) => {
    const answer = await device.sign(request);
    const { from, asset, atoms: value, to } = request;
    signed.set(answer.txHash, { from, asset, atoms: value, to, cost: answer.cost });
    return answer;
  };
  return { world, chain, asked, device: { ...device, sign } };
}

export function conformanceBench({ world, chain, device }: MoneroBench): ChainBench {
  return {
    chain,
    asset: XMR_ASSET,
    unit: atoms(XMR),
    hasPool: true,
    foreign: [
      ...elsewhereThan('monero'),
      // Testnet and stagenet.
      '9wviCeWe2D8XS82k2ovp5EUYLzBt9pYNW2LXUFsZiv8S3Mt21FZ5qQaAroko1enzw3eGr9qC7X1D7Geoo2RrAotYPwq9Gm8',
      '53teqCAESLxeJ1REzGMAat1ZeHvuajvDiXqboEocPaDRRmqWoVPzy46GLo866qRFjbNhfkNckyhST3WEvBviDwpUDd7DSzB',
    ],
    pay: async (to, amount) => ({ txHash: txHash(await world.pay({ to, atoms: amount })), from: undefined }),
    mine: (blocks) => world.mine(blocks),
    reorg: (depth, drop: readonly TxHash[] = []) => world.reorg(depth, drop),
    sign: (request: TransferRequest) => device.sign(request),
    received: async (address: Address) => (await world.received(address)).total,
    freshDestination: () => world.freshDestination(),
    close: () => world.close(),
  };
}
