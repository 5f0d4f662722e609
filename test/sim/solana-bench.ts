import { randomBytes } from 'node:crypto';
import { type SolanaWorld, TOKEN_RENT, tokenAccountData } from '../../sandbox/nodes/solana-world.ts';
import { type Atoms, atoms } from '../../src/kernel/amount.ts';
import { present } from '../../src/kernel/assert.ts';
import { type Address, txHash } from '../../src/kernel/ids.ts';
import { Secret } from '../../src/kernel/secret.ts';
import { openKeyTree } from '../../src/signer/keys.ts';
import { solanaKeys, solanaRail } from '../../src/signer/rails/solana.ts';
import type { Asset, Chain } from '../../src/world/chains/chain.ts';
import type { ChainBench } from '../../src/world/chains/conformance.ts';
import { solanaAddressOfKey, TOKEN_PROGRAM, tokenAccountOf } from '../../src/world/chains/solana/address-codec.ts';
import { USDC_MINT } from '../../src/world/chains/solana/codec.ts';
import { SOLANA_ASSETS } from '../../src/world/chains/solana/rules.ts';
import { openSolana } from '../../src/world/chains/solana/solana.ts';
import { httpOutbound, type Outbound } from '../../src/world/outbound/http.ts';
import { elsewhereThan } from './addresses-elsewhere.ts';

export const RAIL = solanaRail(solanaKeys(openKeyTree(new Secret(new Uint8Array(64).fill(7)))));
export const HOT = present(RAIL.addressOf('hot'), 'hot address');
export const SOL = 10n ** 9n;

export const freshAddress = (): Address => solanaAddressOfKey(randomBytes(32));

export const assetOf = (symbol: string): Asset =>
  present(
    SOLANA_ASSETS.find((asset) => asset.symbol === symbol),
    symbol,
  );

export interface SolanaBench extends ChainBench {
  readonly world: SolanaWorld;
}

/** A hot account with a thousand coins and as many USDC, and the real signer's rail. */
export async function openSolanaBench(
  start: () => Promise<SolanaWorld>,
  symbol: 'SOL' | 'USDC',
  outbound: Outbound = httpOutbound,
): Promise<SolanaBench> {
  const world = await start();
  const asset = assetOf(symbol);
  const unit = atoms(10n ** BigInt(asset.decimals));
  await world.fund(HOT, assetOf('SOL').token, 1_000n * SOL);
  await world.fund(HOT, assetOf('USDC').token, 1_000n * 10n ** 6n);
  const refusedDestination = freshAddress();
  if (!asset.native) await freeze(world, refusedDestination, USDC_MINT);
  const { rpcUrl, genesisHash } = world;
  const addresses = async (first: number, count: number) =>
    Array.from({ length: count }, (_, offset) => present(RAIL.addressOf({ deposit: first + offset }), 'an address'));
  // The same node by another name.
  const witnessUrls = [`${rpcUrl}#other`];
  const chain = await openSolana({ rpcUrl, witnessUrls, genesisHash, hotAddress: HOT, addresses }, outbound);
  return {
    world,
    chain: inStep(chain, world),
    asset,
    unit,
    hasPool: false,
    foreign: elsewhereThan('solana'),
    ...(asset.native ? {} : { refusedDestination }),
    mine: world.mine,
    reorg: (depth, drop = []) => world.reorg(depth, drop),
    sign: (request) => RAIL.sign(request),
    received: async (address) => (await world.received(asset.token, address)).total,
    freshDestination: async () => freshAddress(),
    async pay(to: Address, amount: Atoms) {
      const { txHash: hash } = await world.pay({ token: asset.token, to, atoms: amount });
      return { txHash: txHash(hash), from: world.customerAddress };
    },
    close: world.close,
  };
}

/** The issuer of a token may freeze any account of it. */
export function freeze(world: SolanaWorld, wallet: Address, mint: Address): Promise<void> {
  const data = tokenAccountData(mint, wallet, 0n, 'frozen');
  return world.setAccount(tokenAccountOf(wallet, mint), { lamports: TOKEN_RENT, program: TOKEN_PROGRAM, data });
}

/** Solana has no pool: nothing is known of a transaction before the slot that takes it, and here no slot comes by itself. */
function inStep(chain: Chain, world: SolanaWorld): Chain {
  return {
    ...chain,
    async broadcast(signed) {
      const objection = await chain.broadcast(signed);
      await world.tick(1);
      return objection;
    },
  };
}
