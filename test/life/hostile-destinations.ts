import { atoms } from '../../src/kernel/amount.ts';
import { bindFill, writeCharter } from '../../src/kernel/binding.ts';
import { type Address, type AssetId, chainId } from '../../src/kernel/ids.ts';
import { BITCOIN, LITECOIN } from '../../src/world/chains/bitcoin/networks.ts';
import { moneroKeysFromSeed } from '../../src/world/chains/monero/codec.ts';
import { MONERO_ID, XMR_ASSET } from '../../src/world/chains/monero/rules.ts';
import { USDT_ASSET } from '../../src/world/chains/tron/rules.ts';
import { ZCASH_ID, ZEC_ASSET } from '../../src/world/chains/zcash/rules.ts';
import { ALICE, API, BRIDGE, COLD, ENGINE, ETH, MALLORY, PROVIDER, USDC, XMR1 } from '../unit/signer-bench.ts';
import { bind, elsewhere, FEE, house, made, named, pay, solana, usdc } from './hostile-payments.ts';
import { ADA, hostile, order, transfer } from './hostile-room.ts';

const WANTED = { asset: USDC, most: usdc(5) };

/** Who may be paid, and by whose word. */
export const DESTINATIONS = hostile('engine', [
  [
    'a payout to a thief, under the binding of its customer',
    'unbound_destination',
    () => transfer(pay('aa', { to: MALLORY, binding: bind('aa', 'payout', ALICE) })),
  ],
  [
    'a payout that the engine itself binds to a thief',
    'unbound_destination',
    () => transfer(pay('ab', { to: MALLORY, binding: bind('ab', 'payout', MALLORY, ENGINE), charter: made('ab', 5) })),
  ],
  [
    'a payout bound by a key that nobody knows',
    'unbound_destination',
    () => transfer(pay('ac', { binding: bind('ac', 'payout', ALICE, ADA) })),
  ],
  [
    'a payout under the binding of another order',
    'unbound_destination',
    () => transfer(pay('ad', { binding: bind('ae', 'payout', ALICE) })),
  ],
  [
    'a payout under the binding of another asset',
    'unbound_destination',
    () => transfer(pay('af', { binding: bind('af', 'payout', ALICE, API, ETH) })),
  ],
  [
    'a payout under the binding of a refund',
    'unbound_destination',
    () => transfer(pay('ag', { binding: bind('ag', 'refund', ALICE) })),
  ],
  ['a payout without any binding', 'unbound_destination', () => transfer({ ...pay('ah'), binding: undefined })],
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
          charter: writeCharter(ENGINE, order('am'), { gives: WANTED, gets: { ...WANTED, address: ALICE } }),
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

/** How it is written down. */
export const FORMS = hostile('engine', [
  [
    'a payment under the name of another order',
    'bad_intent',
    () => transfer(pay('ba', { intent: named('bb', 'payout:0') })),
  ],
  ['a coin of one chain on another', 'foreign_asset', () => transfer(pay('bc', { asset: XMR1 }))],
  [
    'a listed coin in another spelling',
    'cannot_build',
    () => transfer(pay('bd', { asset: USDC.toLowerCase() as AssetId })),
  ],
  [
    'an address in another spelling',
    'bad_address',
    () => transfer(pay('be', { to: `0x${'AB'.repeat(20)}` as Address })),
  ],
  ['a payment without its nonce', 'bad_nonce', () => transfer({ ...pay('bf'), nonce: undefined })],
  ['a payment of nothing', 'nothing_to_pay', () => transfer(pay('bg', { atoms: atoms(0n) }))],
  [
    'a payment on a chain that the desk does not have',
    'unknown_chain',
    () => transfer(pay('bh', { chainId: chainId(777) })),
  ],
  ['a payment whose fee is left out', 'cannot_build', () => transfer(pay('bi', { fee: {} }))],
  [
    'a tip above the price',
    'cannot_build',
    () => transfer(pay('bj', { fee: { ...FEE, maxPriorityFeePerGas: '100000001' } })),
  ],
  [
    'an Ethereum address on Bitcoin',
    'bad_address',
    () => transfer(elsewhere('bk', BITCOIN.coin.asset.chainId, BITCOIN.coin.asset.id, ALICE, {})),
  ],
  [
    'a Bitcoin address on Litecoin',
    'bad_address',
    () =>
      transfer(
        elsewhere(
          'bl',
          LITECOIN.coin.asset.chainId,
          LITECOIN.coin.asset.id,
          'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq' as Address,
          {},
        ),
      ),
  ],
  [
    'coins on Bitcoin that nobody shows',
    'cannot_build',
    () =>
      transfer(
        elsewhere(
          'bm',
          BITCOIN.coin.asset.chainId,
          BITCOIN.coin.asset.id,
          'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq' as Address,
          {},
        ),
      ),
  ],
  [
    'an Ethereum address on Tron',
    'bad_address',
    () => transfer(elsewhere('bn', USDT_ASSET.chainId, USDT_ASSET.id, ALICE, {})),
  ],
  ['an Ethereum address on Zcash', 'bad_address', () => transfer(elsewhere('bo', ZCASH_ID, ZEC_ASSET.id, ALICE, {}))],
  ['a nonce where there are none', 'bad_nonce', () => transfer({ ...solana('bp', 0), nonce: 1 })],
  ['an Ethereum address on Monero', 'bad_address', () => transfer(elsewhere('bq', MONERO_ID, XMR_ASSET.id, ALICE, {}))],
  ['a nonce on Monero', 'bad_nonce', () => transfer({ ...monero('br'), nonce: 1 })],
  ['a fee on Monero that no wallet knows', 'cannot_build', () => transfer({ ...monero('bs'), fee: { priority: '9' } })],
  [
    'another coin on Monero',
    'cannot_build',
    () => transfer({ ...monero('bt'), asset: `${MONERO_ID}:USDC` as AssetId }),
  ],
]);

/** Monero to somebody whose order it is. */
function monero(name: string) {
  return elsewhere(name, MONERO_ID, XMR_ASSET.id, moneroAddress(1), {});
}
function moneroAddress(of: number): Address {
  return moneroKeysFromSeed(new Uint8Array(32).fill(of)).address;
}
