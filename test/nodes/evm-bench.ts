import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HDKey } from '@scure/bip32';
import { assemble } from '../../sandbox/nodes/evm-assembler.ts';
import { hexOf } from '../../sandbox/nodes/evm-blocks.ts';
import { type EvmWorld, startEvmWorld } from '../../sandbox/nodes/evm-world.ts';
import type { Account } from '../../src/kernel/account.ts';
import { type Atoms, atoms } from '../../src/kernel/amount.ts';
import { present } from '../../src/kernel/assert.ts';
import { type Address, txHash } from '../../src/kernel/ids.ts';
import { outbids } from '../../src/signer/rails/evm.ts';
import type { Asset, Delegated, SignedTransfer } from '../../src/world/chains/chain.ts';
import type { BenchRequest, ChainBench, FeeMarket } from '../../src/world/chains/conformance.ts';
import {
  decodeEvm,
  type EvmUnsigned,
  evmAddressOfKey,
  evmContractOf,
  evmCost,
  evmNonceToken,
  evmSweep,
  evmUnsigned,
  signAuthorization,
  signEvm,
  transferCall,
} from '../../src/world/chains/evm/codec.ts';
import { openEvm } from '../../src/world/chains/evm/evm.ts';
import type { FinalityPolicy } from '../../src/world/chains/evm/networks.ts';
import { sweeperAddress } from '../../src/world/chains/evm/sweeper-codec.ts';
import { httpOutbound, type Outbound } from '../../src/world/outbound/http.ts';
import { elsewhereThan } from '../sim/addresses-elsewhere.ts';

export const ETHEREUM = 1;
export const ARBITRUM = 42161;
export const OPTIMISM = 10;
export const BNB = 56;

const ACCOUNTS = HDKey.fromMasterSeed(new Uint8Array(32).fill(7)).derive("m/44'/60'/0'/0");
export const XPUB = present(ACCOUNTS.publicExtendedKey, 'xpub');
const HOT_KEY = new Uint8Array(32).fill(9);
/** Anvil's `finalized` trails its tip by two blocks. */
export const FINALITY: FinalityPolicy = { small: { depth: 2 }, large: { tag: 'finalized', about: 3 } };

const keyOf = (account: Account): Uint8Array =>
  account === 'hot' ? HOT_KEY : present(ACCOUNTS.deriveChild(account.deposit).privateKey, 'private key');

export const freshAddress = (): Address => evmAddressOfKey(randomBytes(32));

export interface EvmBench extends ChainBench {
  readonly world: EvmWorld;
}

export interface BenchOptions {
  readonly chainId?: number;
  readonly outbound?: Outbound;
  /** All of them, if left out. */
  readonly statesKept?: number;
  /** The real one where it is installed, if left out. */
  readonly kind?: 'real' | 'simulated';
}

/** A network with a hot account that holds a thousand of the asset and coin for fees. */
export async function openEvmBench(symbol: string, options: BenchOptions = {}): Promise<EvmBench> {
  const { chainId = ARBITRUM, outbound = httpOutbound, statesKept, kind } = options;
  const stateFile = join(tmpdir(), `wherry-evm-${randomBytes(6).toString('hex')}.json`);
  const world = await startEvmWorld({ chainId, kind, stateFile, statesKept });
  const { network, rpcUrl } = world;
  const [coin, asset] = [assetOf(world, network.facts.nativeSymbol), assetOf(world, symbol)];
  const unit = atoms(10n ** BigInt(asset.decimals));
  const hotAddress = evmAddressOfKey(HOT_KEY);
  await world.fund(hotAddress, coin.token, 10n ** 21n);
  if (!asset.native) await world.fund(hotAddress, asset.token, unit * 1_000n);
  const refusedDestination = freshAddress();
  if (!asset.native) await world.blacklist(refusedDestination, asset.token, true);
  await world.mine(2);

  return {
    world,
    chain: await openEvm({ network, rpcUrl, xpub: XPUB, hotAddress, finality: FINALITY }, outbound),
    asset,
    unit,
    hasPool: false,
    foreign: elsewhereThan('evm'),
    ...(asset.native ? {} : { refusedDestination }),
    mine: world.mine,
    reorg: (depth, drop = []) => world.reorg(depth, drop),
    sign: async (request) => signForTest(request),
    received: async (address) => (await world.received(asset.token, address)).total,
    freshDestination: async () => freshAddress(),
    restart: world.restart,
    market: marketOf(world),

    async pay(to: Address, amount: Atoms) {
      const sent = await world.pay({ token: asset.token, to, atoms: amount });
      return { txHash: txHash(sent.txHash), from: world.customerAddress };
    },

    async flood(to: Address, each: Atoms, times: number) {
      const contract = freshAddress();
      const token = present(evmContractOf(asset.id), 'a token');
      const once = `0 0 CALLDATASIZE 0 0 ${token} GAS CALL POP`;
      const code = assemble(`CALLDATASIZE 0 0 CALLDATACOPY ${`${once} `.repeat(times)}STOP`);
      await world.rpc('anvil_setCode', [contract, code]);
      await world.pay({ token: asset.token, to: contract, atoms: atoms(each * BigInt(times)) });
      await world.mine(1);
      const call = { from: world.customerAddress, to: contract, data: transferCall(to, each), gas: '0x4c4b40' };
      return txHash((await world.rpc('eth_sendTransaction', [call])) as string);
    },

    async close() {
      await world.close();
      rmSync(stateFile, { force: true });
    },
  };
}

/** The base fee is what blocks ask for; an empty block lowers it by an eighth. */
function marketOf({ rpc, mine }: EvmWorld): FeeMarket {
  const ask = async (baseFee: bigint) => {
    await rpc('anvil_setNextBlockBaseFeePerGas', [hexOf(baseFee)]);
    await mine(1);
  };
  return {
    raiseAbove: ({ raw }) => ask(decodeEvm(raw).maxFeePerGas * 4n),
    calm: () => ask(10n ** 9n),
    outbids,
  };
}

export function assetOf(world: EvmWorld, symbol: string): Asset {
  return present(
    world.network.facts.assets.find((asset) => asset.symbol === symbol),
    symbol,
  );
}

export function signForTest(request: Omit<BenchRequest, 'kind' | 'owner'>): SignedTransfer {
  const unsigned = request.delegated ? sweepForTest(request, request.delegated) : evmUnsigned(request);
  const { raw, txHash: hash, from } = signEvm(unsigned, keyOf(request.delegated ? 'hot' : request.from));
  const { intent, chainId } = request;
  const consumes = [evmNonceToken(chainId, from, unsigned.nonce)];
  return { intent, chainId, txHash: hash, raw, consumes, cost: evmCost(unsigned) };
}

function sweepForTest(request: Omit<BenchRequest, 'kind' | 'owner'>, { authorize }: Delegated): EvmUnsigned {
  const key = keyOf(request.from);
  const unsigned = evmSweep(request, evmAddressOfKey(key));
  if (authorize === undefined) return unsigned;
  const code = sweeperAddress(evmAddressOfKey(HOT_KEY));
  return { ...unsigned, authorization: signAuthorization({ chainId: request.chainId, code, nonce: authorize }, key) };
}
