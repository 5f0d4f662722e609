import { atoms } from '../../src/kernel/amount.ts';
import { bindFill, writeCharter } from '../../src/kernel/binding.ts';
import type { Address } from '../../src/kernel/ids.ts';
import type { TransferRequest } from '../../src/signer/request.ts';
import { XMR_ASSET } from '../../src/world/chains/monero/rules.ts';
import { ZCASH_ID, ZEC_ASSET } from '../../src/world/chains/zcash/rules.ts';
import { ALICE, API, BRIDGE, COLD, ENGINE, ETH, intent, MALLORY, PROVIDER, USDC } from '../unit/signer-bench.ts';
import { bind, elsewhere, house, made, monero, moneroAddress, named, pay, solana, usdc } from './hostile-payments.ts';
import { ADA, hostile, order, transfer } from './hostile-room.ts';

const WANTED = { asset: USDC, most: usdc(5) };
/** The papers of an order that name a thief for something else than its payout. */
const naming = (name: string, purpose: 'fee' | 'fund') =>
  made(name, 5, ALICE, [{ purpose, asset: USDC, address: MALLORY }]);

const BRIDGED = 9_000;

/** Monero of the house's own, to be exchanged for its wrapped form. */
const bridged = (name: string, change: Partial<TransferRequest>): TransferRequest => ({
  ...{
    ...monero(name),
    kind: 'fill',
    owner: 'treasury',
    intent: intent(`treasury:fill:${BRIDGED + name.charCodeAt(1)}`),
  },
  ...{ binding: bindFill(ENGINE, XMR_ASSET.id, moneroAddress(1)), ...change },
});

/** Who may be paid, and by whose word. */
export const DESTINATIONS = hostile('engine', [
  [
    'a payout to a thief, under the binding of its customer',
    'unbound_destination',
    () => transfer(pay('aa', { to: MALLORY, binding: bind('aa', 'payout', ALICE), charter: made('aa', 5) })),
  ],
  [
    'a payout that the engine itself binds to a thief',
    'unbound_destination',
    () => transfer(pay('ab', { to: MALLORY, binding: bind('ab', 'payout', MALLORY, ENGINE), charter: made('ab', 5) })),
  ],
  [
    'a payout bound by a key that nobody knows',
    'unbound_destination',
    () => transfer(pay('ac', { to: MALLORY, binding: bind('ac', 'payout', MALLORY, ADA), charter: made('ac', 5) })),
  ],
  [
    'a payout under the binding of another order',
    'unbound_destination',
    () => transfer(pay('ad', { to: MALLORY, binding: bind('ae', 'payout', MALLORY), charter: made('ad', 5) })),
  ],
  [
    'a payout under the binding of another asset',
    'unbound_destination',
    () =>
      transfer(pay('af', { to: MALLORY, binding: bind('af', 'payout', MALLORY, API, ETH), charter: made('af', 5) })),
  ],
  [
    'a payout under the binding of a refund',
    'unbound_destination',
    () => transfer(pay('ag', { to: MALLORY, binding: bind('ag', 'refund', MALLORY), charter: made('ag', 5) })),
  ],
  [
    'a payout to a thief without any binding',
    'unbound_destination',
    () => transfer({ ...pay('ah', { to: MALLORY, charter: made('ah', 5) }), binding: undefined }),
  ],
  [
    'a payout to the address that its order names for fees',
    'unbound_destination',
    () => transfer({ ...pay('bc', { to: MALLORY, charter: naming('bc', 'fee') }), binding: undefined }),
  ],
  [
    'a deal at an address that the API wrote into the charter',
    'unbound_destination',
    () =>
      transfer({
        ...pay('bd', { to: MALLORY, charter: naming('bd', 'fund') }),
        ...{ kind: 'fund', intent: named('bd', 'fund:0'), binding: undefined },
      }),
  ],
  [
    'a refund to a thief, under the binding of its customer',
    'unbound_destination',
    () =>
      transfer(
        pay('ai', {
          kind: 'refund',
          intent: named('ai', 'refund:1'),
          to: MALLORY,
          binding: bind('ai', 'refund', ALICE),
        }),
      ),
  ],
  [
    'a fee that the engine binds to itself',
    'unbound_destination',
    () => transfer(pay('aj', { kind: 'fee', intent: named('aj', 'fee:0'), binding: bind('aj', 'fee', ALICE, ENGINE) })),
  ],
  [
    'a deal that the API binds to a provider',
    'unbound_destination',
    () =>
      transfer(
        pay('ak', { kind: 'fund', intent: named('ak', 'fund:0'), to: PROVIDER, binding: bind('ak', 'fund', PROVIDER) }),
      ),
  ],
  ['a payout of an order that was never made', 'unknown_order', () => transfer({ ...pay('al'), charter: undefined })],
  [
    'a payout of an order that the engine made',
    'unknown_order',
    () =>
      transfer(
        pay('am', {
          charter: writeCharter(ENGINE, order('am'), {
            gives: WANTED,
            gets: { ...WANTED, address: ALICE },
            places: [],
          }),
        }),
      ),
  ],
  [
    'a payout under the papers of another order',
    'unknown_order',
    () => transfer(pay('an', { charter: made('ao', 5) })),
  ],
  [
    'a payout whose papers were changed in one figure',
    'unknown_order',
    () => transfer(pay('ap', { charter: made('ap', 1).replace('1000000', '9000000') })),
  ],
  [
    'a payout by the treasury',
    'wrong_kind',
    () => transfer({ ...pay('aq'), owner: 'treasury', intent: 'treasury:payout:0' }),
  ],
  ['a payout from a deposit account', 'wrong_account', () => transfer(pay('ar', { from: { deposit: 5 } }))],
  ['a sweep of the hot account', 'wrong_account', () => transfer(house('sweep', { from: 'hot' }))],
  [
    'a sweep of a deposit to a thief',
    'not_our_account',
    () => transfer(house('sweep', { from: { deposit: 5 }, to: MALLORY })),
  ],
  [
    'a sweep to a thief that the hot account sends',
    'not_our_account',
    () => transfer(house('sweep', { from: { deposit: 5 }, to: MALLORY, delegated: { authorize: 0 } })),
  ],
  [
    'a deposit account bound to code that the caller names',
    'malformed delegated.code',
    ({ hot }) => transfer({ ...house('sweep', { from: { deposit: 5 }, to: hot }), delegated: { code: MALLORY } }),
  ],
  [
    'a deposit account bound on every chain at once',
    'malformed delegated.chainId',
    ({ hot }) => transfer({ ...house('sweep', { from: { deposit: 5 }, to: hot }), delegated: { chainId: 0 } }),
  ],
  [
    'a deposit account bound for a time that never comes',
    'cannot_build',
    ({ hot }) => transfer(house('sweep', { from: { deposit: 5 }, to: hot, delegated: { authorize: 1_001 } })),
  ],
  [
    'the hot account bound to code',
    'wrong_account',
    ({ hot }) => transfer(house('sweep', { from: 'hot', to: hot, delegated: { authorize: 0 } })),
  ],
  [
    'a refund that the hot account has a deposit account pay',
    'cannot_build',
    () =>
      transfer(
        pay('as', {
          ...{ kind: 'refund', intent: named('as', 'refund:1'), binding: bind('as', 'refund', ALICE) },
          ...{ from: { deposit: 5 }, delegated: {} },
        }),
      ),
  ],
  [
    'coins that another account sends',
    'cannot_build',
    ({ hot }) => transfer(house('sweep', { asset: ETH, from: { deposit: 5 }, to: hot, delegated: {} })),
  ],
  [
    'a sweep on Solana that another account sends',
    'cannot_build',
    () =>
      transfer(
        solana('at', 900, { kind: 'sweep', intent: named('at', 'sweep:0'), from: { deposit: 5 }, delegated: {} }),
      ),
  ],
  [
    'gas for an address of a thief',
    'not_our_deposit',
    () => transfer(house('gas', { asset: ETH, to: MALLORY, toDeposit: 5 })),
  ],
  [
    'gas for an address without a number',
    'not_our_deposit',
    ({ deposit }) => transfer(house('gas', { asset: ETH, to: deposit(5) })),
  ],
  ['gas in dollars', 'gas_not_native', ({ deposit }) => transfer(house('gas', { to: deposit(5), toDeposit: 5 }))],
  [
    'more gas than a sweep can take',
    'gas_over_cap',
    ({ deposit }) =>
      transfer(house('gas', { asset: ETH, atoms: atoms(10n ** 16n + 1n), to: deposit(5), toDeposit: 5 })),
  ],
  ['a rebalance to a thief', 'not_our_account', () => transfer(house('rebalance', { to: MALLORY }))],
  [
    'a rebalance of another coin to the bridge',
    'not_our_account',
    () => transfer(house('rebalance', { asset: ETH, to: BRIDGE })),
  ],
  [
    'a rebalance that the bridge would swallow',
    'below_bridge_minimum',
    () => transfer(house('rebalance', { to: BRIDGE })),
  ],
  ['what is called cold storage, to a thief', 'not_our_account', () => transfer(house('cold', { to: MALLORY }))],
  ['another coin to a cold store', 'not_our_account', () => transfer(house('cold', { asset: ETH, to: COLD }))],
  [
    'a deposit straight to a cold store',
    'wrong_account',
    () => transfer(house('cold', { from: { deposit: 5 }, to: COLD })),
  ],
  [
    'a cold store in the name of an order',
    'wrong_kind',
    () => transfer(pay('aw', { kind: 'cold', intent: named('aw', 'cold:0'), to: COLD })),
  ],
  [
    'a rebalance to a cold store, beside its limit',
    'not_our_account',
    () => transfer(house('rebalance', { to: COLD })),
  ],
  ['stock from a thief', 'unbound_destination', () => transfer(house('fill', { to: MALLORY }))],
  [
    'stock from a provider that the API named',
    'unbound_destination',
    () => transfer(house('fill', { to: PROVIDER, binding: bindFill(API, USDC, PROVIDER) })),
  ],
  [
    'stock in the name of an order',
    'wrong_kind',
    () =>
      transfer(
        pay('ax', {
          ...{ kind: 'fill', intent: named('ax', 'fill:0'), to: PROVIDER },
          binding: bindFill(ENGINE, USDC, PROVIDER),
        }),
      ),
  ],
  [
    'our own coins to a bridge that nobody agreed on',
    'unbound_destination',
    () => transfer(bridged('ay', { to: moneroAddress(66) })),
  ],
  [
    'our own coins to a bridge that was agreed on for another asset',
    'unbound_destination',
    () => transfer(bridged('az', { binding: bindFill(ENGINE, USDC, moneroAddress(1)) })),
  ],
  [
    'our own coins to a bridge that the API named',
    'unbound_destination',
    () => transfer(bridged('ba', { binding: bindFill(API, XMR_ASSET.id, moneroAddress(1)) })),
  ],
  [
    'our own coins to a bridge, from a deposit account',
    'wrong_account',
    () => transfer(bridged('bb', { from: { deposit: 1 } })),
  ],
  [
    'a refund from a deposit account where there are none',
    'wrong_account',
    () =>
      transfer({
        ...elsewhere('as', ZCASH_ID, ZEC_ASSET.id, 't1VpYecBW4UudbGcy4ufh61eWxQCoFaUrPs' as Address, {
          source: 'shielded',
          most: '250000',
        }),
        kind: 'refund',
        from: { deposit: 1 },
        intent: named('as', 'refund:1'),
      }),
  ],
  [
    'Monero to a thief, under the binding of a customer',
    'unbound_destination',
    () => transfer({ ...monero('at'), to: moneroAddress(2) }),
  ],
  ['Monero of an order that was never made', 'unknown_order', () => transfer({ ...monero('au'), charter: undefined })],
  [
    'Monero out of an address of one deposit',
    'wrong_account',
    () => transfer({ ...monero('av'), from: { deposit: 1 } }),
  ],
]);
