import { atoms } from '../../src/kernel/amount.ts';
import { type Address, type AssetId, chainId } from '../../src/kernel/ids.ts';
import { BITCOIN, LITECOIN } from '../../src/world/chains/bitcoin/networks.ts';
import { MONERO_ID, XMR_ASSET } from '../../src/world/chains/monero/rules.ts';
import { USDT_ASSET } from '../../src/world/chains/tron/rules.ts';
import { ZCASH_ID, ZEC_ASSET } from '../../src/world/chains/zcash/rules.ts';
import { ALICE, USDC, XMR1 } from '../unit/signer-bench.ts';
import { elsewhere, FEE, monero, named, pay, solana } from './hostile-payments.ts';
import { hostile, transfer } from './hostile-room.ts';

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
