import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Config } from '../../src/app/config.ts';
import { feeAddressParsers } from '../../src/app/wiring/chains.ts';
import { isRefusal } from '../../src/kernel/refusal.ts';
import { venueRules } from '../../src/world/venues/hyperliquid/rules.ts';

const MAINNET = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4';
const REGTEST = 'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080';

test('an integrator’s address is what the chain itself takes for one, also where the desk has no such chain', () => {
  const parsersOf = (chains: Config['chains']) => feeAddressParsers({ chains } as Config, venueRules([]));
  const { feeAddress, feeAddressSol, feeAddressBtc } = parsersOf({});
  assert.equal(
    feeAddress('0xd8da6bf26964af9d7eed9e03e53415d37aa96045'),
    '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045',
    'in its canonical spelling',
  );
  assert.equal(feeAddress('0xd8dA6BF26964aF9D7eEd9e03E53415D37aA9604'), undefined);
  assert.ok(feeAddressSol('7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV'));
  assert.equal(feeAddressSol('not a wallet'), undefined);
  assert.equal(feeAddressBtc(MAINNET.toUpperCase()), MAINNET);
  assert.equal(feeAddressBtc(REGTEST), undefined);
  const rehearsal = parsersOf({ bitcoin: { network: 'regtest' } });
  assert.equal(rehearsal.feeAddressBtc(REGTEST), REGTEST);
  assert.equal(rehearsal.feeAddressBtc(MAINNET), undefined);
  for (const parse of [feeAddress, feeAddressSol, feeAddressBtc]) assert.equal(parse('1'.repeat(1_000_000)), undefined);
});

test('what no chain of its kind pays to is refused as an integrator’s address, too', () => {
  const { feeAddress, feeAddressSol, feeAddressBtc } = feeAddressParsers({ chains: {} } as Config, venueRules([]));
  const refused = [
    feeAddress(`0x${'0'.repeat(40)}`),
    feeAddress('0xaf88d065e77c8cC2239327C5EDb3A432268e5831'),
    feeAddress(`0x${'2'.repeat(40)}`),
    feeAddressSol('11111111111111111111111111111111'),
    feeAddressBtc('1111111111111111111114oLvT2'),
  ].map((found) => (isRefusal(found) ? `${found.refusal}: ${found.message}` : found));
  assert.deepEqual(refused, [
    'address_refused: feeAddress cannot be paid: the zero address.',
    'address_refused: feeAddress cannot be paid: a token contract.',
    'address_refused: feeAddress cannot be paid: this is an address of the venue itself.',
    'address_refused: feeAddressSol cannot be paid: a system address.',
    'address_refused: feeAddressBtc cannot be paid: a burn address.',
  ]);
});
