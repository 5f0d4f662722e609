import { atoms } from '../../src/kernel/amount.ts';
import type { Address } from '../../src/kernel/ids.ts';
import type { TransferRequest } from '../../src/signer/request.ts';
import { STRANGER, TRON_ID } from '../../src/world/chains/tron/codec.ts';
import { TRX_ASSET, USDT_ASSET } from '../../src/world/chains/tron/rules.ts';
import { ETH } from '../unit/signer-bench.ts';
import { house, named } from './hostile-payments.ts';
import { hostile, order, STAKED, transfer } from './hostile-room.ts';

const FEE = {
  ...{ ref_block_bytes: '0a12', ref_block_hash: '0011223344556677', timestamp: '1700000000000' },
  ...{ expiration: '1700000180000', fee_limit: '0', overhead: '283000' },
};

/** The energy of five coins for a deposit address, as an honest engine asks for it. */
function lend(name: string, to: Address, change: Partial<TransferRequest> = {}): TransferRequest {
  const { kind = 'lend' } = change;
  const { nonce: _, ...rest } = house(kind, { owner: order(name), intent: named(name, 'gas_sweep:0') });
  const about = { chainId: TRON_ID, asset: TRX_ASSET.id, atoms: atoms(5_000_000n), to, toDeposit: 5, fee: FEE };
  return { ...rest, from: 'hot', ...about, ...change };
}

/** What is lent to whom, of what somebody has staked. */
export const LOANS = hostile('engine', [
  ['energy for an address of a thief', 'not_our_deposit', () => transfer(lend('ea', STRANGER))],
  [
    'energy for a deposit address under another number',
    'not_our_deposit',
    ({ onTron }) => transfer(lend('eb', onTron(6))),
  ],
  ['energy for whoever has staked', 'not_our_deposit', () => transfer(lend('ec', STAKED.account as Address))],
  [
    'energy of dollars',
    'gas_not_native',
    ({ onTron }) => transfer(lend('ed', onTron(5), { asset: USDT_ASSET.id, fee: { ...FEE, fee_limit: '1000000' } })),
  ],
  [
    'more energy than one collection takes',
    'loan_over_cap',
    ({ onTron }) => transfer(lend('ee', onTron(5), { atoms: atoms(BigInt(STAKED.perLoan) * 1_000_000n + 1n) })),
  ],
  ['energy of nothing', 'nothing_to_pay', ({ onTron }) => transfer(lend('ef', onTron(5), { atoms: atoms(0n) }))],
  [
    'energy that a deposit account lends',
    'wrong_account',
    ({ onTron }) => transfer(lend('eg', onTron(5), { from: { deposit: 5 } })),
  ],
  [
    'energy of coins that somebody else has staked',
    'malformed stake',
    ({ onTron }) => transfer({ ...lend('eh', onTron(5)), stake: STRANGER }),
  ],
  [
    'energy under another permission',
    'malformed permission',
    ({ onTron }) => transfer({ ...lend('ei', onTron(5)), permission: 0 }),
  ],
  [
    'a loan that burns coins',
    'cannot_build',
    ({ onTron }) => transfer(lend('ej', onTron(5), { fee: { ...FEE, fee_limit: '1000000' } })),
  ],
  [
    'a loan where nobody has staked anything',
    'wrong_kind',
    ({ deposit }) => transfer(house('lend', { asset: ETH, to: deposit(5), toDeposit: 5 })),
  ],
  ['energy taken back from a thief', 'not_our_deposit', () => transfer(lend('ek', STRANGER, { kind: 'reclaim' }))],
  [
    'energy taken back by a deposit account',
    'wrong_account',
    ({ onTron }) => transfer(lend('el', onTron(5), { kind: 'reclaim', from: { deposit: 5 } })),
  ],
  [
    'the same loan to another address',
    'intent_changed',
    ({ onTron }) => transfer(lend('em', onTron(6), { toDeposit: 6 })),
    ({ signed, onTron }) => signed(transfer(lend('em', onTron(5)))),
  ],
  [
    'the same loan of more',
    'amount_raised',
    ({ onTron }) => transfer(lend('en', onTron(5), { atoms: atoms(6_000_000n) })),
    ({ signed, onTron }) => signed(transfer(lend('en', onTron(5)))),
  ],
  [
    'coins under the name of a loan',
    'intent_changed',
    ({ onTron }) => transfer(lend('eo', onTron(5), { kind: 'gas' })),
    ({ signed, onTron }) => signed(transfer(lend('eo', onTron(5)))),
  ],
]);
