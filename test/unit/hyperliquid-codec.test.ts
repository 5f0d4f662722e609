import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SpotSendTypes, UsdClassTransferTypes, Withdraw3Types } from '@nktkas/hyperliquid/api/exchange';
import { createL1ActionHash, signL1Action, signUserSignedAction } from '@nktkas/hyperliquid/signing';
import fc from 'fast-check';
import { hashTypedData } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { atoms } from '../../src/kernel/amount.ts';
import { instant } from '../../src/kernel/clock.ts';
import { type Address, assetId, chainId, type TokenId } from '../../src/kernel/ids.ts';
import {
  type Action,
  addressOf,
  l1Digest,
  moveAction,
  recoverSigner,
  requestBody,
  signDigest,
  signL1Body,
  signMoveBody,
  signTradeBody,
  tradeAction,
  userDigest,
} from '../../src/world/venues/hyperliquid/codec.ts';
import type { Packable } from '../../src/world/venues/hyperliquid/msgpack.ts';
import type { Ticket, VenueMove } from '../../src/world/venues/venue.ts';

const KEY = Uint8Array.from({ length: 32 }, (_, index) => index + 1);
const HEX_KEY = `0x${Buffer.from(KEY).toString('hex')}` as const;
const wallet = privateKeyToAccount(HEX_KEY);
const NONCE = 1_800_000_000_123;
const TOKEN = '0xbb2057659bd378d17e2e151bb04bdcaa';
const MARKET = { asset: '10260', decimals: '8' };
const TOKEN_WIRE = { token: `XMR1:${TOKEN}`, decimals: '8' };
const FRIEND = '0x52908400098527886E0F7030069857D2E4169EE7' as Address;

const ticket: Ticket = {
  clientId: '0x000102030405060708090a0b0c0d0e0f',
  side: 'buy',
  size: atoms(1_230_000_000n),
  limit: '312.45',
  nonce: NONCE,
  expiresAfter: instant(NONCE + 30_000),
};

const moves: readonly (readonly [VenueMove, Record<string, { name: string; type: string }[]>])[] = [
  [
    {
      move: 'send',
      asset: assetId(chainId(1337), TOKEN as TokenId),
      atoms: atoms(150_000_001n),
      to: FRIEND,
      nonce: NONCE,
    },
    SpotSendTypes,
  ],
  [{ move: 'withdraw', atoms: atoms(2_500_000_000n), to: FRIEND, nonce: NONCE }, Withdraw3Types],
  [{ move: 'to_trading', atoms: atoms(1_000_000n), nonce: NONCE }, UsdClassTransferTypes],
  [{ move: 'to_transit', atoms: atoms(1_000_100n), nonce: NONCE }, UsdClassTransferTypes],
];

test('a trade is the order action that another implementation signs the same way', async () => {
  const action = tradeAction(ticket, MARKET);
  assert.deepEqual(action.orders, [
    {
      a: 10260,
      b: true,
      p: '312.45',
      s: '12.3',
      r: false,
      t: { limit: { tif: 'Ioc' } },
      c: ticket.clientId,
    },
  ]);
  const theirs = await signL1Action({ wallet, action, nonce: NONCE, expiresAfter: ticket.expiresAfter });
  const signed = signTradeBody(ticket, MARKET, KEY);
  assert.deepEqual(JSON.parse(signed.body), {
    action,
    nonce: NONCE,
    signature: theirs,
    expiresAfter: ticket.expiresAfter,
  });
});

test('an action without expiry hashes without it', async () => {
  const action: Action = { type: 'noop' };
  const theirs = await signL1Action({ wallet, action, nonce: NONCE });
  assert.deepEqual(JSON.parse(signL1Body(action, NONCE, undefined, KEY).body).signature, theirs);
});

for (const [move, types] of moves) {
  test(`${move.move} is signed field by field as another implementation does`, async () => {
    const action = moveAction(move, TOKEN_WIRE);
    const theirs = await signUserSignedAction({
      wallet,
      action: action as Action & { signatureChainId: `0x${string}` },
      types,
    });
    assert.deepEqual(signDigest(userDigest(action), KEY), theirs);
    const body = JSON.parse(signMoveBody(move, TOKEN_WIRE, KEY).body);
    assert.deepEqual(body, { action, nonce: NONCE, signature: theirs });
    assert.equal(action.signatureChainId, '0xa4b1');
    assert.equal(action.hyperliquidChain, 'Mainnet');
  });
}

test('the signer is recovered from its signature, and another digest recovers somebody else', () => {
  const digest = l1Digest(tradeAction(ticket, MARKET), NONCE, undefined);
  const signature = signDigest(digest, KEY);
  assert.equal(recoverSigner(digest, signature), wallet.address);
  assert.equal(addressOf(KEY), wallet.address);
  const other = l1Digest(tradeAction(ticket, MARKET), NONCE + 1, undefined);
  assert.notEqual(recoverSigner(other, signature), wallet.address);
});

test('packing agrees with another implementation for every shape an action can have', () => {
  const text = fc.string({ maxLength: 300 });
  const key = fc.stringMatching(/^[a-z][a-zA-Z0-9]{0,40}$/);
  const { value } = fc.letrec<{ value: Packable }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      text,
      fc.boolean(),
      fc.nat(),
      fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
      fc.array(tie('value'), { maxLength: 20 }),
      fc.dictionary(key, tie('value'), { maxKeys: 20 }),
    ),
  }));
  fc.assert(
    fc.property(fc.dictionary(key, value), fc.nat(), (fields, nonce) => {
      const action = { ...fields, type: 'any' } as Action;
      const digest = l1Digest(action, nonce, undefined);
      const theirs = createL1ActionHash({ action, nonce });
      const agent = signDigest(digest, KEY);
      assert.equal(recoverSigner(digest, agent), wallet.address);
      assert.equal(agentDigest(theirs), Buffer.from(digest).toString('hex'));
    }),
    { numRuns: 100 },
  );
});

test('what cannot be meant is not signed', () => {
  const send = moves[0]?.[0] as VenueMove;
  assert.throws(() => moveAction(send, { token: 'XMR1:0x00', decimals: '8' }), /is not/);
  assert.throws(() => moveAction({ move: 'to_trading', atoms: atoms(150n), nonce: NONCE }, {}), /millionths/);
  assert.throws(() => tradeAction({ ...ticket, clientId: '0x12' }, MARKET), /cloid/);
  assert.throws(() => tradeAction(ticket, { asset: '10260x', decimals: '8' }), /asset/);
});

test('the body keeps the order of keys, because the venue hashes it', () => {
  const body = requestBody(tradeAction(ticket, MARKET), NONCE, { r: '0x1', s: '0x2', v: 27 }, NONCE + 1);
  assert.match(body, /^\{"action":\{"type":"order","orders":\[\{"a":10260,"b":true,"p":.*"grouping":"na"\},"nonce":/);
});

/** The phantom agent's digest for a given action hash, by viem. */
function agentDigest(connectionId: `0x${string}`): string {
  return hashTypedData({
    domain: {
      name: 'Exchange',
      version: '1',
      chainId: 1337,
      verifyingContract: '0x0000000000000000000000000000000000000000',
    },
    types: {
      Agent: [
        { name: 'source', type: 'string' },
        { name: 'connectionId', type: 'bytes32' },
      ],
    },
    primaryType: 'Agent',
    message: { source: 'a', connectionId },
  }).slice(2);
}
