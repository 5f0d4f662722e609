import { atoms, parseAtoms, parseUnits } from '../../kernel/amount.ts';
import { present } from '../../kernel/assert.ts';
import { type AssetId, assetId, type ChainId, tokenOf } from '../../kernel/ids.ts';
import { addressOf, OPENING_FEE, parseVenueAddress } from '../../world/venues/hyperliquid/codec.ts';
import {
  decodeTransfer,
  nonceToken,
  signTransfer,
  transferId,
  venueDepositAddresses,
} from '../../world/venues/hyperliquid/transfer-codec.ts';
import type { Branch } from '../keys.ts';
import type { TransferRail } from '../rail.ts';
import type { TransferRequest } from '../request.ts';

export interface VenueTransferConfig {
  readonly chainId: ChainId;
  /** What opening an account is paid in. */
  readonly usdc: AssetId;
  /** Tokens that may be sent, USDC among them, with their decimals: a caller's could turn few atoms into many coins. */
  readonly tokens: Readonly<Record<AssetId, number>>;
}

/** Spot sends between accounts of the venue, of the hot account and of the deposit accounts. */
export function venueTransferRail(config: VenueTransferConfig, keys: Branch): TransferRail {
  const hot = addressOf(keys.key('hot').reveal());
  const deposit = venueDepositAddresses(keys.xpub);
  return {
    chains: [config.chainId],
    hasNonces: true,
    // A caller who says that an account is open already is not believed.
    opening: { cost: OPENING_FEE, by: Object.keys(config.tokens) as AssetId[] },
    nativeAsset: () => config.usdc,
    canonical: parseVenueAddress,
    addressOf: (account) => (account === 'hot' ? hot : deposit(account.deposit)),
    objection: (request) => objection(request, config),
    // The venue knows no replacement: one nonce, one body.
    outbids: () => false,
    async sign(request) {
      const { intent, chainId, asset, atoms: value, to, fee } = request;
      const nonce = present(request.nonce, 'nonce');
      const send = { asset, atoms: value, to, nonce };
      const { raw, from } = signTransfer(send, fee, keys.key(request.from).reveal());
      const cost = present(parseAtoms(fee.opening), 'what opening the account costs');
      return { intent, chainId, txHash: transferId(from, nonce), raw, consumes: [nonceToken(from, nonce)], cost };
    },
    async tell({ raw }) {
      const { from, to, token, amount, nonce } = decodeTransfer(raw);
      const asset = assetId(config.chainId, token);
      const value = present(parseUnits(amount, present(config.tokens[asset], asset)), `amount ${amount}`);
      return { chainId: config.chainId, from, asset, atoms: atoms(value), to, nonce };
    },
    giveBack: async () => {},
  };
}

function objection({ asset, fee }: TransferRequest, { tokens }: VenueTransferConfig): string | undefined {
  const token = fee.token ?? '';
  if (!Object.hasOwn(tokens, asset)) return `token ${asset}`;
  if (!/^[A-Za-z0-9]{1,32}:0x[0-9a-f]+$/.test(token) || !token.endsWith(`:${tokenOf(asset)}`)) return `token ${token}`;
  if (fee.decimals !== String(tokens[asset])) return `${fee.decimals} decimals of ${asset}`;
  return parseAtoms(fee.opening) === undefined ? 'fee needs token, decimals, opening' : undefined;
}
