import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { before, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { sha256 } from '@noble/hashes/sha2.js';
import { utf8ToBytes } from '@noble/hashes/utils.js';
import { atoms } from '../../src/kernel/amount.ts';
import { type Address, intentId, txHash } from '../../src/kernel/ids.ts';
import { zcashRail } from '../../src/signer/rails/zcash.ts';
import type { TransferRequest } from '../../src/signer/request.ts';
import {
  addressForms,
  decodeAddress,
  encodeAddress,
  expiryHeight,
  parseZcashAddress,
  receiverNames,
  zcashUri,
} from '../../src/world/chains/zcash/codec.ts';
import { ZCASH_DEFAULTS, ZCASH_ID, ZEC_ASSET, zcashRules } from '../../src/world/chains/zcash/rules.ts';
import { RECEIVER_BYTES, RECEIVER_TYPES, type ReceiverType } from '../../src/world/chains/zcash/unified-codec.ts';

/** The official Rust library, compiled: a second opinion. It is packed for bundlers, so a test loads it by hand. */
interface Official {
  is_valid_zcash_address(text: string): boolean;
  get_zcash_address_type(text: string): string;
}
let official: Official;

/** As much of WebAssembly as is needed here. */
interface Engine {
  instantiate(code: Uint8Array, imports: unknown): Promise<{ readonly instance: { readonly exports: Exports } }>;
}
interface Exports {
  __wbindgen_start(): void;
}

before(async () => {
  const glue = createRequire(import.meta.url)
    .resolve('@elemental-zcash/zaddr_wasm_parser')
    .replace(/\.js$/, '_bg');
  const bindings = (await import(pathToFileURL(`${glue}.js`).href)) as Official & { __wbg_set_wasm(of: Exports): void };
  const { WebAssembly: engine } = globalThis as unknown as { readonly WebAssembly: Engine };
  const code = readFileSync(`${glue}.wasm`);
  const { instance } = await engine.instantiate(code, { './zaddr_wasm_parser_bg.js': bindings });
  bindings.__wbg_set_wasm(instance.exports);
  instance.exports.__wbindgen_start();
  official = bindings;
});

const bytesOf = (name: string, length: number): Uint8Array => {
  const [a, b] = [sha256(utf8ToBytes(name)), sha256(utf8ToBytes(`${name}!`))];
  return Uint8Array.from([...a, ...b]).slice(0, length);
};
const receivers = (salt: string, types: readonly ReceiverType[]) =>
  Object.fromEntries(types.map((type) => [type, bytesOf(salt + type, RECEIVER_BYTES[type])]));
const unified = (salt: string, types: readonly ReceiverType[]): Address =>
  encodeAddress({ kind: 'unified', receivers: receivers(salt, types) });

const COMBINATIONS: readonly (readonly ReceiverType[])[] = [
  ['orchard'],
  ['sapling'],
  ['sapling', 'orchard'],
  ['p2pkh', 'orchard'],
  ['p2sh', 'sapling'],
  ['p2pkh', 'sapling', 'orchard'],
];

test('unified addresses are what the official library takes, receiver by receiver', () => {
  for (const types of COMBINATIONS) {
    for (let salt = 0; salt < 20; salt += 1) {
      const address = unified(String(salt), types);
      assert.ok(official.is_valid_zcash_address(address), address);
      assert.equal(official.get_zcash_address_type(address), 'unified');
      const decoded = decodeAddress(address);
      assert.deepEqual(decoded, { kind: 'unified', receivers: receivers(String(salt), types) });
      assert.equal(parseZcashAddress(address.toUpperCase()), address);
    }
  }
});

test('Sapling and transparent addresses are what the official library takes', () => {
  const sapling = encodeAddress({ kind: 'sapling', receivers: receivers('a', ['sapling']) });
  const [key, script] = (['p2pkh', 'p2sh'] as const).map((type) =>
    encodeAddress({ kind: 'transparent', receivers: receivers('a', [type]) }),
  );
  assert.deepEqual(
    [sapling, key, script].map((address) => official.is_valid_zcash_address(address ?? '') && address?.slice(0, 2)),
    ['zs', 't1', 't3'],
  );
  for (const address of [sapling, key, script]) assert.equal(parseZcashAddress(address ?? ''), address);
});

test('one wrong letter is always noticed', () => {
  for (const address of [unified('x', ['p2pkh', 'orchard']), 't1VmmGiyjVNeCjxDZzg7vZmd99WyzVby9yC']) {
    for (let at = 0; at < address.length; at += 1) {
      const other = address.charAt(at) === 'q' ? 'p' : 'q';
      const bent = address.slice(0, at) + other + address.slice(at + 1);
      assert.equal(parseZcashAddress(bent), undefined, bent);
    }
  }
});

test('other networks, payees of transparent money only, and unknown parts alone are refused', () => {
  const elsewhere = [
    'tmEZhbWHTpdKMw5it8YDspUXSMGQyFwovpU',
    't26YoyZ1iPgiMEWL4zGUm74eVWfhyDMXzY2',
    'ztestsapling1ctuamfer5xjnnrdr3xdazenljx0mu0gutcf9u9e74tr2d3jwjnt0qllzxaplu54hgc2tyjdc2p6',
    'tex1s2rt77ggv6q989lr49rkgzmh5slsksa9khdgte',
  ];
  for (const address of elsewhere) {
    assert.ok(official.is_valid_zcash_address(address), `the official library knows ${address}`);
    assert.equal(parseZcashAddress(address), undefined);
  }
  assert.equal(parseZcashAddress(unified('x', ['p2pkh'])), undefined);
  assert.equal(parseZcashAddress(unified('x', ['p2pkh', 'p2sh', 'orchard'])), undefined);
});

test('a deposit address has two forms that are paid at the same place', () => {
  const address = unified('d', ['p2pkh', 'orchard']);
  const forms = addressForms(address);
  assert.equal(forms?.unified, address);
  const [name] = receiverNames(decodeAddress(forms?.transparent ?? '') ?? assert.fail('a transparent form'));
  assert.ok(name?.startsWith('p2pkh:') && receiverNames(decodeAddress(address) ?? assert.fail()).includes(name));
  assert.equal(addressForms(unified('d', ['orchard'])), undefined);
});

test('the link for wallets follows ZIP 321', () => {
  const address = unified('d', ['orchard']);
  assert.equal(zcashUri(address, undefined), `zcash:${address}`);
  assert.equal(zcashUri(address, atoms(150_000_001n)), `zcash:${address}?amount=1.50000001`);
});

const header = (version: number, expiry: number): string => {
  const view = new DataView(new ArrayBuffer(20));
  view.setUint32(0, version, true);
  view.setUint32(16, expiry, true);
  return Buffer.from(view.buffer).toString('hex');
};

test('the expiry height is read from the bytes, and from no others', () => {
  assert.equal(expiryHeight(header(0x80000005, 3_000_041)), 3_000_041);
  assert.equal(expiryHeight(header(0x80000006, 7)), 7);
  assert.equal(expiryHeight(header(0x80000005, 0)), undefined);
  assert.equal(expiryHeight(header(0x80000004, 9)), undefined);
  for (const raw of ['', 'zz', '05000080', header(5, 9)]) assert.equal(expiryHeight(raw), undefined);
});

test('the facts name an address of the main network', () => {
  const { facts, parseToken } = zcashRules(ZCASH_DEFAULTS);
  assert.ok(official.is_valid_zcash_address(facts.addressExample));
  assert.deepEqual([facts.id, facts.minSwapUsd, facts.requiredConfirmations], [20000000000133, 25, 10]);
  assert.deepEqual([parseToken('ZEC'), parseToken('native'), parseToken('zec')], ['ZEC', 'ZEC', undefined]);
  assert.deepEqual([...RECEIVER_TYPES], ['p2pkh', 'p2sh', 'sapling', 'orchard']);
});

test('the rail objects to what no wallet could build, and to bytes that never expire', async () => {
  const address = unified('hot', ['p2pkh', 'orchard']);
  const never = () => assert.fail('nothing is asked of the wallet');
  const rail = zcashRail({ address, sign: never, depositAddresses: never });
  const request: TransferRequest = {
    ...{ intent: intentId('treasury', 'payout', 0), kind: 'payout', owner: 'treasury', chainId: ZCASH_ID, from: 'hot' },
    ...{ asset: ZEC_ASSET.id, atoms: atoms(1n), to: address, fee: { source: 'shielded', most: '1' } },
  };
  assert.equal(rail.objection(request), undefined);
  assert.ok(rail.objection({ ...request, atoms: atoms(21_000_001n * 10n ** 8n) }));
  assert.ok(rail.objection({ ...request, fee: { source: 'elsewhere' } }));
  assert.ok(rail.objection({ ...request, fee: { most: '-1' } }));
  const { intent, chainId } = request;
  const signed = { intent, chainId, txHash: txHash('00'), consumes: [], cost: atoms(1n), raw: header(0x80000005, 9) };
  const [told, endless] = [
    await rail.tell(signed, request),
    await rail.tell({ ...signed, raw: header(0x80000005, 0) }, request),
  ];
  assert.equal('to' in told && told.to, address);
  assert.equal('refused' in endless && endless.refused, 'signed_otherwise');
});
