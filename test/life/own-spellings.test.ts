import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, test } from 'node:test';
import type { Config } from '../../src/app/config.ts';
import { depositsOf, guardDestinations, guardFeeAddresses } from '../../src/app/gates.ts';
import { feeAddressParsers } from '../../src/app/wiring/chains.ts';
import type { Desk } from '../../src/engine/desk.ts';
import { present } from '../../src/kernel/assert.ts';
import type { Address, AssetId } from '../../src/kernel/ids.ts';
import { isRefusal } from '../../src/kernel/refusal.ts';
import { fillPool, spellOlder } from '../../src/life/deposit/addresses.ts';
import { checkChange, type IntegrationChange } from '../../src/partners/integration.ts';
import { openSightings } from '../../src/store/sightings.ts';
import { openIssued } from '../../src/store/watched.ts';
import { evmNetwork } from '../../src/world/chains/evm/networks.ts';
import { evmRules } from '../../src/world/chains/evm/rules.ts';
import { addressForms, decodeAddress, encodeAddress } from '../../src/world/chains/zcash/codec.ts';
import { ZCASH_DEFAULTS, ZEC_ASSET, zcashRules } from '../../src/world/chains/zcash/rules.ts';
import { venueRules } from '../../src/world/venues/hyperliquid/rules.ts';
import { SEAL_KEY } from '../seal-key.ts';
import { USDC } from './market.ts';
import { openRoom } from './operator-room.ts';

const ZCASH = zcashRules(ZCASH_DEFAULTS);
const ARBITRUM = evmRules(evmNetwork(42161));
const CATALOG = { chain: (id: number) => [ZCASH, ARBITRUM].find(({ facts }) => facts.id === id) };
const EVM_DEPOSIT = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045' as Address;

const unified = (): Address =>
  encodeAddress({ kind: 'unified', receivers: { orchard: randomBytes(43), p2pkh: randomBytes(20) } });
/** As the wallet makes them, one for each index. */
const made = new Map<number, Address>();
const chain = {
  ...ZCASH,
  depositAddresses: async (first: number, count: number) =>
    Array.from({ length: count }, (_, n) => {
      const address = made.get(first + n) ?? unified();
      made.set(first + n, address);
      return address;
    }),
};

let room: Awaited<ReturnType<typeof openRoom>>;
before(async () => {
  room = await openRoom();
});
after(() => room.close());

/** What a customer writes is read by the rules of the chain first. */
async function isTaken(asset: AssetId, text: string): Promise<boolean> {
  const desk = { create: async () => 'made' } as unknown as Desk;
  const guarded = guardDestinations(desk, depositsOf(CATALOG, openIssued(room.db)));
  const rules = asset === ZEC_ASSET.id ? ZCASH : ARBITRUM;
  const address = present(rules.parseAddress(text), text);
  const draft = { destination: { asset, address, binding: '' } };
  return (await guarded.create(draft as never, {} as never)) === ('made' as never);
}

/** Everything that pays the same place: the other form that we hand out, the shielded part alone, and beside a stranger's. */
function waysToPay(address: Address): readonly string[] {
  const { orchard } = present(decodeAddress(address), address).receivers;
  return [
    address,
    address.toUpperCase(),
    present(addressForms(address), address).transparent,
    encodeAddress({ kind: 'unified', receivers: { orchard: present(orchard, 'orchard') } }),
    encodeAddress({ kind: 'unified', receivers: { orchard: present(orchard, 'orchard'), sapling: randomBytes(43) } }),
  ];
}

test('a deposit address is no destination under any spelling that pays it, the one that we hand out included', async () => {
  const sightings = openSightings(room.db, SEAL_KEY);
  await fillPool({ family: 'zcash', chains: [chain] }, sightings, 8);
  await sightings.issue('evm', 0, [EVM_DEPOSIT]);
  for (const address of made.values())
    for (const way of waysToPay(address)) assert.equal(await isTaken(ZEC_ASSET.id, way), false, way);
  for (const text of [EVM_DEPOSIT, EVM_DEPOSIT.toLowerCase()]) assert.equal(await isTaken(USDC.id, text), false, text);
  for (const way of waysToPay(unified())) assert.equal(await isTaken(ZEC_ASSET.id, way), true, way);
});

test('the same holds for addresses that were issued before their spellings were kept, once an engine has run', async () => {
  const sightings = openSightings(room.db, SEAL_KEY);
  const old = unified();
  const text = `INSERT INTO deposit_address (space, index, address) VALUES ('zcash', 900, $1)`;
  await room.db.query({ name: 'issued_before', text }, [old]);
  assert.equal(await isTaken(ZEC_ASSET.id, present(addressForms(old), old).transparent), true, 'nobody knows it yet');
  assert.equal(await spellOlder({ family: 'zcash', chains: [chain] }, sightings, 0), undefined);
  for (const way of waysToPay(old)) assert.equal(await isTaken(ZEC_ASSET.id, way), false, way);
  assert.deepEqual(await sightings.unspelled('zcash', 0, 10), []);
});

test('an integrator’s fees go neither to the account that pays them nor to a deposit address', async () => {
  const hot = '0x1111111111111111111111111111111111111111' as Address;
  const hotOnBitcoin = '1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa' as Address;
  const deposit = '0x52908400098527886E0F7030069857D2E4169EE7' as Address;
  await openSightings(room.db, SEAL_KEY).issue('evm', 1, [deposit]);
  const venue = venueRules([]);
  const parsers = guardFeeAddresses(feeAddressParsers({ chains: {} } as Config, venue), {
    hot: new Set([hot, hotOnBitcoin]),
    chains: [ZCASH, ARBITRUM, venue],
    isIssued: openIssued(room.db),
  });
  const check = async (change: IntegrationChange) => {
    const checked = await checkChange(change, parsers);
    return isRefusal(checked) ? [checked.refusal, ...(checked.fields ?? []).map(({ field }) => field)] : 'taken';
  };
  assert.deepEqual(await check({ feeAddress: hot }), ['address_refused', 'feeAddress']);
  assert.deepEqual(await check({ feeAddressBtc: hotOnBitcoin }), ['address_refused', 'feeAddressBtc']);
  for (const spelling of [deposit, deposit.toLowerCase()])
    assert.deepEqual(await check({ feeAddress: spelling }), ['address_refused', 'feeAddress']);
  assert.deepEqual(await check({ feeAddress: 'nowhere' }), ['invalid_address', 'feeAddress']);
  assert.equal(await check({ feeAddress: '0x3333333333333333333333333333333333333333' }), 'taken');
});
