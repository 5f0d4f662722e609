import { present } from '../kernel/assert.ts';
import type { Instant } from '../kernel/clock.ts';
import type { AssetId, IntentId } from '../kernel/ids.ts';
import type { Case, CaseRef } from '../life/case/case.ts';
import type { Fact } from '../life/order/fact.ts';
import { isFeeOpen } from '../life/order/machine/fees.ts';
import type { Destination, Order } from '../life/order/order.ts';
import { IS_FINAL } from '../life/order/state.ts';
import type { OrderNews } from '../life/order/view/news.ts';
import { reportRow } from '../life/order/view/report.ts';
import { untradedSide } from '../life/order/view/trade-stage.ts';
import { isOurTurn } from '../life/order/view/turn.ts';
import { isOver, type Owner, type Payment } from '../life/payment/payment.ts';
import type { Posting } from '../life/payment/posting.ts';
import type { SignedTransfer } from '../world/chains/chain.ts';
import { encodeCase } from './cases.ts';
import { encode } from './codec.ts';
import type { Db, Statement } from './db.ts';
import { encodeEffect, type KeyedEffect } from './outbox.ts';
import { encodePayment } from './payments.ts';
import { storedOrder } from './stored-order.ts';

/** One unit of work: a fact and everything that must become true together with it. */
export interface Commit {
  readonly owner: Owner;
  readonly key: string;
  readonly at: Instant;
  /** The order after the fact, and the version it was made from; absent for the treasury's own work. */
  readonly order?: { readonly after: Order; readonly from: number; readonly fact: Fact };
  /** What a partner may want to be told of it. */
  readonly news?: readonly OrderNews[];
  readonly postings: readonly Posting[];
  /** Those that are new or have changed. */
  readonly payments: readonly Payment[];
  readonly effects: readonly KeyedEffect[];
  readonly cases: readonly Case[];
  /** Cases of the same owner that are over. */
  readonly over: readonly CaseRef[];
  /** Signed bytes and the payment that they belong to. */
  readonly attempt?: SignedTransfer & { readonly payment: IntentId };
  readonly completes?: string;
}

export type Committed = 'ok' | 'stale' | 'seen' | { readonly shortOf: AssetId };

/** Whose orders these are to write: the engine's, with all that belongs to a step, or a caller's, who may only ask. */
export type Writer = 'engine' | 'api';

const COMMIT: Statement = { name: 'step_commit', text: 'SELECT commit_steps($1::jsonb) AS results' };
/** What a process that serves customers writes is checked by the database itself. */
const COMMAND: Statement = { name: 'command_commit', text: 'SELECT commit_command($1::jsonb) AS result' };

export function openSteps(db: Db, writer: Writer) {
  /**
   * Steps of several orders in one transaction, with an answer for each. All of it fails where one of them does, or where together
   * they take more than there is: whoever asks must then commit them one by one.
   */
  async function commitAll(commits: readonly Commit[]): Promise<readonly Committed[]> {
    const [row] = await db.query(COMMIT, [`[${commits.map(encodeCommit).join(',')}]`]);
    return row?.results as readonly Committed[];
  }

  async function command(one: Commit): Promise<Committed> {
    const [row] = await db.query(COMMAND, [encodeCommit(one)]);
    return row?.result as Committed;
  }

  async function commit(one: Commit): Promise<Committed> {
    try {
      return writer === 'api' ? await command(one) : present((await commitAll([one]))[0], one.key);
    } catch (error) {
      const { code, message } = error as { code?: string; message: string };
      if (code === 'WH002') return { shortOf: message as AssetId };
      throw error;
    }
  }

  return { writer, commit, commitAll };
}

function encodeCommit(commit: Commit): string {
  const { order, attempt } = commit;
  return encode({
    owner: commit.owner,
    key: commit.key,
    at: commit.at,
    postings: commit.postings.map(({ from, to, amount }) => ({
      from,
      to,
      asset: amount.asset,
      atoms: amount.atoms.toString(),
    })),
    payments: commit.payments.map(encodePayment),
    effects: commit.effects.map((one) => encodeEffect(one, commit.at)),
    cases: commit.cases.map(encodeCase),
    over: commit.over,
    ...(attempt ? { attempt: { ...attempt, cost: attempt.cost.toString() } } : {}),
    ...(commit.completes ? { completes: commit.completes } : {}),
    ...(order
      ? {
          fact: order.fact,
          order: encodeOrder(order.after, order.from),
          report: reportRow(order.after),
          news: commit.news ?? [],
        }
      : {}),
  });
}

function encodeOrder(after: Order, from: number) {
  const { state } = after;
  const isOpen = !IS_FINAL[state.phase];
  const short = shortOf(after);
  return {
    from,
    version: after.version,
    updatedAt: after.updatedAt,
    phase: state.phase,
    isOpen,
    isBusy: isOpen || !after.payments.every(isOver) || isFeeOpen(after),
    observed: after.funds.seen.atoms.toString(),
    actual: state.phase === 'completed' ? state.out.atoms.toString() : null,
    replacement: written(after.replacement),
    refundTo: written(after.refundTo),
    shortOf: short?.asset ?? null,
    shortAtoms: short?.atoms.toString() ?? null,
    expects: expects(after),
    isOurTurn: isOurTurn(after),
    untraded: untradedSide(after) ?? null,
    doc: storedOrder(after),
  };
}

/** What the order waits for because the treasury lacks it. */
function shortOf({ state }: Order): { readonly asset: AssetId; readonly atoms: bigint } | undefined {
  if (state.phase === 'stocking' && state.shortOf) return { asset: state.shortOf, atoms: state.stock.atoms };
  if (state.phase === 'payout_due' && state.shortOf) return { asset: state.shortOf, atoms: state.out.atoms };
  return undefined;
}

/** A provider delivers, or gives back. */
function expects({ state }: Order): readonly AssetId[] {
  if (state.phase !== 'swapping' && state.phase !== 'provider_failed') return [];
  const { input, output } = state.deal.terms;
  return [input.asset, output.asset];
}

/** All of a destination as one text, so that the database can see that it never changes. */
export const written = (to: Destination | undefined): string | null =>
  to ? [to.asset, to.address, to.binding].filter(Boolean).join(' ') : null;
