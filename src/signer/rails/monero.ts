import { parseAtoms } from '../../kernel/amount.ts';
import { Fault } from '../../kernel/fault.ts';
import type { Address } from '../../kernel/ids.ts';
import type { SignedTransfer } from '../../world/chains/chain.ts';
import { parseMoneroAddress } from '../../world/chains/monero/codec.ts';
import { MONERO_ID, XMR_ASSET } from '../../world/chains/monero/rules.ts';
import { parseTransactionHex, transactionId } from '../../world/chains/monero/tx-codec.ts';
import type { MoneroDevice } from '../monero-device.ts';
import type { Purse, TransferRail } from '../rail.ts';
import type { TransferRequest } from '../request.ts';

/** Amounts are words of 64 bits. */
const WORD = 2n ** 64n;

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
      mustBeItself(signed);
      // Payee and amount open only with the transaction's own key; the device proved both with it before handing it out.
      return { chainId: MONERO_ID, from: address, asset, atoms, to, nonce: undefined };
    },
    discard: (signed) => device.release(signed),
    split: ({ intent, atoms, fee: { outputs } }) => device.ensureOutputs(intent, Number(outputs), atoms),
  };
}

export function moneroPurse(device: MoneroDevice, address: Address): Purse {
  return {
    balance: () => device.balance(),
    knowDeposits: (count) => device.knowDeposits(count),
    asTransfer: ({ intent, count, atomsEach }) => ({
      intent,
      kind: 'rebalance',
      owner: 'treasury',
      chainId: MONERO_ID,
      from: 'hot',
      asset: XMR_ASSET.id,
      atoms: atomsEach,
      to: address,
      fee: { outputs: String(count) },
    }),
  };
}

function objection({ asset, atoms, fee }: TransferRequest): string | undefined {
  if (asset !== XMR_ASSET.id) return `token ${asset}`;
  if (atoms >= WORD) return `${atoms} atoms`;
  if (!/^[0-4]$/.test(fee.priority ?? '1')) return `priority ${fee.priority}`;
  return parseAtoms(fee.most ?? '0') === undefined ? `a fee of ${fee.most}` : undefined;
}

/** The hash, the outputs it spends and the cost, as the bytes have them. */
function mustBeItself({ raw, txHash, consumes, cost }: SignedTransfer): void {
  const tx = parseTransactionHex(raw);
  const spends =
    tx.keyImages.length === consumes.length && tx.keyImages.every((image, at) => consumes[at]?.endsWith(image));
  if (transactionId(tx) === txHash && spends && tx.fee === cost) return;
  throw new Fault('permanent', 'signer', `${txHash} is not what its bytes say`);
}
