import type pg from 'pg';
import { CHAIN, INTEGRATION, SPACE, type Wanted } from './templates.ts';

/** Deposit addresses that are ready. */
const FREE_ADDRESSES = 200;
/** For every hundred orders, one of which is finished each second, the house pays something. */
export const HOUSE_EVERY_MS = 100_000;

/** What grows with orders and has no order's name: addresses, work of the house, limits, prices, messages and cases that are over. */
export async function besideOrders(client: pg.Client, { open, finished, now }: Wanted, next: number): Promise<void> {
  const each = (count: number) => `generate_series(1, ${Math.max(1, Math.floor(count))}) AS n`;
  const money = `'${CHAIN}:0xaf88d065e77c8cc2239327c5edb3a432268e5831'`;
  const statements = [
    `INSERT INTO deposit_address (space, index, address)
       SELECT '${SPACE}', ${next} + n - 1, 'free ' || n FROM ${each(FREE_ADDRESSES)}`,
    `INSERT INTO payment (id, owner, purpose, number, version, chain_id, asset, atoms, to_address, state, is_settled, created_at, doc)
       SELECT 'treasury:rebalance:' || n, 'treasury', 'rebalance', n, 4, ${CHAIN}, ${money}, 1000000, 'venue', 'settled', true,
         ${now} - n * ${HOUSE_EVERY_MS}::bigint, '{}' FROM ${each(finished / 100)}`,
    `INSERT INTO venue_deposit (key, payment) SELECT 'row ' || n, 'treasury:rebalance:' || n FROM ${each(finished / 100)}`,
    `INSERT INTO venue_move (nonce, kind, asset, atoms, body, created_at, settled_at)
       SELECT ${now} - n * ${HOUSE_EVERY_MS}::bigint, 'withdraw', ${money}, 1000000, repeat('x', 300), ${now} - n * ${HOUSE_EVERY_MS}::bigint,
         ${now} - n * ${HOUSE_EVERY_MS}::bigint FROM ${each(finished / 100)}`,
    `INSERT INTO posting (owner, from_account, to_account, asset, atoms, at)
       SELECT 'treasury', 'payment:treasury:rebalance:' || n, 'world', ${money}, 1000000, ${now} - n * ${HOUSE_EVERY_MS}::bigint FROM ${each(finished / 100)}`,
    `INSERT INTO sighting (chain_id, key, space, address, asset, atoms, tx_hash, height, block_hash, first_seen_at, state, credited, changed)
       SELECT ${CHAIN}, 'hot ' || n, '${SPACE}', '0x${'f'.repeat(40)}', ${money}, 1000000, 'hot ' || n, n % 1000, 'block ' || n,
         ${now} - n * ${HOUSE_EVERY_MS}::bigint, 'final', 1000000, false FROM ${each(finished / 100)}`,
    `INSERT INTO attention (owner, kind, subject, doc, since, closed_at)
       SELECT 'order ' || n, 'instruction_failed', '', '{}', ${now} - n * 60000::bigint, 1 FROM ${each(finished / 100)}`,
    `INSERT INTO quota_bucket SELECT 'client:' || md5(n::text) || ':requests/60', 1, ${now}, 0, ${now} FROM ${each(open / 10)}`,
    `INSERT INTO quota_slot SELECT 'client:' || md5(n::text) || ':requests/60', 0, ${now} FROM ${each(open / 10)}`,
    `INSERT INTO payout_price (asset, address, asked_at, answered_at, usual, opening)
       SELECT ${money}, md5(n::text), ${now}, ${now}, 1, 0 FROM ${each(open / 10)}`,
    `INSERT INTO webhook (id, integration_id, url, status, created_at) VALUES ('wh_growth', '${INTEGRATION}', 'https://example.org', 'active', 1)`,
    `INSERT INTO webhook_message (id, integration_id, type, at, order_id, seq, body)
       SELECT 'msg_' || n, '${INTEGRATION}', 'order.completed', ${now} - n * 10000::bigint, 'order ' || n, 1, repeat('x', 1500) FROM ${each(finished / 10)}`,
    `INSERT INTO webhook_delivery (webhook_id, message_id, line, seq, state, created_at, due_at, tries)
       SELECT 'wh_growth', 'msg_' || n, 'order ' || n, 1, 'delivered', ${now} - n * 10::bigint, ${now}, 1 FROM ${each(finished / 10)}`,
    // A hot account with a long day behind it, and a chain that is down.
    `INSERT INTO effect (key, owner, kind, lane, turn, body, due_at) SELECT 'signing ' || n, 'order ' || n, 'sign_transfer', '${CHAIN}:hot',
       ${now} - n, '{"effect": "sign_transfer"}', ${now} - n FROM ${each(open / 50)}`,
    `INSERT INTO effect (key, owner, kind, body, due_at, trouble, troubled_since) SELECT 'troubled ' || n, 'order ' || n, 'reserve_payout',
       '{"effect": "reserve_payout"}', ${now} - n, 'no answer', ${now} FROM ${each(open / 50)}`,
    `UPDATE effect SET trouble = 'no answer', troubled_since = ${now} WHERE key IN (SELECT key FROM effect ORDER BY key LIMIT 5)`,
  ];
  for (const text of statements) await client.query(text);
}
