import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Address } from '../../src/kernel/ids.ts';
import type { Order } from '../../src/life/order/order.ts';
import { RULES } from '../../src/life/order/rules.ts';
import type { KeptSighting } from '../../src/life/order/sighting.ts';
import { customerState, errorOf } from '../../src/life/order/view/v2-customer.ts';
import { refusedByScreening } from '../../src/life/transfer/screened.ts';
import type { Wanted } from '../../src/life/transfer/wanted.ts';
import { usdc } from './market.ts';
import { clean, listed, origins, screen, screened, sent, showing, shown } from './screening-room.ts';
import { buyOrder } from './world.ts';

const refundTo = (to: Address | undefined, claim = 1) =>
  ({ intent: `order:refund:${claim}`, kind: 'refund', to, amount: usdc('100') }) as unknown as Wanted;
const stage = { screen, boundOf: origins.boundOf };

test('every account that money came from is screened', async () => {
  const mixed = shown(clean, listed);
  assert.deepEqual([mixed.funds.sender, mixed.funds.senders], [undefined, [clean, listed]]);
  assert.equal((await screened(mixed)).state.phase, 'refunding');
  assert.equal((await screened(shown(undefined, listed))).state.phase, 'refunding');
  assert.equal((await screened(shown(clean, undefined))).state.phase, 'stocking');
});

test('money from one listed account goes back to it', async () => {
  const back = await screened(shown(listed, listed));
  assert.deepEqual([back.state.phase, back.claims[0]?.to?.address], ['refunding', listed]);
  assert.equal((await screened(shown(clean, clean))).state.phase, 'stocking');
});

test('money that did not pass screening goes back to its sender, whatever address was named for refunds', async () => {
  const named = { asset: buyOrder().from.id, address: 'a third one' as Address, binding: 'bound' };
  const back = await screened({ ...shown(listed, listed), refundTo: named });
  assert.deepEqual([back.state.phase, back.claims[0]?.to?.address], ['refunding', listed]);
  assert.equal(await refusedByScreening(stage, refundTo(listed), back), undefined, 'what is returned is no dealing');
  const hidden = await screened({ ...shown(undefined, listed), refundTo: named });
  assert.equal(hidden.claims[1]?.to?.address, named.address, 'the chain shows no sender of half of it');
  assert.equal(await refusedByScreening(stage, refundTo(listed, 1), hidden), undefined, 'its own half is returned');
  assert.match(
    String((await refusedByScreening(stage, refundTo(listed, 2), hidden))?.refused),
    /did not pass screening/,
  );
});

test('where the chain shows no sender, the customer is told why an address is asked for', async () => {
  const asked = await screened(shown(undefined, listed));
  assert.deepEqual(customerState(asked, RULES), { kind: 'action_required', action: 'refund_address' });
  assert.deepEqual(errorOf(asked), {
    code: 'refund_address_required',
    message: 'An address is needed to return the deposit to: the deposit did not pass screening.',
  });
});

test('where the chain shows no sender, a listed destination keeps the deposit from being carried out', async () => {
  const hidden = shown(undefined, undefined);
  const listedThere = { ...hidden, destination: { ...hidden.destination, address: listed as Address } };
  const back = await screened(listedThere);
  assert.deepEqual([back.state.phase, back.claims[0]?.stage], ['refunding', 'address_required']);
  assert.equal((await screened(hidden)).state.phase, 'stocking');
});

test('a listed destination sends the deposit where its customer said, not to the account of an exchange that sent it', async () => {
  const named = { asset: buyOrder().from.id, address: 'home' as Address, binding: 'bound' };
  const order = { ...shown(clean, clean), refundTo: named };
  const back = await screened({ ...order, destination: { ...order.destination, address: listed as Address } });
  assert.deepEqual([back.state.phase, back.claims[0]?.to?.address], ['refunding', 'home']);
  assert.match(String(errorOf(back)?.message), /the destination did not pass screening/);
});

describe('a speck of somebody else beside a deposit', () => {
  const speck = (sender: Address | undefined, state: KeptSighting['state'], value = '0.000001'): KeptSighting => ({
    ...{ ...sent(9, usdc(value), sender), state },
    credited: state === 'final' ? usdc(value).atoms : usdc('0').atoms,
  });
  const withSpeck = (sender: Address | undefined, one: KeptSighting): Order =>
    showing(buyOrder(), [sent(0, usdc('50'), sender), sent(1, usdc('50'), sender), one]);

  test('does not hide whose a listed deposit is: it goes back to its sender all the same', async () => {
    const named = { asset: buyOrder().from.id, address: 'a third one' as Address, binding: 'bound' };
    const back = await screened({ ...withSpeck(listed, speck(clean, 'final')), refundTo: named });
    assert.equal(back.claims[0]?.to?.address, listed);
    const unnamed = await screened({ ...withSpeck(listed, speck(undefined, 'final')), refundTo: named });
    assert.equal(unnamed.claims[0]?.to?.address, listed);
  });

  test('from a listed account does not stop a clean one, whether a block takes it or not', async () => {
    assert.equal((await screened(withSpeck(clean, speck(listed, 'final')))).state.phase, 'stocking');
    const pooled = withSpeck(clean, speck(listed, 'pool'));
    assert.deepEqual([pooled.state.phase, pooled.funds.sender, pooled.funds.senders], ['screening', clean, [clean]]);
    assert.equal((await screened(pooled)).state.phase, 'stocking');
  });

  test('is none where it is worth something: who sent it is looked at', async () => {
    assert.equal((await screened(withSpeck(clean, speck(listed, 'final', '2')))).state.phase, 'refunding');
  });
});
