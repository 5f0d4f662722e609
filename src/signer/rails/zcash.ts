import { parseAtoms } from '../../kernel/amount.ts';
import { later } from '../../kernel/clock.ts';
import { expiryHeight, parseZcashAddress } from '../../world/chains/zcash/codec.ts';
import { ZCASH_ID, ZEC_ASSET } from '../../world/chains/zcash/rules.ts';
import type { RailFamily } from '../family.ts';
import type { TransferRail } from '../rail.ts';
import type { TransferRequest } from '../request.ts';
import { spendWalletOf, type TwoWallets } from '../spend-wallet.ts';
import { refuse } from '../verdict.ts';
import { openZcashDevice, whenZcashOpen, type ZcashDevice } from './zcash-device.ts';

/** Twenty-one million coins: no payment is larger. */
const MOST = 21_000_000n * 10n ** 8n;

interface Settings extends TwoWallets<{ readonly url: string; readonly login: string }> {
  readonly accountUuid: string;
}

/** Its wallet server holds the seed of this account alone: no key of it is in our tree. */
export const zcash: RailFamily = {
  name: 'zcash',
  open({ zcash: settings }: { zcash?: Settings }, { outbound }) {
    if (!settings) return [];
    const { url: walletUrl, secretLogin: walletLogin } = spendWalletOf('zcash', settings);
    const opening = openZcashDevice({ walletUrl, walletLogin, accountUuid: settings.accountUuid }, outbound);
    const device = whenZcashOpen(opening);
    return [
      {
        family: 'zcash',
        rail: zcashRail(device),
        publicKeys: async () => ({ hot: (await opening).address }),
        wallet: { depositAddresses: device.depositAddresses },
        opening,
      },
    ];
  },
};

export function zcashRail(device: ZcashDevice): TransferRail {
  return {
    chains: [ZCASH_ID],
    hasNonces: false,
    nativeAsset: () => ZEC_ASSET.id,
    canonical: parseZcashAddress,
    // All deposits come to the one account, under addresses of their own.
    addressOf: (account) => (account === 'hot' ? device.address : undefined),
    objection,
    // Notes are chosen anew each time, so what exists is sent again until it expires, never replaced.
    outbids: () => false,
    // Blocks come at no fixed pace: the device asks its own wallet as well, before it builds in place of the dead.
    isOver: (_, signedAt, now) => now > later(signedAt, EXPIRED_MS),
    sign: (request) => device.sign(request),
    async tell({ raw, txHash }, { asset, atoms, to }) {
      if (expiryHeight(raw) === undefined) return refuse('signed_otherwise', `${txHash} would never expire`);
      // Payee and amount open only with the account's own keys; the device proved both with them before handing it out.
      return { chainId: ZCASH_ID, from: device.address, asset, atoms, to, nonce: undefined };
    },
    // The wallet takes the inputs back when the bytes expire.
    giveBack: async () => {},
  };
}

/** Bytes expire after 40 blocks, and 20 more make it sure: at 75 seconds each. */
const EXPIRED_MS = 60 * 75_000;

function objection({ asset, atoms, fee }: TransferRequest): string | undefined {
  if (asset !== ZEC_ASSET.id) return `token ${asset}`;
  if (atoms > MOST) return `${atoms} atoms`;
  if (!/^(?:shielded|transparent)$/.test(fee.source ?? 'shielded')) return `money from ${fee.source}`;
  return parseAtoms(fee.most ?? '0') === undefined ? `a fee of ${fee.most}` : undefined;
}
