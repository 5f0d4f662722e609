import { atoms } from '../../src/kernel/amount.ts';
import { approvalText, bindAmount, bindFill } from '../../src/kernel/binding.ts';
import { type Address, type AssetId, type OrderId, txHash } from '../../src/kernel/ids.ts';
import type { TransferRequest } from '../../src/signer/request.ts';
import * as bench from '../unit/signer-bench.ts';
import { bind, DEAR, house, made, named, pay, solana, usdc } from './hostile-payments.ts';
import { ADA, hostile, order, transfer } from './hostile-room.ts';

const { ALICE, API, ARBITRUM, COLD, ENGINE, ETH, MALLORY, USDC } = bench;
const TOO_DEAR = { ...DEAR, gas: '100001', maxFeePerGas: `${10n ** 11n}` };
const raisedTo = (name: string, most: number, by = ENGINE) => ({
  ...{ most: usdc(most), binding: bindAmount(by, order(name), 'payout', USDC, usdc(most)) },
});
const BLOCKHASH_LIFE_MS = 5 * 60_000 + 1;
const NEVER = txHash(`0x${'ee'.repeat(32)}`);
let buried = NEVER;

const kept = new Map<string, TransferRequest>();
/** What was signed under this name, with something else in it. */
const again = (name: string, change: Partial<TransferRequest>) => transfer({ ...kept.get(name), ...change });
const keep = (name: string, change: Partial<TransferRequest> = {}) => {
  const request = pay(name, change);
  kept.set(name, request);
  return transfer(request);
};

/** Something was signed already. */
export const REPEATS = hostile('engine', [
  [
    'the same payment to another address',
    'intent_changed',
    () => again('ca', { to: MALLORY, binding: bind('ca', 'payout', MALLORY), charter: made('ca', 5, MALLORY) }),
    (room) => room.signed(keep('ca')),
  ],
  [
    'the same payment of more',
    'amount_raised',
    () => again('cb', { atoms: usdc(2) }),
    (room) => room.signed(keep('cb')),
  ],
  [
    'the same payment of less, under the same fee',
    'intent_changed',
    () => again('cc', { atoms: atoms(1n) }),
    (room) => room.signed(keep('cc')),
  ],
  [
    'the same payment under another nonce',
    'nonce_changed',
    () => again('cd', { nonce: 99 }),
    (room) => room.signed(keep('cd')),
  ],
  [
    'a second payment under a nonce that is taken',
    'nonce_taken',
    () => transfer(pay('cf', { nonce: kept.get('ce')?.nonce ?? 0 })),
    (room) => room.signed(keep('ce')),
  ],
  [
    'a deposit account bound with a nonce that its own transfer has',
    'nonce_taken',
    ({ hot }) => transfer(house('sweep', { from: { deposit: 6 }, to: hot, delegated: { authorize: 3 } })),
    ({ signed, hot }) => signed(transfer(house('sweep', { from: { deposit: 6 }, to: hot, nonce: 3 }))),
  ],
  [
    'the same sweep, sent by the account itself',
    'intent_changed',
    ({ hot }) => transfer({ ...ownSweep(hot), delegated: undefined }),
    ({ signed, hot }) => signed(transfer(ownSweep(hot))),
  ],
  [
    'the same sweep, bound with another nonce',
    'intent_changed',
    ({ hot }) => transfer({ ...ownSweep(hot), delegated: { authorize: 1 }, fee: DEAR }),
  ],
  [
    'a replacement that pays another',
    'intent_changed',
    () => again('cg', { to: MALLORY, binding: bind('cg', 'payout', MALLORY), fee: DEAR }),
    (room) => room.signed(keep('cg')),
  ],
  [
    'new bytes after a death where bytes never die',
    'never_expires',
    () => again('ch', { afterDead: NEVER, fee: DEAR }),
    (room) => room.signed(keep('ch')),
  ],
  [
    'new bytes after the death of bytes that were never signed',
    'never_signed',
    () => transfer(pay('ci', { afterDead: NEVER })),
  ],
  [
    'new bytes after a death that nobody signed, on Solana',
    'never_signed',
    () => transfer(solana('cj', 0, { afterDead: NEVER })),
  ],
  [
    'a fifth life of one payment on Solana',
    'approval_awaited',
    () => transfer(solana('ck', 5, { afterDead: buried })),
    async (room) => {
      for (let life = 0; life < 4; life += 1) {
        const dead = life === 0 ? {} : { afterDead: buried };
        buried = txHash((await room.signed(transfer(solana('ck', life, dead)))).txHash);
        room.clock.advance(BLOCKHASH_LIFE_MS);
      }
    },
  ],
  [
    'a payout in two parts above what the order was made for',
    'over_order_amount',
    () => transfer(pay('cl', { intent: named('cl', 'payout:1'), charter: made('cl', 1) })),
    (room) => room.signed(transfer(pay('cl', { charter: made('cl', 1) }))),
  ],
  [
    'a payout of what was given back already',
    'over_order_amount',
    () => transfer(pay('cm', { charter: made('cm', 1) })),
    (room) =>
      room.signed(
        transfer(
          pay('cm', {
            kind: 'refund',
            intent: named('cm', 'refund:1'),
            binding: bind('cm', 'refund', ALICE),
            charter: made('cm', 1),
          }),
        ),
      ),
  ],
]);

const fundOf = (name: string, dollars: number): TransferRequest => {
  const owner: OrderId = order(name);
  const raised = { most: usdc(dollars), binding: bindAmount(ENGINE, owner, 'fund', USDC, usdc(dollars)) };
  const binding = bind(name, 'fund', MALLORY, ENGINE);
  return pay(name, { kind: 'fund', intent: named(name, 'fund:0'), to: MALLORY, atoms: usdc(dollars), binding, raised });
};
const large = (name: string, change: Partial<TransferRequest> = {}) => pay(name, { atoms: usdc(700), ...change });

const fillOf = (dollars: number): TransferRequest =>
  house('fill', { to: bench.PROVIDER, atoms: usdc(dollars), binding: bindFill(ENGINE, USDC, bench.PROVIDER) });

/** Too much of it. What uses a limit up comes last. */
export const AMOUNTS = hostile('engine', [
  [
    'more than the order was made for',
    'over_order_amount',
    () => transfer(pay('da', { atoms: usdc(2), charter: made('da', 1) })),
  ],
  [
    'more than that, raised by the API',
    'over_order_amount',
    () => transfer(pay('db', { atoms: usdc(2), charter: made('db', 1), raised: raisedTo('db', 2, API) })),
  ],
  [
    'more than it was raised to',
    'over_order_amount',
    () => transfer(pay('dc', { atoms: usdc(3), charter: made('dc', 1), raised: raisedTo('dc', 2) })),
  ],
  ['more on the word of the engine than one transfer may be', 'over_engine_limit', () => transfer(fundOf('dd', 201))],
  [
    'more on the word of the engine than a day allows',
    'over_engine_limit',
    () => transfer(fundOf('de', 101)),
    (room) => room.signed(transfer(fundOf('df', 200))),
  ],
  [
    'a token that nobody lists, from the hot account',
    'no_limit_set',
    () => transfer(pay('dg', { asset: `${ARBITRUM}:${MALLORY}` as AssetId })),
  ],
  [
    'more in one transfer than its asset allows',
    'over_transfer_limit',
    () => transfer(pay('dh', { atoms: usdc(1_001) })),
  ],
  ['a large payment without a second yes', 'approval_awaited', () => transfer(large('di'))],
  [
    'a large payment to which the engine says yes',
    'approval_awaited',
    () => transfer(large('dj', { approval: ENGINE.sign(approvalText(large('dj'))) })),
  ],
  [
    'a large payment under the yes to another',
    'approval_awaited',
    () => transfer(large('dk', { approval: ADA.sign(approvalText(large('dl'))) })),
  ],
  [
    'a large payment in two parts',
    'approval_awaited',
    () => transfer(pay('dm', { intent: named('dm', 'payout:1'), atoms: usdc(500) })),
    (room) => room.signed(transfer(pay('dm', { atoms: usdc(101) }))),
  ],
  ['one transfer that burns more than its chain allows', 'cost_over_cap', () => transfer(pay('dn', { fee: TOO_DEAR }))],
  [
    'more of one asset than a day allows',
    'over_daily_limit',
    () => transfer(pay('do', { atoms: usdc(600) })),
    async (room) => {
      for (const name of ['dp', 'dq']) await room.signed(transfer(pay(name, { atoms: usdc(550) })));
    },
  ],
  [
    'more of all assets than a day allows',
    'over_daily_limit',
    () => transfer(venuePayout('dr')),
    (room) => room.signed(transfer(venuePayout('ds'))),
  ],
  [
    'more stock on the word of the engine than a day allows',
    'over_daily_limit',
    () => transfer(fillOf(31)),
    (room) => room.signed(transfer(fillOf(20))),
  ],
  [
    'more to a cold store than a day allows',
    'over_daily_limit',
    () => transfer(house('cold', { to: COLD, atoms: usdc(11) })),
    (room) => room.signed(transfer(house('cold', { to: COLD, atoms: usdc(20) }))),
  ],
  [
    'more gas for our own deposits than a day allows',
    'over_daily_limit',
    ({ deposit }) => transfer(gasTo(deposit(5))),
    async (room) => {
      for (let n = 0; n < 3; n += 1) await room.signed(transfer(gasTo(room.deposit(5))));
    },
  ],
  [
    'more fees on one chain than a day allows',
    'over_daily_cost',
    ({ hot }) => transfer(house('rebalance', { asset: ETH, atoms: atoms(0n), to: hot, fee: DEAR })),
    async (room) => {
      for (let n = 0; n < 2; n += 1)
        await room.signed(transfer(house('rebalance', { asset: ETH, atoms: atoms(0n), to: room.hot, fee: DEAR })));
    },
  ],
]);

/** A deposit that the hot account collects, always under the same name. */
const ownSweep = (hot: Address): TransferRequest =>
  house('sweep', { from: { deposit: 7 }, to: hot, delegated: { authorize: 0 }, nonce: 900, intent: OWN_SWEEP });
const OWN_SWEEP = bench.intent('treasury:sweep:900');

function gasTo(to: Address): TransferRequest {
  return house('gas', { asset: ETH, atoms: atoms(10n ** 16n), to, toDeposit: 5 });
}
let venueNonce = 1_700_000_100_000;
function venuePayout(name: string): TransferRequest {
  venueNonce += 1;
  return bench.venuePayout({ owner: order(name), nonce: venueNonce, atoms: atoms(190_000_000n) });
}
