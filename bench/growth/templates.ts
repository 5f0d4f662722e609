import { randomBytes } from 'node:crypto';
import { openSubmit } from '../../src/engine/submit.ts';
import { amount, atoms } from '../../src/kernel/amount.ts';
import { present } from '../../src/kernel/assert.ts';
import {
  type Address,
  type AssetId,
  assetId,
  chainOf,
  type OrderId,
  type TokenId,
  txHash,
} from '../../src/kernel/ids.ts';
import { Secret } from '../../src/kernel/secret.ts';
import { firstEffects } from '../../src/life/order/create.ts';
import type { Fact } from '../../src/life/order/fact.ts';
import type { Order } from '../../src/life/order/order.ts';
import { RULES } from '../../src/life/order/rules.ts';
import { intentOf, type PurposeName } from '../../src/life/payment/payment.ts';
import { move } from '../../src/life/payment/posting.ts';
import type { Db } from '../../src/store/db.ts';
import { openOrders } from '../../src/store/orders.ts';
import { openPayments } from '../../src/store/payments.ts';
import { openSightings } from '../../src/store/sightings.ts';
import type { SignedTransfer } from '../../src/world/chains/chain.ts';
import { ETH, USDC, usdc, XMR, xmr1 } from '../../test/life/market.ts';
import { AT, filled, news, screened } from '../../test/life/order-phases.ts';
import { paymentOf } from '../../test/life/payment-facts.ts';
import { buyOrder, CREATED, final, minute, pooled } from '../../test/life/world.ts';
import { newPartner } from '../reports.ts';
import { moneroAddresses } from '../swap.ts';

/** How far an order of each kind has come. `returning` waits for its customer to say where to. */
export const KINDS = ['awaiting', 'confirming', 'trading', 'paying', 'returning', 'completed', 'expired'] as const;
export type Kind = (typeof KINDS)[number];

/** What a database is to be filled with. */
export interface Wanted {
  readonly open: number;
  readonly finished: number;
  /** By this clock orders that wait were made within the last hour, and those that are finished one every second before. */
  readonly now: number;
  /** Rows are moved there once all of a table's are written, as to a file system that compresses. Indexes stay. */
  readonly tablespace?: string | undefined;
}

export const SPACE = 'evm';
export const INTEGRATION = 'int_growth';
export const CHAIN = USDC.chainId;
export const HOT = `0x${'f'.repeat(40)}` as Address;

/** One order of a kind, as the product itself wrote it; its id and its address are found in every row of it. */
export interface Template {
  readonly kind: Kind;
  readonly id: OrderId;
  readonly address: Address;
}

type Part = 'main' | 'gas';
type Telling = (order: Order) => { readonly fact: Fact; readonly signs?: Part };

const simply =
  (fact: Fact): Telling =>
  () => ({ fact });

/** The same steps for every payment; bytes are saved with the fact that they were signed. */
const paying = (purpose: PurposeName, part: Part, ...steps: ('signed' | 'sent' | 'confirmed' | 'settled')[]) =>
  steps.map(
    (step): Telling =>
      (order) => ({ fact: news(order, purpose, part)[step], ...(step === 'signed' ? { signs: part } : {}) }),
  );

const came = (one: typeof final) => (order: Order) => ({
  fact: one(usdc('100'), AT, { txHash: depositHash(order.id), sender: SENDER, senders: [SENDER] }),
});
const collected: readonly Telling[] = [
  came(final),
  simply(screened(true)),
  (order) => ({ fact: news(order, 'collection').priced(5n) }),
  ...paying('collection', 'gas', 'signed', 'sent', 'confirmed'),
  ...paying('collection', 'main', 'signed', 'sent', 'confirmed'),
  simply({ fact: 'stock_reserved', at: AT }),
];
const tradedAndReserved: readonly Telling[] = [
  ...collected,
  (order) => ({ fact: filled(order) }),
  simply({ fact: 'payout_reserved', at: AT }),
  ...paying('payout', 'main', 'signed', 'sent'),
];

const STORIES: Readonly<Record<Kind, readonly Telling[]>> = {
  awaiting: [],
  confirming: [came(pooled)],
  trading: collected,
  paying: tradedAndReserved,
  returning: [came(final), simply(screened(false))],
  completed: [
    ...tradedAndReserved,
    ...paying('payout', 'main', 'confirmed', 'settled'),
    ...paying('collection', 'main', 'settled'),
    ...paying('collection', 'gas', 'settled'),
  ],
  expired: [simply({ fact: 'deadline_passed', at: minute(61) })],
};

const SENDER = `0x${'5e4de7'.padEnd(40, '0')}` as Address;
const depositHash = (id: OrderId) => txHash(`0x${id}deposit`);
const clock = { now: () => CREATED };

/** Writes one order of each kind through the store, with a partner, stock, and what the chain showed. */
export async function makeTemplates(db: Db): Promise<readonly Template[]> {
  const orders = openOrders(db);
  const submit = openSubmit(orders, openPayments(db), RULES, clock);
  const sightings = openSightings(db, new Secret<Uint8Array>(randomBytes(32)));
  const hashKey = new Secret<Uint8Array>(randomBytes(32));
  await newPartner(db, { id: INTEGRATION, feeAddress: SENDER }, hashKey, CREATED);
  const spent = buyOrder().route.legs.flatMap((leg) => (leg.leg === 'venue' ? [leg.spend] : []));
  await submit.commitHouse({ key: 'stock', postings: stock([USDC.id, XMR.id, ETH.id, xmr1('1').asset, ...spent]) });

  const templates: Template[] = KINDS.map((kind, index) => ({
    kind,
    id: `sw_${kind.padEnd(26, 'q')}` as OrderId,
    address: `0x${(index + 1).toString(16).padStart(2, '0')}${'e'.repeat(38)}` as Address,
  }));
  await sightings.issue(
    SPACE,
    0,
    templates.map(({ address }) => address),
  );
  const [destination = '' as Address] = moneroAddresses(1);
  for (const { kind, id } of templates) {
    const { depositAddress: _, depositIndex: __, ...draft } = buyOrder();
    const payout = { asset: draft.destination.asset, address: destination };
    const owner = {
      sessionHash: `session ${id}`,
      integrationId: INTEGRATION,
      keyId: 'key',
      clientHash: `client ${id}`,
    };
    await orders.create(
      { ...draft, id, destination: payout, charter: 'c'.repeat(400) },
      { ...owner, endUserHash: `user ${id}` },
      SPACE,
      firstEffects({ ...draft, id }),
    );
    let told = 0;
    for (const telling of STORIES[kind]) {
      const order = present(await submit.find(id), id);
      const { fact, signs } = telling(order);
      const attempt = signs && 'payment' in fact ? { attempt: signedBytes(order, fact.payment, signs) } : {};
      const taken = await submit.submit(id, `${id}:fill:${told++}`, fact, attempt);
      if (taken !== 'taken') throw new Error(`${kind}: ${fact.fact} was ${JSON.stringify(taken)}`);
    }
  }
  await showDeposits(sightings, templates);
  await endWork(db);
  return templates;
}

function stock(assets: readonly AssetId[]) {
  const coins = assets.map((asset) => assetId(chainOf(asset), 'COIN' as TokenId));
  return [...new Set([...assets, ...coins])].flatMap((asset) =>
    (['treasury', 'gas'] as const).map((account) => move('world', account, amount(asset, 10n ** 30n))),
  );
}

function signedBytes(order: Order, payment: string, part: Part): SignedTransfer {
  const one = present(
    order.payments.find(({ id }) => id === payment),
    payment,
  );
  const { purpose } = one;
  const hash = news(order, purpose.for, part).confirmed.txHash;
  const intent = intentOf(paymentOf(order, purpose.for), part);
  return {
    ...{ intent, chainId: chainOf(one.amount.asset), txHash: hash, raw: 'a'.repeat(400) },
    ...{ consumes: [`nonce:${hash}`], cost: atoms(2n) },
  };
}

/** One deposit of each order that was paid: settled where the order went on, else in a block that is young yet. */
async function showDeposits(sightings: ReturnType<typeof openSightings>, templates: readonly Template[]) {
  const paid = templates.filter(({ kind }) => kind !== 'awaiting' && kind !== 'expired');
  const block = { height: 1_000, hash: `0x${'b'.repeat(64)}` };
  const seen = paid.map(({ id, address }) => ({
    ...{ key: `${depositHash(id)}:0`, address, asset: USDC.id, atoms: usdc('100').atoms, sender: SENDER },
    ...{ txHash: depositHash(id), block },
  }));
  const heads = { tip: 1_010, safe: 1_005, finalized: 1_000 };
  const cursor = { height: 1_010, recent: [] };
  const page = { cursor, heads, rewoundTo: undefined, sightings: seen, pool: [], more: false };
  await sightings.savePage(CHAIN, SPACE, undefined, page, AT);
  const kept = await sightings.live(CHAIN, 100, undefined);
  const told = kept.map((one) =>
    one.orderId?.startsWith('sw_confirming') ? one : { ...one, credited: one.atoms, state: 'final' as const },
  );
  await sightings.settle(
    CHAIN,
    told.filter(({ state }) => state === 'final'),
  );
  await sightings.reported(CHAIN, told);
}

/** A worker would have taken what is due by now. An order that is paid is looked at again in a while. */
async function endWork(db: Db): Promise<void> {
  const text = `DELETE FROM effect WHERE NOT (
    kind = 'judge_deadline' AND owner LIKE 'sw_awaiting%' OR kind = 'watch_transfer' AND owner LIKE 'sw_paying%')`;
  await db.query({ name: 'growth_end_work', text });
  await db.query({ name: 'growth_due', text: 'UPDATE effect SET due_at = $1' }, [minute(60)]);
}
