import { secp256k1 } from '@noble/curves/secp256k1.js';
import { present } from '../../kernel/assert.ts';
import {
  addressOfPublicKey,
  bitcoinDepositAddresses,
  parseBitcoinAddress,
} from '../../world/chains/bitcoin/address-codec.ts';
import {
  decodeBitcoin,
  objectionTo,
  outbids,
  type Payer,
  parseSpending,
  signBitcoin,
} from '../../world/chains/bitcoin/codec.ts';
import { BITCOIN_COINS, type BitcoinCoin, type BitcoinNetwork } from '../../world/chains/bitcoin/networks.ts';
import type { SignedTransfer } from '../../world/chains/chain.ts';
import type { OpenRail, RailFamily } from '../family.ts';
import type { Branch, KeyTree } from '../keys.ts';
import { hotOf, type TransferRail } from '../rail.ts';
import { notItself } from '../verdict.ts';

/** BIP-84 by the coin's own number, 0' for Bitcoin. Deposit i: m/84'/0'/0'/0/i. Hot: m/84'/0'/1'/0/0. */
export const bitcoinKeys = (tree: KeyTree, { coinType }: BitcoinCoin): Branch =>
  tree.branch(`m/84'/${coinType}'/0'/0`, `m/84'/${coinType}'/1'/0/0`);

/** Every coin of `networks.ts` that the settings name has a rail of its own. */
export const bitcoin: RailFamily = {
  name: 'bitcoin',
  open: (settings: Readonly<Record<string, { readonly network: string } | undefined>>, { tree }) =>
    Object.entries(BITCOIN_COINS).flatMap(([coin, networks]) => {
      const its = settings[coin];
      return its ? [openRail(present(networks[its.network], its.network), tree)] : [];
    }),
};

function openRail(network: BitcoinNetwork, tree: KeyTree): OpenRail {
  const keys = bitcoinKeys(tree, network.coin);
  const rail = bitcoinRail(network, keys);
  return { family: network.coin.family, rail, publicKeys: async () => ({ hot: hotOf(rail), xpub: keys.xpub }) };
}

/** Every output of ours is the hot account's, whichever of our addresses it lies on; change returns to the hot address. */
export function bitcoinRail(network: BitcoinNetwork, keys: Branch): TransferRail {
  const hot = addressOfPublicKey(network, secp256k1.getPublicKey(keys.key('hot').reveal()));
  const deposit = bitcoinDepositAddresses(network, keys.xpub);
  const addressOf: Payer['addressOf'] = (account) => (account === 'hot' ? hot : deposit(account.deposit));
  const payer: Payer = { network, hot, addressOf };
  const { id: asset, chainId: chain } = network.coin.asset;
  return {
    chains: [chain],
    hasNonces: false,
    nativeAsset: () => asset,
    canonical: (address) => parseBitcoinAddress(network, address),
    // Deposits are spent by payments of the hot account: nothing is ever swept from them or sent there for gas.
    addressOf: (account) => (account === 'hot' ? hot : undefined),
    objection: (request) => (request.asset === asset ? objectionTo(payer, request) : `token ${request.asset}`),
    outbids(next, held) {
      const [fresh, first] = [parseSpending(next), parseSpending(held)];
      return fresh !== undefined && first !== undefined && outbids(network, fresh, first);
    },
    async sign(request) {
      const { intent, chainId } = request;
      return { intent, chainId, ...signBitcoin(payer, request, (account) => keys.key(account).reveal()) };
    },
    async tell(signed, request) {
      const { to, atoms, ...told } = decodeBitcoin(payer, request, signed.raw);
      if (!isItself(signed, told)) return notItself(signed);
      return { chainId: chain, from: hot, asset, atoms, to, nonce: undefined };
    },
    giveBack: async () => {},
  };
}

function isItself(signed: SignedTransfer, told: Pick<SignedTransfer, 'txHash' | 'consumes' | 'cost'>): boolean {
  const { txHash, consumes, cost } = told;
  return txHash === signed.txHash && cost === signed.cost && consumes.join() === signed.consumes.join();
}
