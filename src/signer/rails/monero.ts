import { parseAtoms } from '../../kernel/amount.ts';
import type { Address } from '../../kernel/ids.ts';
import { Secret } from '../../kernel/secret.ts';
import type { SignedTransfer } from '../../world/chains/chain.ts';
import { type MoneroKeys, moneroKeysFromSeed, parseMoneroAddress } from '../../world/chains/monero/codec.ts';
import { MONERO_ID, SPEND_WALLET, XMR_ASSET } from '../../world/chains/monero/rules.ts';
import { parseTransactionHex, transactionId } from '../../world/chains/monero/tx-codec.ts';
import type { RailFamily } from '../family.ts';
import type { KeyTree } from '../keys.ts';
import type { TransferRail } from '../rail.ts';
import type { TransferRequest } from '../request.ts';
import { spendWalletOf, type TwoWallets } from '../spend-wallet.ts';
import { notItself } from '../verdict.ts';
import type { SplitRequest } from '../wire.ts';
import { type MoneroDevice, openMoneroDevice, whenMoneroOpen } from './monero-device.ts';

/** Amounts are words of 64 bits. */
const WORD = 2n ** 64n;

interface Settings extends TwoWallets<{ readonly url: string; readonly login: string; readonly password: string }> {
  readonly restoreHeight: number;
}

/** All of the wallet's keys follow from 32 bytes. */
export const moneroKeys = (tree: KeyTree): MoneroKeys =>
  moneroKeysFromSeed(tree.expand("m/44'/128'/0'", 'monero spend seed').reveal());

/** Its wallet server holds the spend key and serves this wallet alone. */
export const monero: RailFamily = {
  name: 'monero',
  open({ monero: settings }: { monero?: Settings }, { tree, isPromised, outbound }) {
    if (!settings) return [];
    const keys = moneroKeys(tree);
    const { address } = keys;
    const { url: walletUrl, secretLogin: walletLogin, password } = spendWalletOf('monero', settings);
    const config = {
      ...{ walletUrl, walletLogin },
      walletName: SPEND_WALLET,
      walletPassword: new Secret(password),
      restoreHeight: settings.restoreHeight,
    };
    const opening = openMoneroDevice({ ...config, keys, isPromised }, outbound);
    const device = whenMoneroOpen(opening);
    return [
      {
        family: 'monero',
        rail: moneroRail(device, address),
        publicKeys: async () => ({ hot: address, viewKey: keys.viewKey }),
        wallet: {
          depositAddresses: (first, count) => device.depositAddresses(first, count),
          balance: () => device.balance(),
          asTransfer: asTransfer(address),
        },
        opening,
      },
    ];
  },
};

export function moneroRail(device: MoneroDevice, address: Address): TransferRail {
  return {
    chains: [MONERO_ID],
    hasNonces: false,
    nativeAsset: () => XMR_ASSET.id,
    canonical: parseMoneroAddress,
    // All deposits come to the one wallet, under addresses of their own.
    addressOf: (account) => (account === 'hot' ? address : undefined),
    objection,
    // Decoys and change are chosen anew each time, so what exists is sent again, never replaced.
    outbids: () => false,
    sign: (request) => device.sign(request),
    async tell(signed, { asset, atoms, to }) {
      if (!isItself(signed)) return notItself(signed);
      // Payee and amount open only with the transaction's own key; the device proved both with it before handing it out.
      return { chainId: MONERO_ID, from: address, asset, atoms, to, nonce: undefined };
    },
    giveBack: (tokens) => device.release(tokens),
    split: ({ intent, atoms, fee: { outputs } }) => device.ensureOutputs(intent, Number(outputs), atoms),
  };
}

const asTransfer =
  (address: Address) =>
  ({ intent, count, atomsEach }: SplitRequest): TransferRequest => ({
    intent,
    kind: 'rebalance',
    owner: 'treasury',
    chainId: MONERO_ID,
    from: 'hot',
    asset: XMR_ASSET.id,
    atoms: atomsEach,
    to: address,
    fee: { outputs: String(count) },
  });

function objection({ asset, atoms, fee }: TransferRequest): string | undefined {
  if (asset !== XMR_ASSET.id) return `token ${asset}`;
  if (atoms >= WORD) return `${atoms} atoms`;
  if (!/^[0-4]$/.test(fee.priority ?? '1')) return `priority ${fee.priority}`;
  return parseAtoms(fee.most ?? '0') === undefined ? `a fee of ${fee.most}` : undefined;
}

/** The hash, the outputs it spends and the cost, as the bytes have them. */
function isItself({ raw, txHash, consumes, cost }: SignedTransfer): boolean {
  const tx = parseTransactionHex(raw);
  const spends =
    tx.keyImages.length === consumes.length && tx.keyImages.every((image, at) => consumes[at]?.endsWith(image));
  return transactionId(tx) === txHash && spends && tx.fee === cost;
}
