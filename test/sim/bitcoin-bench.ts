import type { BitcoinWorld } from '../../sandbox/nodes/bitcoin-world.ts';
import { atoms, formatUnits } from '../../src/kernel/amount.ts';
import { present } from '../../src/kernel/assert.ts';
import { type Address, type IntentId, intentId, txHash } from '../../src/kernel/ids.ts';
import { Secret } from '../../src/kernel/secret.ts';
import { openKeyTree } from '../../src/signer/keys.ts';
import type { TransferRail } from '../../src/signer/rail.ts';
import { bitcoinKeys, bitcoinRail } from '../../src/signer/rails/bitcoin.ts';
import type { TransferRequest } from '../../src/signer/request.ts';
import { bitcoinDepositAddresses } from '../../src/world/chains/bitcoin/address-codec.ts';
import { type BitcoinConfig, openBitcoin } from '../../src/world/chains/bitcoin/bitcoin.ts';
import { BITCOIN_DEFAULTS } from '../../src/world/chains/bitcoin/rules.ts';
import { encodeTransaction, parseTransaction } from '../../src/world/chains/bitcoin/tx-codec.ts';
import type { UnspentConfig } from '../../src/world/chains/bitcoin/unspent-outputs.ts';
import type { Chain, SignedTransfer } from '../../src/world/chains/chain.ts';
import type { ChainBench, FeeMarket } from '../../src/world/chains/conformance.ts';
import { httpOutbound, type Outbound } from '../../src/world/outbound/http.ts';
import { elsewhereThan } from './addresses-elsewhere.ts';

const TREE = openKeyTree(new Secret(new Uint8Array(64).fill(5)));
export const BTC = 100_000_000n;
/** Deposit addresses that the stories may use. */
const DEPOSITS = 128;

export interface BitcoinBench {
  readonly world: BitcoinWorld;
  readonly chain: Chain;
  readonly rail: TransferRail;
  readonly config: BitcoinConfig;
  /** Tokens of signed payments, as the store would keep them. */
  readonly taken: Set<string>;
  readonly market: FeeMarket;
  request(to: Address, amount: bigint, leg: number): Promise<TransferRequest>;
  sign(request: TransferRequest): Promise<SignedTransfer>;
}

/** The desk's own eyes and hand on a network: a hot account with twenty outputs, and the signer's rail. */
export async function openBitcoinBench(world: BitcoinWorld, outbound: Outbound = httpOutbound): Promise<BitcoinBench> {
  const { network } = world;
  const keys = bitcoinKeys(TREE, network.coin);
  const rail = bitcoinRail(network, keys);
  const hotAddress = present(rail.addressOf('hot'), 'hot address');
  await world.fund(hotAddress, 20n * BTC, 20);
  const taken = new Set<string>();
  const config: BitcoinConfig = {
    ...BITCOIN_DEFAULTS,
    ...world.node,
    network,
    hotAddress,
    xpub: keys.xpub,
    book: bookOf(bitcoinDepositAddresses(network, keys.xpub)),
    busy: async (tokens) => new Set(tokens.filter((token) => taken.has(token))),
    fees: { blocks: 3, least: 1_000n, most: 500_000n, blind: 20_000n },
  };
  const prices = new Prices();
  const chain = await openBitcoin(config, prices.told(outbound));
  return {
    ...{ world, chain, rail, config, taken },
    market: {
      async raiseAbove({ raw, cost }) {
        prices.rate = (cost * 4_000n) / virtualSize(raw);
        await world.rpc('generateblock', [await world.freshDestination(), []]);
      },
      async calm() {
        prices.rate = undefined;
      },
      outbids: rail.outbids,
    },
    async request(to, amount, leg) {
      const transfer = { from: 'hot', asset: network.coin.asset.id, atoms: atoms(amount), to } as const;
      const terms = await chain.terms(transfer);
      if ('refused' in terms) throw new Error(terms.refused);
      const intent: IntentId = intentId('treasury', 'payout', leg);
      return { ...transfer, intent, kind: 'payout', owner: 'treasury', chainId: chain.facts.id, fee: terms.fee };
    },
    async sign(request) {
      const signed = await rail.sign(request);
      for (const token of signed.consumes) taken.add(token);
      return signed;
    },
  };
}

/** What the node says of the market: on a network without one it knows nothing. */
class Prices {
  /** Atoms for 1,000 virtual bytes. */
  rate: bigint | undefined;

  told(outbound: Outbound): Outbound {
    return async (call) => {
      if (call.label !== 'estimatesmartfee' || this.rate === undefined) return outbound(call);
      const result = { feerate: Number(formatUnits(this.rate, 8)), blocks: 3 };
      return { status: 200, body: JSON.stringify({ result, error: null, id: 1 }) };
    };
  }
}

/** Bytes of witnesses count a quarter. */
function virtualSize(raw: string): bigint {
  const tx = parseTransaction(raw);
  const bare = encodeTransaction({ ...tx, inputs: tx.inputs.map((input) => ({ ...input, witness: [] })) });
  return BigInt(Math.ceil((3 * bare.length + raw.length) / 8));
}

function bookOf(address: (index: number) => Address): UnspentConfig['book'] {
  const known = new Map(Array.from({ length: DEPOSITS }, (_, index) => [address(index), index]));
  return {
    count: async () => DEPOSITS,
    indexes: async (addresses) =>
      new Map(
        addresses.flatMap((one) => {
          const index = known.get(one);
          return index === undefined ? [] : [[one, index] as const];
        }),
      ),
  };
}

export function conformanceBench({ world, chain, sign, market }: BitcoinBench): ChainBench {
  return {
    chain,
    asset: world.network.coin.asset,
    unit: atoms(BTC / 10n),
    hasPool: true,
    foreign: [
      // Of this very coin only other networks are elsewhere: the main ones, by all their kinds of address, and a test network.
      ...elsewhereThan('bitcoin'),
      ...elsewhereThan('litecoin'),
      'MQMcJhpWHYVeQArcZR3sBgyPZxxRtnH441',
      '3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy',
      'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx',
    ],
    async pay(to, amount) {
      const sent = await world.pay({ token: world.network.coin.asset.token, to, atoms: amount });
      return { txHash: txHash(sent.txHash), from: world.customerAddress };
    },
    mine: world.mine,
    reorg: (depth, drop = []) => world.reorg(depth, drop),
    sign: (request) => sign(request),
    received: async (address) => (await world.received(world.network.coin.asset.token, address)).total,
    freshDestination: world.freshDestination,
    restart: world.restart,
    market,
    close: world.close,
  };
}
