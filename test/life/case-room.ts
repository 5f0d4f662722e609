import assert from 'node:assert/strict';
import { openSubmit } from '../../src/engine/submit.ts';
import { type Handlers, startWorker } from '../../src/engine/worker.ts';
import { amount } from '../../src/kernel/amount.ts';
import { present } from '../../src/kernel/assert.ts';
import { type AssetId, assetId, chainOf, type OrderId, type TokenId } from '../../src/kernel/ids.ts';
import type { CaseKind } from '../../src/life/case/case.ts';
import type { EffectKind } from '../../src/life/order/effect.ts';
import type { Fact } from '../../src/life/order/fact.ts';
import type { Order } from '../../src/life/order/order.ts';
import { RULES } from '../../src/life/order/rules.ts';
import { move } from '../../src/life/payment/posting.ts';
import type { Statement } from '../../src/store/db.ts';
import { openOrders } from '../../src/store/orders.ts';
import { openOutbox } from '../../src/store/outbox.ts';
import { openPayments } from '../../src/store/payments.ts';
import type { Chain } from '../../src/world/chains/chain.ts';
import { eventually } from '../run/patience.ts';
import { openRoom } from './operator-room.ts';

const ADD_ADDRESS: Statement = {
  name: 'case_room_address',
  text: 'INSERT INTO deposit_address (space, index, address) VALUES ($1, $2, $3)',
};
const NO_WORK: Statement = {
  name: 'case_room_no_work',
  text: 'DELETE FROM effect WHERE NOT (owner = $1 AND kind = $2)',
};
const TROUBLED: Statement = {
  name: 'case_room_troubled',
  text: 'SELECT key FROM effect WHERE owner = $1 AND troubled_since IS NOT NULL',
};
const SPACE = 'stories';
/** What a worker looks for in these stories is there in the next moment or never. */
const WITHIN_MS = 5_000;
const LOOK_AGAIN_MS = 10;

export interface ShownCase {
  readonly id: string;
  readonly orderId?: OrderId;
  readonly case: CaseKind;
  readonly reason: string;
  readonly meaning: string;
  readonly urgency: string;
  readonly actions: readonly string[];
  readonly since: string;
  readonly calls: readonly { readonly method: 'POST'; readonly path: string; readonly body?: Record<string, string> }[];
}

/**
 * The operator's room over the same database as orders, payments and a worker with handlers of the story's own. Deposit
 * addresses are names, or the chain's own.
 */
export async function openCaseRoom(chain?: Chain) {
  const space = chain?.facts.family ?? SPACE;
  const room = await openRoom();
  const { db, clock } = room;
  const [orders, outbox, payments] = [openOrders(db), openOutbox(db), openPayments(db)];
  const submit = openSubmit(orders, payments, RULES, clock);
  let made = 0;
  let told = 0;

  const find = async (id: OrderId): Promise<Order> => present(await submit.find(id), id);

  /** The story's order, kept in the database under an id of its own. */
  async function keep(order: Order): Promise<OrderId> {
    made += 1;
    const index = made;
    const id = `sw_${String(index).padStart(26, 'a')}` as OrderId;
    const [address = `deposit ${index}`] = (await chain?.depositAddresses(index, 1)) ?? [];
    await db.query(ADD_ADDRESS, [space, index, address]);
    const { depositAddress: _, depositIndex: __, ...draft } = order;
    const owner = { sessionHash: 's', integrationId: undefined, keyId: undefined, clientHash: 'c' };
    assert.ok(await orders.create({ ...draft, id }, owner, space, []));
    return id;
  }

  /** Tells a kept order what happened; each fact must be taken. */
  async function tell(id: OrderId, ...facts: readonly (Fact | ((order: Order) => Fact))[]): Promise<Order> {
    for (const one of facts) {
      const fact = typeof one === 'function' ? one(await find(id)) : one;
      told += 1;
      assert.equal(await submit.submit(id, `story ${told}`, fact), 'taken', `${fact.fact}`);
    }
    return find(id);
  }

  const shown = async (): Promise<readonly ShownCase[]> => (await room.ask('GET', '/operator/cases')).json().cases;
  const caseOf = async (kind: CaseKind): Promise<ShownCase | undefined> =>
    (await shown()).find((one) => one.case === kind);

  /** Looks until there is such a case, or none. */
  async function until(kind: CaseKind, isThere: boolean): Promise<ShownCase | undefined> {
    let found: ShownCase | undefined;
    await eventually(async () => {
      found = await caseOf(kind);
      return (found !== undefined) === isThere || `${kind} is ${isThere ? 'not raised' : 'still open'}`;
    }, WITHIN_MS);
    return found;
  }

  /** Looks until something of that owner has failed. */
  const untilTroubled = (owner: OrderId): Promise<void> =>
    eventually(async () => (await db.query(TROUBLED, [owner])).length > 0, WITHIN_MS);

  return {
    ...room,
    ...{ untilTroubled, orders, outbox, payments, submit, keep, tell, find, shown, caseOf, until },
    /** What the treasury holds, of coins for fees as well. */
    async stock(...assets: readonly AssetId[]): Promise<void> {
      const coins = assets.map((asset) => assetId(chainOf(asset), 'COIN' as TokenId));
      const postings = [...assets, ...new Set(coins)].flatMap((asset) =>
        (['treasury', 'gas'] as const).map((account) => move('world', account, amount(asset, 10n ** 24n))),
      );
      await submit.commitHouse({ key: `stock ${assets.join()}`, postings });
    },
    /** Nothing is left to do but instructions of this kind, for that owner. */
    leaveOnly: (owner: OrderId, kind: EffectKind) => db.query(NO_WORK, [owner, kind]),
    /** Carries out what is due with these handlers while the story goes on. */
    async whileWorking(handlers: Partial<Handlers>, go: () => Promise<void>): Promise<void> {
      const session = await db.session();
      const worker = await startWorker({
        ...{ outbox, cases: room.cases, submit, clock, session, id: 1, lookAgainMs: LOOK_AGAIN_MS },
        handlers: handlers as Handlers,
        log: { info() {}, warn() {}, error() {} },
        onLost() {},
        caseAfterMs: RULES.caseAfterMs,
        stockPatienceMs: RULES.stockPatienceMs,
      });
      try {
        await go();
      } finally {
        await worker.stop();
        await session.close();
      }
    },
  };
}

export type CaseRoom = Awaited<ReturnType<typeof openCaseRoom>>;
