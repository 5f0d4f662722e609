import { type Amount, type Atoms, amount } from '../../../kernel/amount.ts';
import { present } from '../../../kernel/assert.ts';
import { type Clock, type Instant, instant } from '../../../kernel/clock.ts';
import type { Address, AssetId } from '../../../kernel/ids.ts';
import type { LedgerRow } from '../venue.ts';
import type { Ask } from './ask.ts';
import { type Holding, perpUsdc, spotHoldings } from './balances.ts';
import {
  type HistoryLimit,
  historyPageReader,
  historyReader,
  type ReadHistory,
  type ReadHistoryPage,
  tokenList,
} from './history.ts';
import { ledgerRows, type RawUpdate } from './ledger.ts';
import type { Page } from './paging.ts';
import type { Token } from './tokens.ts';

/** The venue's read side as a chain needs it: our tokens, in anyone's account. */
export interface Desk {
  readonly clock: Clock;
  readonly hot: Address;
  readonly tokens: readonly Token[];
  readonly usdc: AssetId;
  token(asset: AssetId): Token;
  holdings(user: Address): Promise<readonly Holding[]>;
  /** USDC on the perpetual side, where it can be neither credited nor sent. */
  perpUsdc(user: Address): Promise<Atoms>;
  readonly history: ReadHistory;
  readonly historyPage: ReadHistoryPage;
  /** What others sent to `user`; rows whose token cannot be told for sure are left out. */
  arrivals(user: Address, since: Instant, limit?: HistoryLimit): Promise<readonly Arrival[]>;
  arrivalPage(user: Address, since: Instant): Promise<Page<Arrival>>;
  /** What others ever sent to `user`, and what he sent to others, by one reading. */
  whole(user: Address): Promise<{ readonly came: readonly Arrival[]; readonly sent: readonly Amount[] }>;
}

export interface Arrival {
  readonly key: string;
  readonly to: Address;
  readonly from: Address;
  readonly asset: AssetId;
  readonly atoms: Atoms;
  readonly nonce: number | undefined;
  readonly hash: LedgerRow['txHash'];
  readonly at: Instant;
}

/** `tokens` begin with USDC. */
export function openDesk(ask: Ask, clock: Clock, hot: Address, tokens: readonly Token[]): Desk {
  const history = historyReader(ask);
  const historyPage = historyPageReader(ask);
  const tokensNewerThan = tokenList(ask, clock);
  async function arrivalsIn(user: Address, updates: readonly RawUpdate[]): Promise<readonly Arrival[]> {
    const sends = updates.filter(({ delta }) => SENDS.has(String(delta.type)));
    const newest = sends.at(-1);
    if (!newest) return [];
    const names = { all: await tokensNewerThan(newest.at), ours: tokens };
    const rows = sends.flatMap((update) => ledgerRows(update, user, names));
    return rows.flatMap((row) => arrival(row, user, tokens) ?? []);
  }
  const isOurs = ({ asset }: LedgerRow): boolean => tokens.some((token) => token.asset === asset);
  return {
    clock,
    hot,
    tokens,
    usdc: present(tokens[0], 'USDC').asset,
    token: (asset) =>
      present(
        tokens.find((one) => one.asset === asset),
        `venue token ${asset}`,
      ),
    holdings: (user) => spotHoldings(ask, user, tokens),
    perpUsdc: (user) => perpUsdc(ask, user),
    history,
    historyPage,
    arrivals: async (user, since, limit) => arrivalsIn(user, await history(user, since, limit)),
    async arrivalPage(user, since) {
      const page = await historyPage(user, since);
      return { ...page, rows: await arrivalsIn(user, page.rows) };
    },
    async whole(user) {
      const updates = await history(user, instant(0));
      const sends = updates.filter(({ delta }) => SENDS.has(String(delta.type)));
      const rows = sends.flatMap((update) => ledgerRows(update, user, { all: tokens, ours: tokens }));
      const sent = rows.flatMap((row) =>
        row.kind === 'send_out' && isOurs(row) ? [amount(row.asset, row.atoms)] : [],
      );
      return { came: await arrivalsIn(user, updates), sent };
    },
  };
}

/** All other rows are the venue's or the account's own affairs. */
export const SENDS = new Set(['spotTransfer', 'send']);

function arrival(row: LedgerRow, to: Address, tokens: readonly Token[]): Arrival | undefined {
  const { kind, counterparty, asset } = row;
  if (kind !== 'send_in' || !counterparty || row.atoms === 0n) return undefined;
  if (!tokens.some((token) => token.asset === asset)) return undefined;
  const { key, atoms, nonce, txHash: hash, at } = row;
  return { key, to, from: counterparty, asset, atoms, nonce, hash, at };
}
