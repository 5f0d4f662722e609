import { atoms, parseUnits } from '../../kernel/amount.ts';
import { type AssetId, type ChainId, chainOf, tokenOf } from '../../kernel/ids.ts';
import type { Secret } from '../../kernel/secret.ts';
import { type Ask, asker } from '../../world/venues/hyperliquid/ask.ts';
import {
  type Action,
  addressOf,
  l1Digest,
  parseVenueAddress,
  recoverSigner,
  type Signature,
  signMoveBody,
  signTradeBody,
  USDC_DECIMALS,
  userDigest,
  WITHDRAWAL_FEE,
} from '../../world/venues/hyperliquid/codec.ts';
import { readOwnTrades } from '../../world/venues/hyperliquid/own-trades.ts';
import type { VenueMove } from '../../world/venues/venue.ts';
import type { RailVenue } from '../family.ts';
import type { Branch, KeyTree } from '../keys.ts';
import { hotOf, type VenueRail } from '../rail.ts';
import type { TradeRequest } from '../request.ts';
import { venueTransferRail } from './hyperliquid-transfers.ts';

export interface HyperliquidRailConfig {
  readonly chainId: ChainId;
  /** The one market that may be traded, by the venue's own number. */
  readonly market: string;
  readonly baseDecimals: number;
  /** Tokens that may be sent, with their decimals: a caller's decimals could turn few atoms into many coins. */
  readonly tokens: Readonly<Record<AssetId, number>>;
}

/** A branch of its own for deposits, since two families must not share an address. Hot: the account of the EVM chains. */
export const hyperliquidKeys = (tree: KeyTree): Branch => tree.branch("m/44'/60'/4'/0", "m/44'/60'/1'/0/0");

export const hyperliquid: RailVenue = {
  withdrawalFee: WITHDRAWAL_FEE,
  open(settings, baseDecimals, { tree, outbound }) {
    const keys = hyperliquidKeys(tree);
    const transfers = venueTransferRail(settings, keys);
    return {
      venue: hyperliquidRail({ ...settings, baseDecimals }, keys.key('hot'), asker(settings.url, outbound)),
      transfers: {
        family: 'venue',
        rail: transfers,
        publicKeys: async () => ({ hot: hotOf(transfers), xpub: keys.xpub }),
      },
    };
  },
};

/** The fee is at most one percent of it: moving money home again and again is no way to burn it. */
const LEAST_WITHDRAWAL = atoms(100n * WITHDRAWAL_FEE);
/** The bridge and the perpetual side count millionths of a dollar. */
const USDC_GRAIN = 100n;

export function hyperliquidRail(config: HyperliquidRailConfig, key: Secret<Uint8Array>, ask: Ask): VenueRail {
  const account = addressOf(key.reveal());
  const isOurs = (digest: Uint8Array, signature: Signature) => recoverSigner(digest, signature) === account;
  return {
    chainId: config.chainId,
    account,
    withdrawalFee: WITHDRAWAL_FEE,
    leastWithdrawal: LEAST_WITHDRAWAL,
    canonical: parseVenueAddress,
    tradeObjection: (request) => tradeObjection(request, config),
    moveObjection: ({ move, wire }) => moveObjection(move, wire, config),
    signTrade: ({ ticket, wire }) => signTradeBody(ticket, wire, key.reveal()),
    signMove: ({ move, wire }) => signMoveBody(move, wire, key.reveal()),
    tradeSays(body, request) {
      const { action, nonce, expiresAfter, signature } = JSON.parse(body) as Body;
      if (nonce !== request.ticket.nonce || expiresAfter !== request.ticket.expiresAfter) return false;
      return orderSays(action, request, config) && isOurs(l1Digest(action, nonce, expiresAfter), signature);
    },
    moveSays(body, { move }) {
      const { action, nonce, signature } = JSON.parse(body) as Body;
      return nonce === move.nonce && moveSays(action, move, config) && isOurs(userDigest(action), signature);
    },
    ownTrades: () => readOwnTrades(ask, account, config.market),
  };
}

interface Body {
  readonly action: Action;
  readonly nonce: number;
  readonly expiresAfter?: number;
  readonly signature: Signature;
}

function tradeObjection(
  { wire }: TradeRequest,
  { market: only, baseDecimals }: HyperliquidRailConfig,
): string | undefined {
  const market = wire.asset ?? '';
  if (market !== only) return `market ${market}`;
  return wire.decimals === String(baseDecimals) ? undefined : `${wire.decimals} decimals of the base`;
}

function moveObjection(
  move: VenueMove,
  wire: Readonly<Record<string, string>>,
  { chainId, tokens }: HyperliquidRailConfig,
): string | undefined {
  if (move.move !== 'send') return move.atoms % USDC_GRAIN === 0n ? undefined : `${move.atoms} is too fine`;
  const { asset } = move;
  const token = wire.token ?? '';
  if (chainOf(asset) !== chainId || !Object.hasOwn(tokens, asset)) return `token ${asset}`;
  if (!/^[A-Za-z0-9]{1,32}:0x[0-9a-f]+$/.test(token) || !token.endsWith(`:${tokenOf(asset)}`)) return `token ${token}`;
  return wire.decimals === String(tokens[asset]) ? undefined : `${wire.decimals} decimals of ${asset}`;
}

function orderSays(action: Action, { ticket, wire }: TradeRequest, { baseDecimals }: HyperliquidRailConfig): boolean {
  const [order, ...more] = action.orders as readonly Record<string, unknown>[];
  return (
    action.type === 'order' &&
    more.length === 0 &&
    order?.a === Number(wire.asset) &&
    order.b === (ticket.side === 'buy') &&
    order.p === ticket.limit &&
    parseUnits(String(order.s), baseDecimals) === ticket.size &&
    JSON.stringify(order.t) === '{"limit":{"tif":"Ioc"}}' &&
    order.c === ticket.clientId
  );
}

function moveSays(action: Action, move: VenueMove, { tokens }: HyperliquidRailConfig): boolean {
  const says = (type: string, decimals: number) =>
    action.type === type && parseUnits(String(action.amount), decimals) === move.atoms;
  if (move.move === 'to_trading' || move.move === 'to_transit') {
    const toPerp = move.move === 'to_transit';
    return says('usdClassTransfer', USDC_DECIMALS) && action.toPerp === toPerp && action.nonce === move.nonce;
  }
  const goesThere = parseVenueAddress(String(action.destination)) === move.to && action.time === move.nonce;
  if (move.move === 'withdraw') return says('withdraw3', USDC_DECIMALS) && goesThere;
  const token = String(action.token);
  return says('spotSend', tokens[move.asset] ?? 0) && goesThere && token.endsWith(`:${tokenOf(move.asset)}`);
}
