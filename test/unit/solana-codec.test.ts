import assert from 'node:assert/strict';
import { test } from 'node:test';
import { base58 } from '@scure/base';
import {
  createKeyPairSignerFromPrivateKeyBytes,
  decompileTransactionMessage,
  getAddressEncoder,
  getCompiledTransactionMessageDecoder,
  getProgramDerivedAddress,
  getTransactionDecoder,
  isAddress,
  isOffCurveAddress,
  type Address as KitAddress,
  verifySignature,
} from '@solana/kit';
import fc from 'fast-check';
import { atoms } from '../../src/kernel/amount.ts';
import { present } from '../../src/kernel/assert.ts';
import type { Address, AssetId } from '../../src/kernel/ids.ts';
import {
  parseSolanaAccount,
  parseSolanaAddress,
  solanaAddressOfKey,
  TOKEN_ACCOUNT_PROGRAM,
  TOKEN_PROGRAM,
  tokenAccountOf,
} from '../../src/world/chains/solana/address-codec.ts';
import {
  decodeSolana,
  SOL_ASSET_ID,
  signSolana,
  solanaToken,
  solanaUnsigned,
  USDC_MINT,
  USDT_MINT,
} from '../../src/world/chains/solana/codec.ts';
import { decodeEnvelope, decodeMessage, encodeMessage } from '../../src/world/chains/solana/message-codec.ts';
import { SOLANA_ASSETS, solanaRules } from '../../src/world/chains/solana/rules.ts';

const HOT_KEY = new Uint8Array(32).fill(1);
const DEPOSIT_KEY = new Uint8Array(32).fill(2);
const [HOT, DEPOSIT] = [solanaAddressOfKey(HOT_KEY), solanaAddressOfKey(DEPOSIT_KEY)];
const ALICE = solanaAddressOfKey(new Uint8Array(32).fill(3));
const FEE = {
  blockhash: base58.encode(new Uint8Array(32).fill(9)),
  lastValidBlockHeight: '1000',
  unitLimit: '80000',
  unitPrice: '123456789',
  accountRent: '2039280',
};
const keys = fc.uint8Array({ minLength: 32, maxLength: 32 });
const kit = (address: Address) => address as string as KitAddress;

function transfer(asset: AssetId, from: Address, amount: bigint, accountRent = FEE.accountRent) {
  const unsigned = solanaUnsigned({ asset, atoms: atoms(amount), to: ALICE, fee: { ...FEE, accountRent } }, from, HOT);
  return { unsigned, ...signSolana(unsigned, [HOT_KEY, DEPOSIT_KEY]) };
}

test('addresses and token accounts are those that the official library derives', async () => {
  for (const key of fc.sample(keys, { numRuns: 20, seed: 7 })) {
    const { address } = await createKeyPairSignerFromPrivateKeyBytes(key);
    assert.equal(solanaAddressOfKey(key), address);
    assert.equal(parseSolanaAddress(address), address);
    for (const mint of [USDC_MINT, USDT_MINT]) {
      const seeds = [address, kit(TOKEN_PROGRAM), kit(mint)].map((part) => getAddressEncoder().encode(part));
      const [account] = await getProgramDerivedAddress({ programAddress: kit(TOKEN_ACCOUNT_PROGRAM), seeds });
      assert.equal(tokenAccountOf(address as string as Address, mint), account);
      assert.equal(parseSolanaAddress(account), undefined, 'no wallet has the address of a token account');
    }
  }
});

test('any 32 bytes are an account, and a wallet exactly where the official library finds them on the curve', () => {
  fc.assert(
    fc.property(keys, (bytes) => {
      const text = base58.encode(bytes);
      assert.equal(parseSolanaAccount(text), text);
      assert.equal(parseSolanaAddress(text) !== undefined, !isOffCurveAddress(text as KitAddress));
    }),
    { seed: 3 },
  );
  fc.assert(
    fc.property(fc.string({ maxLength: 50 }), (text) => {
      assert.equal(parseSolanaAccount(text) !== undefined, isAddress(text));
    }),
    { seed: 4 },
  );
});

test('what is signed says to the official library what was asked, and carries good signatures', async () => {
  for (const [asset, from] of [
    [SOL_ASSET_ID, HOT],
    [SOL_ASSET_ID, DEPOSIT],
    [solanaToken(USDC_MINT), HOT],
    [solanaToken(USDT_MINT), DEPOSIT],
  ] as const) {
    const { raw, txHash } = transfer(asset, from, 123_456_789_012n);
    const { messageBytes, signatures } = getTransactionDecoder().decode(Buffer.from(raw, 'hex'));
    const signers = await Promise.all([HOT_KEY, DEPOSIT_KEY].map((key) => createKeyPairSignerFromPrivateKeyBytes(key)));
    const expected = signers.filter(({ address }) => address === kit(HOT) || address === kit(from));
    assert.deepEqual(new Set(Object.keys(signatures)), new Set(expected.map(({ address }) => address)));
    for (const { address, keyPair } of expected) {
      const signature = present(signatures[address], address);
      assert.ok(await verifySignature(keyPair.publicKey, signature, messageBytes));
    }
    assert.equal(base58.encode(Uint8Array.from(present(signatures[kit(HOT)], 'first signature'))), txHash);

    const compiled = getCompiledTransactionMessageDecoder().decode(messageBytes);
    assert.ok(compiled.version === 'legacy');
    const message = decompileTransactionMessage(compiled);
    const isNative = asset === SOL_ASSET_ID;
    assert.equal(message.feePayer.address, HOT);
    assert.equal(message.instructions.length, isNative ? 3 : 4);
    const last = present(message.instructions.at(-1), 'the transfer');
    const accounts = (last.accounts ?? []).map(({ address }) => address as string);
    const amount = Buffer.alloc(8);
    amount.writeBigUInt64LE(123_456_789_012n);
    if (isNative) {
      assert.deepEqual(accounts, [from, ALICE]);
      assert.deepEqual(Buffer.from(last.data ?? []), Buffer.concat([Uint8Array.of(2, 0, 0, 0), amount]));
    } else {
      const mint = asset.slice(asset.indexOf(':') + 1) as Address;
      assert.deepEqual(accounts, [tokenAccountOf(from, mint), mint, tokenAccountOf(ALICE, mint), from]);
      assert.deepEqual(Buffer.from(last.data ?? []), Buffer.concat([Uint8Array.of(12), amount, Uint8Array.of(6)]));
    }
  }
});

test('signed bytes are read back as what they do', () => {
  for (const rent of ['0', '2039280']) {
    const { unsigned, raw, txHash } = transfer(solanaToken(USDC_MINT), DEPOSIT, 77n, rent);
    assert.deepEqual(decodeSolana(raw), { ...unsigned, txHash });
    assert.equal(unsigned.opensFor, rent === '0' ? undefined : ALICE);
  }
});

test('bytes that were changed, or do anything beside one transfer, are not read at all', () => {
  const { raw } = transfer(solanaToken(USDC_MINT), HOT, 77n);
  const bytes = Buffer.from(raw, 'hex');
  for (let at = 0; at < bytes.length; at += 1) {
    const bent = Buffer.from(bytes);
    bent[at] = (bent[at] ?? 0) ^ 1;
    assert.throws(() => decodeSolana(bent.toString('hex')), `byte ${at} changed`);
  }
  const { signatures, message } = decodeEnvelope(bytes);
  const { payer, blockhash, instructions } = decodeMessage(message);
  const twice = encodeMessage({ payer, blockhash, instructions: [...instructions, ...instructions.slice(-1)] });
  const more = Buffer.concat([Uint8Array.of(1), ...signatures, twice]);
  assert.throws(() => decodeSolana(more.toString('hex')), /not one plain transfer/);
});

test('nobody is paid to programs, mints and system accounts', () => {
  for (const text of [
    '11111111111111111111111111111111',
    'So11111111111111111111111111111111111111112',
    'SysvarC1ock11111111111111111111111111111111',
    'Stake11111111111111111111111111111111111111',
    TOKEN_PROGRAM,
    TOKEN_ACCOUNT_PROGRAM,
    USDC_MINT,
  ]) {
    const address = present(solanaRules.parseAddress(text), text);
    assert.ok(solanaRules.refusesDestination(address), text);
  }
  assert.equal(solanaRules.parseAddress(USDT_MINT), undefined);
  assert.equal(solanaRules.refusesDestination(ALICE), undefined);
});

test('tokens are named by mint, and coins by each of their names', () => {
  for (const text of ['SOL', 'native', '11111111111111111111111111111111'])
    assert.equal(solanaRules.parseToken(text), 'SOL');
  assert.equal(solanaRules.parseToken(USDT_MINT), USDT_MINT);
  for (const text of ['sol', 'USDC', 'So11111111111111111111111111111111111111112', USDC_MINT.toLowerCase()])
    assert.equal(solanaRules.parseToken(text), undefined);
});

test('a wallet link is Solana Pay’s', () => {
  const [sol, usdc] = SOLANA_ASSETS;
  const uri = (asset = sol, amount?: bigint) =>
    solanaRules.depositUri(ALICE, present(asset, 'asset'), amount === undefined ? undefined : atoms(amount));
  assert.equal(uri(), `solana:${ALICE}`);
  assert.equal(uri(sol, 1_500_000_000n), `solana:${ALICE}?amount=1.5`);
  assert.equal(uri(usdc, 10_000n), `solana:${ALICE}?amount=0.01&spl-token=${USDC_MINT}`);
  assert.equal(uri(usdc), `solana:${ALICE}?spl-token=${USDC_MINT}`);
});
