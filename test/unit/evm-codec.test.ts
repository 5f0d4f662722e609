import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HDKey } from '@scure/bip32';
import { mnemonicToSeedSync } from '@scure/bip39';
import fc from 'fast-check';
import { encodeFunctionData, erc20Abi, getAddress, keccak256, parseTransaction, recoverTransactionAddress } from 'viem';
import { mnemonicToAccount, privateKeyToAccount } from 'viem/accounts';
import { atoms } from '../../src/kernel/amount.ts';
import { Bug, present } from '../../src/kernel/assert.ts';
import { type Address, chainId } from '../../src/kernel/ids.ts';
import {
  decodeEvm,
  evmAddressOfKey,
  evmAsset,
  evmContractOf,
  evmCost,
  evmDepositAddresses,
  evmUnsigned,
  NATIVE_TOKEN,
  parseEvmAddress,
  signEvm,
} from '../../src/world/chains/evm/codec.ts';
import { decodeRlp, encodeRlp } from '../../src/world/chains/evm/rlp.ts';

const MNEMONIC = 'test test test test test test test test test test test junk';
const KEY = Uint8Array.from(Buffer.from('ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80', 'hex'));
const USDC = '0xaf88d065e77c8cC2239327C5EDb3A432268e5831' as Address;
const ARBITRUM = chainId(42161);
const FEE = { gas: '65000', maxFeePerGas: '2000000000', maxPriorityFeePerGas: '10000000' };

const hex = (bytes: Uint8Array) => `0x${Buffer.from(bytes).toString('hex')}` as const;
const anAddress = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .map((bytes) => getAddress(hex(bytes)) as string as Address);
const someAtoms = fc.bigInt(0n, 2n ** 128n).map(atoms);

test('addresses are read as viem reads them, and a wrong checksum is refused', () => {
  fc.assert(
    fc.property(anAddress, (address) => {
      const digits = address.slice(2);
      assert.equal(parseEvmAddress(address), address);
      assert.equal(parseEvmAddress(address.toLowerCase()), address);
      assert.equal(parseEvmAddress(`0x${digits.toUpperCase()}`), address);
      const swapped = [...digits].map((c) => (c === c.toLowerCase() ? c.toUpperCase() : c.toLowerCase())).join('');
      if (/[a-f]/.test(digits) && /[A-F]/.test(digits)) assert.equal(parseEvmAddress(`0x${swapped}`), undefined);
    }),
  );
  for (const text of ['', USDC.slice(2), `${USDC}0`, `0X${USDC.slice(2)}`, `0x${'g'.repeat(40)}`]) {
    assert.equal(parseEvmAddress(text), undefined);
  }
});

test('deposit addresses are those a wallet derives from the mnemonic', () => {
  const root = HDKey.fromMasterSeed(mnemonicToSeedSync(MNEMONIC));
  const xpub = present(root.derive("m/44'/60'/0'/0").publicExtendedKey, 'xpub');
  for (const addressIndex of [0, 1, 77, 2 ** 31 - 1]) {
    assert.equal(evmDepositAddresses(xpub)(addressIndex), mnemonicToAccount(MNEMONIC, { addressIndex }).address);
  }
  assert.throws(() => evmDepositAddresses(present(root.privateExtendedKey, 'xprv')), Bug);
});

test('what is signed is byte for byte what viem signs, and reads back as what was asked', async () => {
  const account = privateKeyToAccount(hex(KEY));
  const asked = fc.record({ to: anAddress, amount: someAtoms, nonce: fc.nat(), token: fc.boolean() });
  await fc.assert(
    fc.asyncProperty(asked, async ({ to, amount, nonce, token }) => {
      const asset = evmAsset(ARBITRUM, token ? USDC : undefined);
      const unsigned = evmUnsigned({ chainId: ARBITRUM, asset, atoms: amount, to, nonce, fee: FEE });
      const { raw, txHash, from } = signEvm(unsigned, KEY);

      const payment = token
        ? {
            to: getAddress(USDC),
            data: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [getAddress(to), amount] }),
          }
        : { to: getAddress(to), value: amount };
      const gas = { gas: 65_000n, maxFeePerGas: 2_000_000_000n, maxPriorityFeePerGas: 10_000_000n };
      const expected = await account.signTransaction({
        ...payment,
        ...gas,
        chainId: 42161,
        nonce,
        type: 'eip1559',
      });
      assert.equal(raw, expected);
      assert.equal(txHash, keccak256(expected));
      assert.equal(from, account.address);

      const decoded = decodeEvm(raw);
      assert.deepEqual(decoded, { ...unsigned, from, payer: from, transfer: { asset, to, atoms: amount } });
    }),
    { numRuns: 50 },
  );
});

test('bytes made by viem are read back, unless they do more than one plain transfer', async () => {
  const account = privateKeyToAccount(hex(KEY));
  const base = {
    chainId: 42161,
    nonce: 3,
    gas: 21_000n,
    maxFeePerGas: 5n,
    maxPriorityFeePerGas: 1n,
    type: 'eip1559',
  } as const;
  const to = getAddress(USDC);
  const plain = await account.signTransaction({ ...base, to, value: 7n });
  assert.equal(
    decodeEvm(plain).from,
    await recoverTransactionAddress({ serializedTransaction: plain as `0x02${string}` }),
  );
  assert.equal(decodeEvm(plain).transfer.atoms, parseTransaction(plain).value);

  const approve = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [to, 1n] });
  const transfer = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [to, 1n] });
  const accessList = [{ address: to, storageKeys: [] }];
  for (const odd of [
    await account.signTransaction({ ...base, to, data: approve }),
    await account.signTransaction({ ...base, to, data: transfer, value: 1n }),
    await account.signTransaction({ ...base, to, data: `${transfer}00` }),
    await account.signTransaction({ ...base, to, value: 7n, accessList }),
    await account.signTransaction({ ...base, value: 7n }),
    `${plain}00`,
    plain.slice(0, -2),
    '0x',
  ]) {
    assert.throws(() => decodeEvm(odd));
  }
});

test('a payment without a nonce, with an odd fee or on another chain is a bug, not a transaction', () => {
  const to = evmAddressOfKey(KEY);
  const asset = evmAsset(ARBITRUM, undefined);
  const good = { chainId: ARBITRUM, asset, atoms: atoms(1n), to, nonce: 0, fee: FEE };
  assert.equal(evmCost(evmUnsigned(good)), 130_000_000_000_000n);
  const { nonce: _, ...slotless } = good;
  assert.throws(() => evmUnsigned(slotless), Bug);
  assert.throws(() => evmUnsigned({ ...good, nonce: 0.5 }), Bug);
  assert.throws(() => evmUnsigned({ ...good, chainId: chainId(1) }), Bug);
  assert.throws(() => evmUnsigned({ ...good, fee: { ...FEE, gas: '0x10' } }), Bug);
  assert.throws(() => evmUnsigned({ ...good, fee: {} }), Bug);
});

test('an asset names its contract, or the chain’s own coin', () => {
  assert.equal(evmContractOf(evmAsset(ARBITRUM, undefined)), undefined);
  assert.equal(evmAsset(ARBITRUM, undefined), `42161:${NATIVE_TOKEN}`);
  assert.equal(evmContractOf(evmAsset(ARBITRUM, USDC)), USDC);
  assert.throws(() => evmContractOf(evmAsset(ARBITRUM, USDC.toLowerCase() as Address)), Bug);
});

test('RLP comes back as it went, and torn bytes are refused', () => {
  const item = fc.letrec<{ item: Uint8Array | unknown[] }>((tie) => ({
    item: fc.oneof({ maxDepth: 3 }, fc.uint8Array({ maxLength: 70 }), fc.array(tie('item'), { maxLength: 5 })),
  })).item;
  fc.assert(
    fc.property(item, (value) => {
      const bytes = Uint8Array.from(encodeRlp(value as Uint8Array));
      assert.deepEqual(decodeRlp(bytes), value);
      assert.throws(() => decodeRlp(Uint8Array.from([...bytes, 0])), Bug);
      assert.throws(() => decodeRlp(bytes.slice(0, -1)), Bug);
    }),
  );
});
