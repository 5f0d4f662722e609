import { atoms } from '../../../kernel/amount.ts';
import { present } from '../../../kernel/assert.ts';
import { type Instant, instant } from '../../../kernel/clock.ts';
import { type Address, assetId, type TokenId, txHash } from '../../../kernel/ids.ts';
import type { LedgerRow } from '../venue.ts';
import { parseVenueAddress } from './address.ts';
import { decimal, exactAtoms, type Fields, fields, malformed, text, whole } from './reply.ts';
import { type Token, USDC_INDEX, VENUE_CHAIN } from './tokens.ts';

/** One line of the venue's history, before the names in it are understood. */
export interface RawUpdate {
  readonly key: string;
  readonly at: Instant;
  readonly hash: string;
  readonly delta: Fields;
}

export function readUpdate(value: unknown): RawUpdate {
  const update = fields(value, 'ledger');
  const delta = fields(update.delta, 'ledger.delta');
  const at = instant(whole(update.time, 'ledger.time'));
  const hash = text(update.hash, 'ledger.hash');
  // System actions share a zero hash, so the key says what happened as well as where.
  const parts = ['type', 'nonce', 'user', 'destination', 'token', 'amount', 'usdc', 'toPerp'].map(
    (part) => delta[part],
  );
  return { key: [hash, at, ...parts.map((part) => part ?? '')].join(':'), at, hash, delta };
}

/** A token, or the name of one that cannot be told. */
type Named = Token | string;

type RowMaker = (
  kind: LedgerRow['kind'],
  token: Named,
  amount: unknown,
  more?: { readonly fee?: unknown; readonly counterparty?: Address },
) => LedgerRow;

/** How a send names the perpetual side of an account, which holds USDC alone. */
export const PERP = '';

/** Which tokens a name may mean. */
export interface Names {
  readonly all: readonly Token[];
  /** The only ones that we ever send. */
  readonly ours: readonly Token[];
}

/**
 * What an update means for `user`. History names tokens by symbol only, and symbols are not unique on this venue: a name
 * that two tokens bear is understood as neither, so that a namesake is never credited as the real one. What we sent
 * ourselves is not in doubt.
 */
export function ledgerRows(update: RawUpdate, user: Address, names: Names): readonly LedgerRow[] {
  const { delta } = update;
  const row = rowMaker(update);
  const usdc = present(
    names.ours.find((token) => token.index === USDC_INDEX),
    'USDC among the tokens',
  );
  switch (text(delta.type, 'ledger.delta.type')) {
    case 'deposit':
      return [row('deposit', usdc, delta.usdc)];
    case 'withdraw':
      return [row('withdraw', usdc, delta.usdc, { fee: delta.fee })];
    case 'accountClassTransfer':
      return [row(delta.toPerp === false ? 'to_trading' : 'to_transit', usdc, delta.usdc)];
    case 'spotTransfer':
      return transferRows(row, delta, user, names);
    case 'internalTransfer':
      return [row(isBy(user, delta) ? 'other' : 'transit_in', usdc, delta.usdc)];
    case 'send':
      if (touchesSpotOf(user, delta)) return transferRows(row, delta, user, names);
      if (isBy(user, delta)) return [row('other', identify(delta.token, names.all), delta.amount)];
      // Further markets have sides of their own, of which the desk counts nothing.
      return delta.destinationDex === PERP ? [row('transit_in', usdc, delta.amount)] : [];
    default:
      return [row('other', delta.token ? identify(delta.token, names.all) : usdc, delta.amount ?? delta.usdc ?? '0')];
  }
}

/** The recipient need not care from which side of the sender it came; what we send ourselves stays on the spot side. */
const touchesSpotOf = (user: Address, { destination, sourceDex, destinationDex }: Fields): boolean =>
  destinationDex === 'spot' && (sourceDex === 'spot' || String(destination).toLowerCase() === user.toLowerCase());

const isBy = (user: Address, delta: Fields): boolean => addressIn(delta.user, 'ledger.delta.user') === user;

/** The sender also pays to open an account that did not exist; that is a row of its own, in the fee's own asset. */
function transferRows(row: RowMaker, delta: Fields, user: Address, names: Names): readonly LedgerRow[] {
  const from = addressIn(delta.user, 'ledger.delta.user');
  const to = addressIn(delta.destination, 'ledger.delta.destination');
  const token = identify(delta.token, from === user ? names.ours : names.all);
  if (from === to) return [row('other', token, delta.amount)];
  if (to === user) return [row('send_in', token, delta.amount, { counterparty: from })];
  const sent = row('send_out', token, delta.amount, { counterparty: to, fee: delta.nativeTokenFee });
  const fee = decimal(delta.fee ?? '0', 'ledger.delta.fee');
  if (!/[1-9]/.test(fee)) return [sent];
  return [sent, row('activation', identify(delta.feeToken || 'USDC', names.ours), fee, { counterparty: to })];
}

function identify(value: unknown, tokens: readonly Token[]): Named {
  const name = text(value, 'ledger.delta.token');
  const [bearer, ...namesakes] = tokens.filter((token) => token.name === name);
  return bearer && namesakes.length === 0 ? bearer : name;
}

function rowMaker(update: RawUpdate): RowMaker {
  const { nonce } = update.delta;
  return (kind, token, amount, more = {}) => {
    const known = typeof token === 'string' ? undefined : token;
    return {
      key: `${update.key}:${kind}`,
      kind: known || kind === 'send_in' ? kind : 'other',
      asset: known?.asset ?? assetId(VENUE_CHAIN, `unidentified-${token}` as TokenId),
      atoms: atoms(known ? exactAtoms(amount, known.decimals, `ledger ${kind}`) : 0n),
      fee: atoms(known ? exactAtoms(more.fee ?? '0', known.decimals, `ledger ${kind} fee`) : 0n),
      counterparty: more.counterparty,
      nonce: nonce === undefined || nonce === null ? undefined : whole(nonce, 'ledger.delta.nonce'),
      txHash: txHash(update.hash),
      at: update.at,
    };
  };
}

const addressIn = (value: unknown, where: string): Address =>
  parseVenueAddress(text(value, where).toLowerCase()) ?? malformed(where);
