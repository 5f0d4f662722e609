import { randomBytes } from 'node:crypto';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import type { Address } from '../../src/kernel/ids.ts';
import type { Secret } from '../../src/kernel/secret.ts';
import { addressOfPublicKey } from '../../src/world/chains/bitcoin/address-codec.ts';
import type { BitcoinNetwork } from '../../src/world/chains/bitcoin/networks.ts';
import type { NodeConfig } from '../../src/world/chains/bitcoin/node.ts';
import { BITCOIN_DEFAULTS, bitcoinRules } from '../../src/world/chains/bitcoin/rules.ts';
import { httpOutbound } from '../../src/world/outbound/http.ts';
import { jsonRpc, type Rpc } from '../../src/world/outbound/json-rpc.ts';
import { patiently } from '../patience.ts';
import type { BoxChain } from '../place.ts';
import { BitcoinBlocks, BitcoinReceived } from './bitcoin-blocks.ts';
import { BitcoinWallet } from './bitcoin-wallet.ts';

/** A Bitcoin network on this computer that does what it is told, on a real node or on the simulator alike. */
export interface BitcoinWorld extends BoxChain {
  readonly network: BitcoinNetwork;
  /** How the service reaches the node. */
  readonly node: NodeConfig;
  readonly rpc: Rpc;
  readonly customerAddress: Address;
  /** The customer pays several at once, in one transaction that waits in the pool. */
  payAll(...payments: readonly { readonly to: string; readonly atoms: bigint }[]): Promise<string>;
  /** A payment of the customer that waits in the pool is replaced by one to himself. */
  outdo(txid: string): Promise<void>;
  freshDestination(): Promise<Address>;
  /** `atoms` in `outputs` equal parts from the customer, deep enough to be spent when this resolves. */
  fund(address: string, atoms: bigint, outputs: number): Promise<void>;
  mineTo(address: string, blocks: number): Promise<void>;
  restart(): Promise<void>;
  close(): Promise<void>;
}

export interface BitcoinServer {
  readonly kind: 'real' | 'simulated';
  readonly network: BitcoinNetwork;
  readonly rpcUrl: string;
  readonly rpcLogin?: Secret;
  /** The node forgets all that is in no block. */
  emptyPool(): Promise<void>;
  /** All that the node has is on its disk when this resolves. */
  keep(): Promise<void>;
  /** Ends the node and starts it again at the same place. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** A block pays fifty coins, spendable a hundred blocks later: over 3,000 for the customer. */
const CUSTOMER_BLOCKS = 64;
const RIPENING_BLOCKS = 100;
const DEEP_BLOCKS = 6;
const FRESH_WALLETS = 4;
/** Below what anybody else was paid. */
export const BITCOIN_START = CUSTOMER_BLOCKS + RIPENING_BLOCKS;

/** Commands the node by its own protocol; a network without blocks gets its first ones, and the customer his money. */
export async function commandBitcoin(server: BitcoinServer): Promise<BitcoinWorld> {
  const { network, kind, rpcUrl, rpcLogin } = server;
  const login = rpcLogin?.reveal();
  const headers = login ? { authorization: `Basic ${Buffer.from(login).toString('base64')}` } : {};
  const rpc = jsonRpc({ at: 'sandbox', url: rpcUrl, headers }, httpOutbound);
  const customer = new BitcoinWallet(network, rpc, 'customer');
  const blocks = new BitcoinBlocks(rpc, customer, () => freshAddress(network), server);
  const received = new BitcoinReceived(rpc);
  if ((await blocks.height()) === 0) {
    await blocks.mine(CUSTOMER_BLOCKS, customer.address);
    await blocks.mine(RIPENING_BLOCKS);
  }

  const { facts, parseAddress, parseToken } = bitcoinRules({ ...BITCOIN_DEFAULTS, network });
  const payAll: BitcoinWorld['payAll'] = (...payments) => blocks.change(() => customer.pay(...payments));
  return {
    ...{ chainId: facts.id, name: facts.name, kind, tokens: facts.assets, network, rpc, parseAddress, parseToken },
    rpcUrl: login ? rpcUrl.replace('//', `//${login}@`) : rpcUrl,
    node: rpcLogin ? { rpcUrl, rpcLogin } : { rpcUrl },
    customerAddress: customer.address,
    payAll,
    pay: async ({ to, atoms }) => ({ txHash: await patiently(() => payAll({ to, atoms })), from: customer.address }),
    outdo: (txid) =>
      blocks.lane(async () => void (await customer.outdo((await rpc('getrawtransaction', [txid])) as string))),
    freshDestination: async () => freshAddress(network),
    // Whoever pays out to an address of its own can tell one payout from the next.
    wallets: async () => [customer.address, ...Array.from({ length: FRESH_WALLETS }, () => freshAddress(network))],
    mine: (count) => blocks.mine(count),
    mineTo: (address, count) => blocks.mine(count, address),
    setAutomine: async (intervalMs) => blocks.setRhythm(intervalMs),
    received: (_, address) => blocks.lane(() => received.by(address)),

    reorg: (depth, drop) =>
      blocks.change(async () => {
        received.forgetAbove((await blocks.height()) - depth);
        await blocks.replace(depth, drop);
      }),

    async fund(address, atoms, outputs) {
      const each = atoms / BigInt(outputs);
      const rest = atoms - each * BigInt(outputs);
      await payAll(
        ...Array.from({ length: outputs }, (_, at) => ({ to: address, atoms: at === 0 ? each + rest : each })),
      );
      await blocks.mine(DEEP_BLOCKS);
    },

    restart: () => blocks.lane(() => server.restart()),

    async close() {
      blocks.setRhythm(0);
      await blocks.lane(() => server.stop());
    },
  };
}

const freshAddress = (network: BitcoinNetwork): Address =>
  addressOfPublicKey(network, secp256k1.getPublicKey(randomBytes(32)));
