import { setTimeout as pause } from 'node:timers/promises';
import { ownBinder, sealKeysOf } from '../../src/app/process-keys.ts';
import { type Amount, amount, zero } from '../../src/kernel/amount.ts';
import { present } from '../../src/kernel/assert.ts';
import { bindAmount } from '../../src/kernel/binding.ts';
import { Fault } from '../../src/kernel/fault.ts';
import type { IntentId, OrderId } from '../../src/kernel/ids.ts';
import { keyedHash } from '../../src/kernel/secret.ts';
import type { Order } from '../../src/life/order/order.ts';
import { opened } from '../../src/life/payment/advance.ts';
import { kindOf, type Payment, type Purpose, paymentId } from '../../src/life/payment/payment.ts';
import { openSigner } from '../../src/signer/client.ts';
import type { Statement } from '../../src/store/db.ts';
import { openOrders } from '../../src/store/orders.ts';
import { openPayments } from '../../src/store/payments.ts';
import { openTrades } from '../../src/store/trades.ts';
import type { SignedTransfer } from '../../src/world/chains/chain.ts';
import { decodeEvm } from '../../src/world/chains/evm/codec.ts';
import type { OutboundCall, OutboundReply } from '../../src/world/outbound/http.ts';
import type { Desk, Plant } from './desk.ts';

/** Bugs, each with all else in order: what they sign is within the signer's limits, and saved where they save at all. */

const SEND = 'eth_sendRawTransaction';

const send = ({ world, wire }: Desk, raw: string): Promise<OutboundReply> =>
  wire({
    at: 'chain:42161',
    label: SEND,
    url: world.arbitrum.rpcUrl,
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: SEND, params: [raw] }),
  });

/** Bytes leave as soon as they are signed; they are saved a moment later, if the process lives so long. */
export const sendsBeforeSaving = (desk: Desk): Plant => ({
  signerOutbound: (real) => async (call) => {
    const reply = await real(call);
    const signed = JSON.parse(reply.body) as Partial<SignedTransfer>;
    if (signed.raw && signed.chainId === desk.world.arbitrum.chainId) await send(desk, signed.raw);
    return reply;
  },
});

const FIRST: Statement = {
  name: 'zoo_first',
  text: `SELECT intent FROM attempt WHERE tx_hash = $1 AND intent LIKE '%:' || $2 || ':0'`,
};
const UNKNOWN: OutboundReply = { status: 200, body: '{"jsonrpc":"2.0","id":1,"result":null}' };
const LOOKS = ['eth_getTransactionReceipt', 'eth_getTransactionByHash'];

/** Not a bug of ours: the node has not heard of a payment when it is first asked for it. */
export function laggingNode(
  { world }: Desk,
  kind: 'payout' | 'fund' = 'payout',
  whenUnknown = async (_: IntentId): Promise<void> => {},
): Plant {
  const asked = new Set<string>();
  const paymentIn = async ({ label, body = '' }: OutboundCall): Promise<IntentId | undefined> => {
    if (!LOOKS.includes(label) || asked.has(label)) return undefined;
    const [hash] = (JSON.parse(body) as { params: unknown[] }).params;
    const [row] = await world.db.query(FIRST, [hash, kind]);
    const intent = row?.['intent'] as IntentId | undefined;
    // What is settled was asked for before, and may be of another order.
    const payment = intent && (await openPayments(world.db).find(intent));
    return payment?.state.state === 'settled' ? undefined : intent;
  };
  return {
    outbound: (real) => async (call) => {
      const payment = await paymentIn(call);
      if (!payment) return real(call);
      asked.add(call.label);
      if (asked.size === LOOKS.length) await whenUnknown(payment);
      return UNKNOWN;
    },
  };
}

/** A bug has the engine's key: it says that the order is to be paid so much in all. */
const papersFor = ({ world }: Desk, { id, charter }: Order, kind: 'payout' | 'fund', { asset, atoms }: Amount) => ({
  charter,
  raised: { most: atoms, binding: bindAmount(ownBinder(world.config, 'engine'), id, kind, asset, atoms) },
});

/** "I could not find it" is taken for "it did not happen": the payment is signed again, with the next nonce. */
export const paysAnewWhenUnknown = (desk: Desk, kind: 'payout' | 'fund'): Plant =>
  laggingNode(desk, kind, async (id) => {
    const { db, clock } = desk.world;
    const payments = openPayments(db);
    const payment = present(await payments.find(id), id);
    const [bytes] = await payments.attempts(id);
    const first = decodeEvm(present(bytes, id).raw);
    const { owner, from, to, binding } = payment;
    const purpose: Purpose = kind === 'payout' ? { for: 'payout', number: 1 } : { for: 'provider_deal', deal: 1 };
    const again: Payment = {
      ...{ ...payment, id: paymentId(owner, purpose), purpose, version: 0 },
      ...{ source: 'treasury', state: { state: 'reserved' } },
    };
    const { asset, atoms } = payment.amount;
    const commit = openOrders(db).commit;
    const work = { owner, at: clock.now(), postings: [], payments: [], effects: [], cases: [], over: [] };
    await commit({ ...work, key: `${again.id}:plan`, payments: [again], postings: opened(again).postings });
    const fee = {
      gas: `${first.gas}`,
      maxFeePerGas: `${first.maxFeePerGas}`,
      maxPriorityFeePerGas: `${first.maxPriorityFeePerGas}`,
    };
    const order = present(await openOrders(db).find(owner as OrderId), owner).order;
    const attempt = await openSigner(desk.signerWire).signTransfer({
      ...papersFor(desk, order, kind, amount(asset, 2n * atoms)),
      ...{
        intent: again.id,
        kind: kindOf(purpose),
        owner,
        chainId: first.chainId,
        from,
        asset,
        atoms,
        to,
        ...(binding && { binding }),
        fee,
      },
      nonce: await payments.takeNonce(again.id, first.chainId, 'hot', first.nonce + 1),
    });
    const { txHash } = attempt;
    const done: Payment = { ...again, version: 1, state: { state: 'settled', txHash, cost: zero(asset) } };
    await commit({ ...work, key: `${again.id}:signed`, payments: [done], attempt: { ...attempt, payment: again.id } });
    await send(desk, attempt.raw);
  });

interface Step {
  readonly key: string;
  readonly fact?: { readonly fact: string };
  readonly postings: readonly unknown[];
  readonly order?: { readonly version: number };
}

/** The same deposit is told under two keys. */
export const creditsTwice: Plant = {
  database: (db) => ({
    ...db,
    async query(statement, values = []) {
      const rows = await db.query<never>(statement, values);
      if (statement.name !== 'step_commit') return rows;
      const again = (JSON.parse(String(values[0])) as readonly Step[]).flatMap(({ order, ...step }) => {
        if (step.fact?.fact !== 'deposit_observed' || step.postings.length === 0 || !order) return [];
        const next = { ...order, from: order.version, version: order.version + 1 };
        return [{ ...step, key: `${step.key} again`, effects: [], order: next }];
      });
      if (again.length > 0) await db.query(statement, [JSON.stringify(again)]);
      return rows;
    },
  }),
};

const TICKET: Statement = { name: 'zoo_ticket', text: 'SELECT order_id FROM ticket WHERE body = $1' };

/** A lost answer is taken for a refusal: the same is traded again under a fresh name. */
export function tradesAgainUnderAnotherName({ world, signerWire }: Desk): Plant {
  let isOver = false;
  return {
    outbound: (real) => async (call) => {
      const reply = await real(call);
      if (call.label !== 'exchange:order' || isOver) return reply;
      isOver = true;
      const trades = openTrades(world.db);
      const [row] = await world.db.query(TICKET, [call.body]);
      const owner = row?.['order_id'] as OrderId;
      const { ticket, createdAt } = present(await trades.ticket(owner, 0, 0), owner);
      const { action } = JSON.parse(call.body ?? '') as { action: { orders: { a: number }[] } };
      const wire = { asset: String(action.orders[0]?.a), decimals: '8' };
      const nonce = await trades.nextNonce(world.clock.now());
      const again = { ...ticket, clientId: `0x${'5'.repeat(32)}`, nonce } as const;
      await trades.saveTicket(owner, 0, 1, { ticket: again, createdAt });
      const signed = await openSigner(signerWire).signTrade({ owner, ticket: again, wire });
      await trades.saveSigned(again.clientId, signed);
      await real({ ...call, body: signed.body });
      throw new Fault('ambiguous', call.at, 'the answer was lost');
    },
  };
}

/** What the provider says is taken for what came, and sealed as if the chain had been asked. */
export const takesItsWord = ({ world }: Desk): Plant => ({
  database: (db) => ({
    ...db,
    async query(statement, values = []) {
      if (statement.name !== 'delivery_take') return db.query<never>(statement, values);
      const [, chain, address, asset, atoms] = values.map(String);
      const [key, isReward] = ['its word', false];
      const said = [chain, key, address, asset, atoms, String(isReward), ''].map((part) => part ?? '');
      const seal = keyedHash(sealKeysOf(world.config)[0], 'sighting', ...said);
      const row = { chain_id: chain, key, order_id: null, address, asset, atoms, credited: atoms, is_reward: isReward };
      return [{ ...row, height: null, block_hash: null, sender: null, state: 'final', seal }] as never[];
    },
  }),
});

const UNSETTLED: Statement = {
  name: 'zoo_unsettled',
  text: 'ALTER TABLE delivery DROP CONSTRAINT delivery_pkey',
};
export const ANY_DELIVERY: Statement = {
  name: 'zoo_delivery',
  text: `WITH found AS (
      SELECT * FROM sighting
      WHERE (chain_id, address, asset, atoms, state) = ($2, $3, $4, $5::numeric, 'final')
        AND ($6::text IS NOT NULL OR true) AND first_seen_at >= $7 ORDER BY first_seen_at, key LIMIT 1),
    taken AS (INSERT INTO delivery (chain_id, key, deal) SELECT chain_id, key, $1 FROM found ON CONFLICT DO NOTHING)
    SELECT found.*, NULL AS order_id FROM found`,
};

/** Whatever came in the right amount is taken, by everybody who waits for that amount. */
export async function sharesDeliveries({ world }: Desk): Promise<Plant> {
  await world.db.query(UNSETTLED);
  return {
    database: (db) => ({
      ...db,
      query: (statement, values) => db.query(statement.name === 'delivery_take' ? ANY_DELIVERY : statement, values),
    }),
  };
}

const UNGUARDED: Statement = {
  name: 'zoo_unguarded',
  text: 'ALTER TABLE nonce DROP CONSTRAINT nonce_pkey',
};
const NODE_SAYS: Statement = {
  name: 'zoo_nonce',
  text: `INSERT INTO nonce (chain_id, account, nonce, intent) VALUES ($2, $3, $4, $1)
    ON CONFLICT (intent) DO UPDATE SET nonce = excluded.nonce RETURNING nonce`,
};
/** What was signed takes this long to reach the node. */
const SLOW_MS = 300;

/** The node's count of transactions is the next nonce, whatever was signed and has not reached it yet. */
export async function takesTheNodesNonce({ world }: Desk): Promise<Plant> {
  await world.db.query(UNGUARDED);
  return {
    database: (db) => ({
      ...db,
      query: (statement, values) => db.query(statement.name === 'nonce_take' ? NODE_SAYS : statement, values),
    }),
    outbound: (real) => async (call) => {
      if (call.label === SEND) await pause(SLOW_MS);
      return real(call);
    },
  };
}
