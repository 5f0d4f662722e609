import { secp256k1 } from '@noble/curves/secp256k1.js';
import { Fault } from '../../kernel/fault.ts';
import {
  addressOfPublicKey,
  type BitcoinNetwork,
  bitcoinDepositAddresses,
  parseBitcoinAddress,
} from '../../world/chains/bitcoin/address-codec.ts';
import {
  BITCOIN_ID,
  decodeBitcoin,
  objectionTo,
  outbids,
  type Payer,
  parseSpending,
  signBitcoin,
} from '../../world/chains/bitcoin/codec.ts';
import { BTC_ASSET } from '../../world/chains/bitcoin/rules.ts';
import type { SignedTransfer } from '../../world/chains/chain.ts';
import type { Keys } from '../keys.ts';
import type { TransferRail } from '../rail.ts';

/** Every output of ours is the hot account's, whichever of our addresses it lies on; change returns to the hot address. */
export function bitcoinRail(network: BitcoinNetwork, keys: Keys): TransferRail {
  const hot = addressOfPublicKey(network, secp256k1.getPublicKey(keys.bitcoin('hot').reveal()));
  const deposit = bitcoinDepositAddresses(network, keys.bitcoinXpub);
  const addressOf: Payer['addressOf'] = (account) => (account === 'hot' ? hot : deposit(account.deposit));
  const payer: Payer = { network, hot, addressOf };
  return {
    chains: [BITCOIN_ID],
    hasNonces: false,
    nativeAsset: () => BTC_ASSET.id,
    canonical: (address) => parseBitcoinAddress(network, address),
    // Deposits are spent by payments of the hot account: nothing is ever swept from them or sent there for gas.
    addressOf: (account) => (account === 'hot' ? hot : undefined),
    objection: (request) => (request.asset === BTC_ASSET.id ? objectionTo(payer, request) : `token ${request.asset}`),
    outbids(next, held) {
      const [fresh, first] = [parseSpending(next), parseSpending(held)];
      return fresh !== undefined && first !== undefined && outbids(fresh, first);
    },
    async sign(request) {
      const { intent, chainId } = request;
      return { intent, chainId, ...signBitcoin(payer, request, (account) => keys.bitcoin(account).reveal()) };
    },
    async tell(signed, request) {
      const { to, atoms, ...told } = decodeBitcoin(payer, request, signed.raw);
      mustBeItself(signed, told);
      return { chainId: BITCOIN_ID, from: hot, asset: BTC_ASSET.id, atoms, to, nonce: undefined };
    },
    discard: async () => {},
  };
}

function mustBeItself(signed: SignedTransfer, told: Pick<SignedTransfer, 'txHash' | 'consumes' | 'cost'>): void {
  const { txHash, consumes, cost } = told;
  const isItself = txHash === signed.txHash && cost === signed.cost && consumes.join() === signed.consumes.join();
  if (!isItself) throw new Fault('permanent', 'signer', `${signed.txHash} is not what its bytes say`);
}
