import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Address, txHash } from '../../src/kernel/ids.ts';
import { solanaAddressOfKey, TOKEN_PROGRAM, tokenAccountOf } from '../../src/world/chains/solana/address-codec.ts';
import { SOL_ASSET_ID, solanaToken, USDC_MINT } from '../../src/world/chains/solana/codec.ts';
import type { NodeTx, TokenChange } from '../../src/world/chains/solana/node.ts';
import { payeesOf, sightingsIn } from '../../src/world/chains/solana/transfers.ts';

const [OURS, ALICE, BOB] = [1, 2, 3].map((fill) => solanaAddressOfKey(new Uint8Array(32).fill(fill))) as [
  Address,
  Address,
  Address,
];
const NEWER_PROGRAM = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb' as Address;
const FAKE_MINT = BOB;
const BLOCK = { height: 7, hash: 'hash' };

const tokens = (owner: Address, before: bigint, after: bigint, change: Partial<TokenChange> = {}): TokenChange => {
  const mint = change.mint ?? USDC_MINT;
  return { account: tokenAccountOf(owner, mint), owner, mint, program: TOKEN_PROGRAM, before, after, ...change };
};

function tx(change: Partial<NodeTx>): NodeTx {
  return {
    hash: txHash('sig'),
    ok: true,
    coins: [{ account: ALICE, before: 100n, after: 90n }],
    tokens: [],
    ...change,
  };
}

const seen = (change: Partial<NodeTx>) =>
  sightingsIn(tx(change), BLOCK, new Set([OURS])).map(({ asset, atoms, sender }) => ({ asset, atoms, sender }));
const usdc = solanaToken(USDC_MINT);

test('a token account that was not there before held nothing', () => {
  const found = sightingsIn(tx({ tokens: [tokens(ALICE, 9n, 4n), tokens(OURS, 0n, 5n)] }), BLOCK, new Set([OURS]));
  const account = tokenAccountOf(OURS, USDC_MINT);
  assert.deepEqual(found, [
    { key: `sig:${account}`, address: OURS, asset: usdc, atoms: 5n, txHash: 'sig', block: BLOCK, sender: ALICE },
  ]);
});

test('a failed transaction, another mint, the newer token program and another account of ours are no deposits', () => {
  const good = tokens(OURS, 0n, 5n);
  assert.deepEqual(seen({ ok: false, tokens: [good] }), []);
  assert.deepEqual(seen({ tokens: [tokens(OURS, 0n, 5n, { mint: FAKE_MINT })] }), []);
  assert.deepEqual(seen({ tokens: [tokens(OURS, 0n, 5n, { program: NEWER_PROGRAM })] }), []);
  assert.deepEqual(seen({ tokens: [tokens(OURS, 0n, 5n, { account: BOB })] }), []);
  assert.deepEqual(seen({ tokens: [tokens(OURS, 5n, 5n)] }), []);
  assert.deepEqual(payeesOf(tx({ ok: false, tokens: [good] })), []);
  assert.deepEqual(payeesOf(tx({ tokens: [good] })), [OURS]);
});

test('the sender is the wallet that signed, paid the fee and alone gave the asset', () => {
  const coins = (...list: [Address, bigint, bigint][]) =>
    list.map(([account, before, after]) => ({ account, before, after }));
  const got = (sender: Address | undefined) => [{ asset: SOL_ASSET_ID, atoms: 20n, sender }];
  assert.deepEqual(seen({ coins: coins([ALICE, 50n, 25n], [OURS, 0n, 20n]) }), got(ALICE));
  assert.deepEqual(seen({ coins: coins([ALICE, 50n, 45n], [BOB, 20n, 0n], [OURS, 0n, 20n]) }), got(undefined));
  const token = (giver: Address, ...others: TokenChange[]) =>
    seen({ tokens: [tokens(giver, 9n, 4n), tokens(OURS, 0n, 5n), ...others] })[0]?.sender;
  assert.equal(token(ALICE), ALICE);
  assert.equal(token(BOB), undefined, 'somebody else paid the fee');
  assert.equal(token(ALICE, tokens(BOB, 3n, 1n)), undefined, 'two gave');
});
