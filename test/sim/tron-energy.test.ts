import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { startTronSimulator, type TronWorld } from '../../sandbox/simulators/tron/simulator.ts';
import { SandboxWallet } from '../../sandbox/simulators/tron/wallet.ts';
import { type Atoms, atoms } from '../../src/kernel/amount.ts';
import { present } from '../../src/kernel/assert.ts';
import { type Address, intentId } from '../../src/kernel/ids.ts';
import { tronRail } from '../../src/signer/rails/tron.ts';
import type { TransferRequest } from '../../src/signer/request.ts';
import type { Chain, Refused, SignedTransfer, Terms, Transfer } from '../../src/world/chains/chain.ts';
import { tronHex } from '../../src/world/chains/tron/codec.ts';
import { tron } from '../../src/world/chains/tron/family.ts';
import { TRX_ASSET, USDT_ASSET } from '../../src/world/chains/tron/rules.ts';
import type { Stake } from '../../src/world/chains/tron/stake-codec.ts';
import { openTron } from '../../src/world/chains/tron/tron.ts';
import { httpOutbound } from '../../src/world/outbound/http.ts';
import { freshAddress, HOT, KEYS, LENDING, stakeOn, UNIT } from './tron-bench.ts';

const SUM = atoms(100n * UNIT);
/** What an account burns that is opened by a payment: 1 TRX, and 0.1 in place of its bytes. */
const OPENING = 1_100_000n;

const termsOf = (terms: Terms | Refused): Terms => {
  assert.ok(
    !('refused' in terms),
    JSON.stringify(terms, (_, value) => String(value)),
  );
  return terms;
};

describe('9.5: energy for what is collected on Tron', () => {
  let world: TronWorld;
  let next = 1;
  before(async () => {
    world = await startTronSimulator();
    await world.fund(HOT, TRX_ASSET.token, 10_000n * UNIT);
    // So that no collection is the first that the hot account ever gets.
    await world.fund(HOT, USDT_ASSET.token, SUM);
  });
  after(() => world?.close());

  async function deskWith(stake?: Stake) {
    const settings = { nodeUrl: world.rpcUrl, xpub: KEYS.xpub, hotAddress: HOT, ...(stake ? { stake } : {}) };
    const [chain, rail] = [await openTron(settings, httpOutbound), tronRail(KEYS, stake)];
    const signed = async (transfer: Transfer, kind: TransferRequest['kind'], terms: Terms): Promise<SignedTransfer> => {
      next += 1;
      const { from, asset, atoms: value, to } = transfer;
      const named = { intent: intentId('treasury', kind, next), owner: 'treasury', chainId: chain.facts.id } as const;
      return rail.sign({ ...named, kind, from, asset, atoms: value, to, fee: terms.fee });
    };
    /** The fee that the chain took, whoever paid it. */
    const done = async (signed: SignedTransfer): Promise<bigint> => {
      await chain.broadcast(signed);
      await world.mine(19);
      const status = await chain.status(signed);
      assert.ok(
        status.state === 'mined' && status.ok && status.settled,
        JSON.stringify(status, (_, one) => String(one)),
      );
      return world.ledger.find(signed.txHash)?.mined.receipt.fee ?? 0n;
    };
    return { chain, rail, signed, done };
  }
  type Desk = Awaited<ReturnType<typeof deskWith>>;

  async function paidIn({ chain }: Desk): Promise<Place> {
    next += 1;
    const [address] = await chain.depositAddresses(next, 1);
    await world.fund(present(address, 'address'), USDT_ASSET.token, SUM);
    const sweep: Transfer = { from: { deposit: next }, asset: USDT_ASSET.id, atoms: SUM, to: HOT, mayBorrow: true };
    return { address: present(address, 'address'), sweep };
  }
  interface Place {
    readonly address: Address;
    readonly sweep: Transfer;
  }

  const coinsOn = async (chain: Chain, { from }: Transfer) => (await chain.balance(from, TRX_ASSET.id)).spendable;

  async function sendAhead({ chain, signed, done }: Desk, { address }: Place, value: Atoms): Promise<bigint> {
    const transfer: Transfer = { from: 'hot', asset: TRX_ASSET.id, atoms: value, to: address };
    return done(await signed(transfer, 'gas', termsOf(await chain.terms(transfer))));
  }

  async function loan({ chain, signed, done }: Desk, act: 'lend' | 'reclaim', to: Address, value: Atoms) {
    const transfer: Transfer = { from: 'hot', asset: TRX_ASSET.id, atoms: value, to, loan: act };
    return done(await signed(transfer, act, termsOf(await chain.terms(transfer))));
  }

  async function sweep(desk: Desk, { sweep: transfer }: Place): Promise<bigint> {
    return desk.done(await desk.signed(transfer, 'sweep', termsOf(await desk.chain.terms(transfer))));
  }

  it('9.5: burned: of what is sent ahead for a collection on Tron less than a twentieth stays there', async () => {
    const desk = await deskWith();
    const place = await paidIn(desk);
    const { cost: sent } = termsOf(await desk.chain.terms(place.sweep));
    const opened = await sendAhead(desk, place, sent);
    assert.equal(termsOf(await desk.chain.terms(place.sweep)).cost, sent, 'what was sent is enough once it is there');
    const burned = await sweep(desk, place);
    const left = await coinsOn(desk.chain, place.sweep);
    assert.deepEqual([sent, opened, burned, left], [6_855_000n, OPENING, 6_528_500n, 326_500n]);
    assert.equal((left * 10_000n) / sent, 476n, '4.76 %');
  });

  it('9.5: as it was, bytes were paid for that are free, and 9.3 % stayed there', async () => {
    const desk = await deskWith();
    const { sweep: transfer } = await paidIn(desk);
    const { cost, fee } = termsOf(await desk.chain.terms(transfer));
    const sent = cost + BigInt(fee.overhead ?? 0);
    assert.equal(fee.overhead, '345000');
    assert.equal(((sent - 6_528_500n) * 10_000n) / sent, 932n);
  });

  it('9.5: lent: nothing is burned but the opening of the account, one sun stays, and the energy comes back', async () => {
    const { stake, staker } = await stakeOn(world);
    const desk = await deskWith(stake);
    const { chain } = desk;
    const place = await paidIn(desk);
    const first = termsOf(await chain.terms(place.sweep));
    assert.deepEqual([first.cost, first.borrows], [1n, undefined], 'nobody can lend to an account that is not there');
    const opened = await sendAhead(desk, place, first.cost);
    const { cost, borrows } = termsOf(await chain.terms(place.sweep));
    assert.ok(borrows !== undefined && cost === 0n);
    const before = await coinsOf(staker.address);
    await loan(desk, 'lend', place.address, borrows);
    assert.equal(termsOf(await chain.terms(place.sweep)).borrows, undefined, 'it has what it needs');
    assert.equal(await sweep(desk, place), 0n);
    assert.equal(await coinsOn(chain, place.sweep), 1n);
    await loan(desk, 'reclaim', place.address, borrows);
    const bytes = before - (await coinsOf(staker.address));
    // Ten energy for a coin, as on the real network, five per cent more than it takes, and one coin.
    assert.deepEqual([opened, borrows / UNIT], [OPENING, 6_856n]);
    assert.deepEqual(bytes, 283_000n, 'one of the two was free; the other is the staker’s');
    const again = await chain.terms({ ...loanOf(place.address, borrows), loan: 'reclaim' });
    assert.match('refused' in again ? again.refused : '', /could reclaim 0 sun/);
  });

  const coinsOf = async (address: string): Promise<bigint> => BigInt((await account(address)).balance ?? 0);
  const account = async (address: string): Promise<{ balance?: number }> =>
    ask('getaccount', { address: tronHex(address as Address) });
  const ask = async <T>(path: string, body: unknown): Promise<T> => {
    const call = { at: 'test', label: path, url: `${world.rpcUrl}/wallet/${path}`, method: 'POST' } as const;
    return JSON.parse((await httpOutbound({ ...call, body: JSON.stringify(body) })).body) as T;
  };
  const loanOf = (to: Address, value: bigint): Transfer => ({
    from: 'hot',
    asset: TRX_ASSET.id,
    atoms: atoms(value),
    to,
  });

  it('9.5: what a stranger lends is not counted on: he may take it back before it is used', async () => {
    const { stake } = await stakeOn(world);
    const desk = await deskWith(stake);
    const place = await paidIn(desk);
    await sendAhead(desk, place, atoms(1n));
    const stranger = await stakeOn(world);
    const strangers = await deskWith(stranger.stake);
    await loan(strangers, 'lend', place.address, atoms(9_000n * UNIT));
    const { borrows } = termsOf(await desk.chain.terms(place.sweep));
    assert.ok(borrows !== undefined, 'it is lent by us all the same');
    const burning = await deskWith();
    assert.equal(
      termsOf(await burning.chain.terms(place.sweep)).cost,
      6_855_000n,
      'and coins go there where it is burned',
    );
  });

  /** What the desk does where it cannot be lent: coins go ahead, as ever. */
  async function burnsWith(staking: Parameters<typeof stakeOn>[1]): Promise<Stake> {
    const { stake } = await stakeOn(world, staking);
    const desk = await deskWith(stake);
    const place = await paidIn(desk);
    const { cost, borrows } = termsOf(await desk.chain.terms(place.sweep));
    assert.deepEqual([cost, borrows], [6_855_000n, undefined]);
    return stake;
  }
  const looked = (stake: Stake): Promise<void> => {
    const { account: staker, permission } = stake;
    const settings = { tron: { nodeUrl: world.rpcUrl, stake: { account: staker, permission: Number(permission) } } };
    const [configured] = tron.chains(settings);
    return present(configured, 'the chain').look(httpOutbound);
  };

  it('9.5: a stake that is too small, or may not be lent, is not waited for', async () => {
    await burnsWith({ trx: 6_000n });
    await burnsWith({ coins: 0n });
    await burnsWith({ allows: freshAddress() });
    const { stake } = await stakeOn(world);
    const desk = await deskWith({ ...stake, perLoan: atoms(6_000n * UNIT) });
    const { sweep: transfer } = await paidIn(desk);
    assert.equal(termsOf(await desk.chain.terms(transfer)).cost, 6_855_000n, 'one loan may not be so large');
  });

  it('9.5: what was promised to one is not lent to another, before any block shows it', async () => {
    const { stake } = await stakeOn(world, { trx: 10_000n });
    const { chain } = await deskWith(stake);
    const [one, other] = [freshAddress(), freshAddress()];
    const asks = async (to: Address) =>
      'refused' in (await chain.terms({ ...loanOf(to, 6_856n * UNIT), loan: 'lend' }));
    assert.deepEqual([await asks(one), await asks(other), await asks(one)], [false, true, false]);
    await world.mine(11);
    assert.equal(await asks(other), false, 'what was never lent is free again half a minute later');
  });

  it('the settings are refused where the permission is not for loans alone', async () => {
    const { stake } = await stakeOn(world);
    await looked(stake);
    const lendsOnly = await burnsWith({ operations: LENDING.replace('06', '02') });
    await assert.rejects(looked(lendsOnly), /does not let anybody take back/);
    const everything = await burnsWith({ operations: `02${LENDING.slice(2)}` });
    await assert.rejects(looked(everything), /allows more than loans: contracts of kind 1/);
    await assert.rejects(looked({ ...stake, permission: 5n }), /has no active permission 5/);
  });

  it('the node takes no loan that a real one would not take', async () => {
    const { stake, staker } = await stakeOn(world);
    const desk = await deskWith(stake);
    const { address } = await paidIn(desk);
    const says = async (act: 'lend' | 'reclaim', to: Address, value: bigint, by: Desk = desk) => {
      const { fee } = termsOf(await desk.chain.terms({ ...loanOf(HOT, 0n), loan: 'lend' }));
      const { raw } = await by.signed(loanOf(to, value), act, {
        ...termsOf({ nonce: undefined, fee, cost: atoms(0n), usual: atoms(0n) }),
      });
      const { code, message } = await ask<{ code: string; message: string }>('broadcasthex', { transaction: raw });
      return `${code} ${message}`;
    };
    assert.match(await says('lend', address, 2n * UNIT), /CONTRACT_VALIDATE_ERROR .*Account\[41.*\] not exists/);
    await sendAhead(desk, { address, sweep: loanOf(HOT, 0n) }, atoms(1n));
    assert.match(await says('lend', address, UNIT - 1n), /must be greater than or equal to 1 TRX/);
    assert.match(await says('lend', address, 20_001n * UNIT), /less than or equal to available FreezeEnergyV2 balance/);
    assert.match(await says('reclaim', address, UNIT), /delegated Resource does not exist/);
    assert.match(await says('lend', staker.address as Address, UNIT), /must not be the same as ownerAddress/);
    await loan(desk, 'lend', address, atoms(2n * UNIT));
    assert.match(
      await says('reclaim', address, 3n * UNIT),
      /insufficient delegateFrozenBalance\(Energy\), request=3000000, unlock_balance=2000000/,
    );
    const [unknown, others] = [
      await deskWith({ ...stake, permission: 3n }),
      await stakeOn(world, { allows: freshAddress() }),
    ];
    assert.match(await says('lend', address, UNIT, unknown), /SIGERROR .*permission isn't exit/);
    assert.match(
      await says('lend', address, UNIT, await deskWith(others.stake)),
      /SIGERROR .*is not contained of permission/,
    );
    const narrow = await stakeOn(world, { operations: LENDING.replace('06', '02') });
    assert.match(await says('reclaim', address, UNIT, await deskWith(narrow.stake)), /SIGERROR .*Permission denied/);
    assert.throws(() => tronRail(KEYS, { ...stake, account: HOT }), { name: 'Bug' });
    assert.ok(staker instanceof SandboxWallet);
  });
});
