import { atoms } from '../../src/kernel/amount.ts';
import type { MoveRequest } from '../../src/signer/request.ts';
import * as bench from '../unit/signer-bench.ts';
import { hostile, move, order, trade } from './hostile-room.ts';

const { MALLORY, sendHome } = bench;
const COIN = 100_000_000n;
let numbers = 0;

/** A trade under a name and a nonce of its own. */
function ticket(change: Parameters<typeof bench.trade>[0] = {}) {
  numbers += 1;
  const clientId = `0x${numbers.toString(16).padStart(32, 'b')}` as const;
  return bench.trade({ clientId, nonce: 1_700_000_200_000 + numbers, ...change });
}
const sell = (coins: bigint, limit = '100') => ticket({ side: 'sell', size: atoms(coins * COIN), limit });
const buy = (coins: bigint, limit: string) => ticket({ side: 'buy', size: atoms(coins * COIN), limit });
const KNOWN = ticket();

/** Trades and moves on the venue. */
export const VENUE_REQUESTS = hostile('engine', [
  ['a trade on another market', 'cannot_build', () => trade({ ...ticket(), wire: { asset: '10001', decimals: '8' } })],
  ['a trade of perpetuals', 'cannot_build', () => trade({ ...ticket(), wire: { asset: '0', decimals: '8' } })],
  [
    'a trade that counts the coin otherwise',
    'cannot_build',
    () => trade({ ...ticket(), wire: { asset: '10260', decimals: '6' } }),
  ],
  ['a sale for next to nothing', 'price_out_of_bounds', () => trade(sell(1n, '49.9'))],
  ['a purchase at any price', 'price_out_of_bounds', () => trade(buy(1n, '1000.1'))],
  ['more in one trade than a trade may be', 'size_over_cap', () => trade(sell(11n))],
  ['more money in one trade than a trade may be', 'notional_over_cap', () => trade(buy(3n, '1000'))],
  ['a trade of nothing', 'nothing_to_pay', () => trade(ticket({ size: atoms(0n) }))],
  [
    'the same trade at another price',
    'trade_changed',
    () => trade({ ...KNOWN, ticket: { ...KNOWN.ticket, limit: '999' } }),
    (room) => room.signed(trade(KNOWN)),
  ],
  ['a trade under a nonce that is taken', 'nonce_taken', () => trade(ticket({ nonce: KNOWN.ticket.nonce }))],
  ['more sold than a day allows', 'over_daily_limit', () => trade(sell(6n)), (room) => room.signed(trade(sell(10n)))],
  [
    'more bought than a day allows',
    'over_daily_limit',
    () => trade(buy(1n, '1000')),
    (room) => room.signed(trade(buy(2n, '1000'))),
  ],
  ['a move to a thief', 'not_our_account', () => move(sendHome({}, MALLORY))],
  [
    'a withdrawal to a thief',
    'not_our_account',
    () => move(other({ move: 'withdraw', atoms: atoms(COIN), to: MALLORY, nonce: 1 })),
  ],
  [
    'a withdrawal to ourselves that is mostly fee',
    'below_bridge_minimum',
    ({ hot }) => move(other({ move: 'withdraw', atoms: atoms(99n * COIN), to: hot, nonce: 2 })),
  ],
  [
    'a move in the name of an order',
    'wrong_kind',
    ({ hot }) => move(sendHome({ owner: order('ea'), intent: bench.intent(`${order('ea')}:rebalance:0`) }, hot)),
  ],
  [
    'money to the side of perpetuals',
    'malformed move.move',
    () => move({ ...sendHome(), move: { move: 'to_perp', atoms: '1', nonce: 1 } }),
  ],
  [
    'a move of another token under a known name',
    'cannot_build',
    ({ hot }) => move(sendHome({ wire: { token: 'XMR1:0xdead', decimals: '8' } }, hot)),
  ],
  [
    'a move of nothing',
    'nothing_to_pay',
    ({ hot }) => move({ ...sendHome({}, hot), move: { ...sendHome({}, hot).move, atoms: atoms(0n) } }),
  ],
  [
    'a move under the name of another treasury',
    'bad_intent',
    ({ hot }) => move(sendHome({ intent: bench.intent('house:rebalance:0') }, hot)),
  ],
]);

function other(what: MoveRequest['move']): MoveRequest {
  return { ...sendHome(), move: what };
}
