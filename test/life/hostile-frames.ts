import { toWire } from '../../src/signer/wire.ts';
import { payout, sendHome, trade } from '../unit/signer-bench.ts';
import { type Ask, at, hostile, transfer } from './hostile-room.ts';

const without = (text: string, what: string, instead: string): Ask => transfer(text.replace(what, instead));
const GOOD = toWire(payout());

/** What is no request at all. */
export const FRAMES = hostile('engine', [
  ['half a body', 'malformed body', () => transfer('{"intent":')],
  ['no object', 'malformed ', () => transfer('[]')],
  ['a field that nobody knows', 'malformed extra', () => transfer({ ...payout(), extra: 1 })],
  ['a prototype instead of fields', 'malformed __proto__', () => transfer('{"__proto__":{"intent":"x"}}')],
  ['an amount as a number', 'malformed atoms', () => without(GOOD, '"250000000"', '250000000')],
  ['an amount below nothing', 'malformed atoms', () => without(GOOD, '"250000000"', '"-1"')],
  ['an amount in hexadecimal', 'malformed atoms', () => without(GOOD, '"250000000"', '"0xff"')],
  ['a kind of payment that nobody knows', 'malformed kind', () => without(GOOD, '"kind":"payout"', '"kind":"gift"')],
  ['an account that nobody has', 'malformed from', () => without(GOOD, '"from":"hot"', '"from":"cold"')],
  ['a binding that is too short', 'malformed binding', () => transfer({ ...payout(), binding: 'ab' })],
  ['a body beyond the bound', 'too_large', () => transfer(Buffer.alloc(40_000, 0x20))],
  ['another method', 'not_found', () => ({ path: '/transfer', method: 'PUT', body: payout() })],
  ['the seed', 'not_found', () => ({ path: '/seed', method: 'GET' })],
  ['a key', 'not_found', () => ({ path: '/key', body: { deposit: 0 } })],
  [
    'addresses of a family that has none to ask for',
    'malformed family',
    () => at('/addresses')({ family: 'evm', first: 0, count: 1 }),
  ],
  [
    'more addresses than a call may have',
    'malformed count',
    () => at('/addresses')({ family: 'zcash', first: 0, count: 65 }),
  ],
  ['the balance of a wallet that tells none', 'malformed family', () => at('/balance')({ family: 'zcash' })],
  [
    'outputs of a wallet that splits none',
    'malformed family',
    () => at('/split')({ family: 'zcash', intent: 'treasury:sweep:0', count: 2, atomsEach: '1' }),
  ],
]);

/** The socket of the API, however well the request is bound. */
export const AT_THE_API = hostile('api', [
  ['a payout', 'not_found', () => transfer(payout())],
  ['a trade', 'not_found', () => at('/trade')(trade())],
  ['a move', 'not_found', () => at('/move')(sendHome())],
  [
    'a split',
    'not_found',
    () => at('/split')({ family: 'monero', intent: 'treasury:sweep:0', count: 2, atomsEach: '1' }),
  ],
  ['addresses', 'not_found', () => at('/addresses')({ family: 'zcash', first: 0, count: 1 })],
  ['a balance', 'not_found', () => at('/balance')({ family: 'zcash' })],
  [
    'what a transaction was signed for',
    'not_found',
    () => at('/signed-for')({ chainId: 42161, txHash: `0x${'00'.repeat(32)}` }),
  ],
  ['what was traded under a name', 'not_found', () => at('/signed-trade')({ clientId: trade().ticket.clientId })],
  ['a payout by a path that is spelt otherwise', 'not_found', () => ({ path: '//transfer', body: payout() })],
  ['a payout by a way round', 'not_found', () => ({ path: '/public/../transfer', body: payout() })],
]);
