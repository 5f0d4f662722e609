import assert from 'node:assert/strict';
import { watchSkew } from '../../src/engine/clock-skew.ts';
import { behindReports, nodeReports, unlookedReports } from '../../src/engine/node-reports.ts';
import { outOfReachReports } from '../../src/engine/out-of-reach.ts';
import { openRoundReports, reportedRound } from '../../src/engine/reported-round.ts';
import type { Handlers } from '../../src/engine/worker.ts';
import { atoms } from '../../src/kernel/amount.ts';
import { later } from '../../src/kernel/clock.ts';
import { AwaitsApproval, Fault } from '../../src/kernel/fault.ts';
import { type Address, type AssetId, chainId, type OrderId, txHash } from '../../src/kernel/ids.ts';
import type { CaseRoom } from './case-room.ts';
import { levelDesk } from './level-desk.ts';
import { USDC } from './market.ts';
import { tripDesk } from './trip-desk.ts';

/** A desk whose clock is a minute ahead of the venue's, for a minute. */
export async function aMinuteAhead(room: CaseRoom): Promise<void> {
  const { clock, cases } = room;
  const venue = { name: 'venue', read: async () => later(clock.now(), -60_000), mayLead: 10_000, mayLag: 10_000 };
  const look = watchSkew([venue], {
    ...{ clock, unmoved: () => clock.now(), caseAfterMs: 60_000, show: () => {} },
    raise: (about) => cases.raise('treasury', about),
    over: (about) => cases.over('treasury', about),
  });
  await look();
  assert.equal(await room.caseOf('clock_skew'), undefined, 'one reading is no case');
  room.wait(60_000);
  await look();
}

/** Two nodes that say different things about one deposit, for a minute. */
async function apart(room: CaseRoom): Promise<void> {
  const { clock, cases } = room;
  const { disagree } = nodeReports(chainId(9), { clock, cases, caseAfterMs: 60_000 });
  const differ = () => disagree('0xdeposit', 'that it brought 5 atoms', 'that it is not in the chain');
  await differ();
  assert.equal(await room.caseOf('nodes_disagree'), undefined, 'one of two is always a little behind');
  room.wait(60_000);
  await differ();
}

/** Blocks whose states the node had not kept. The case follows what is left, and is gone when nothing is, whoever raised it. */
async function readLate(room: CaseRoom): Promise<void> {
  const before = unlookedReports(chainId(9), room);
  await before([{ after: 4, to: 9 }]);
  await unlookedReports(chainId(9), room)([]);
  assert.equal(await room.caseOf('states_missing'), undefined, 'all was looked through');
  await before([
    { after: 4, to: 9 },
    { after: 20, to: 30 },
  ]);
  assert.match((await room.caseOf('states_missing'))?.reason ?? '', /blocks 5 to 30/);
}

/** A scanner that comes to no tip, for a minute. The case is gone when it does, whoever raised it. */
async function behind(room: CaseRoom): Promise<void> {
  const { clock, cases } = room;
  const begins = () => behindReports(chainId(9), { clock, cases, caseAfterMs: 60_000 });
  const scanner = begins();
  await scanner(true, 5, 100);
  assert.equal(await room.caseOf('scanner_behind'), undefined, 'a page or two is nothing');
  room.wait(60_000);
  await scanner(true, 30, 100);
  await begins()(false, 100, 100);
  assert.equal(await room.caseOf('scanner_behind'), undefined, 'all was read');
  const next = begins();
  await next(true, 100, 500);
  room.wait(60_000);
  await next(true, 120, 560);
  await next(true, 140, 620);
  assert.match((await room.caseOf('scanner_behind'))?.reason ?? '', /up to block 120 of 560/);
}

/** USDC on the side of a venue account that is not used: told once, though it is seen in every look. */
async function paidBeside(room: CaseRoom): Promise<void> {
  const report = outOfReachReports(chainId(9), room.submit);
  const found = { key: 'row', address: '0xdeposit' as Address, asset: 'a' as AssetId, atoms: atoms(5n) };
  const told = [{ ...found, txHash: txHash('0xbeside'), sender: undefined, why: 'it lies elsewhere' }];
  await report(told);
  await report(told);
}

export const nodes = { apart, readLate, behind, paidBeside };

/** A scanner whose node does not answer, for a minute. */
export async function scansNoMore(room: CaseRoom): Promise<void> {
  const { clock, cases } = room;
  const fails = reportedRound('scan Nowhere', openRoundReports({ clock, cases, caseAfterMs: 60_000 }), () =>
    Promise.reject(new Fault('transient', 'chain:9', 'no answer')),
  );
  await assert.rejects(fails());
  assert.equal(await room.caseOf('round_failed'), undefined, 'a failure that may pass is no case');
  room.wait(60_000);
  await assert.rejects(fails());
}

/** An order whose payout the signer does not make without a second yes: a case at once. */
export async function awaitsApproval(room: CaseRoom, id: OrderId): Promise<void> {
  await room.leaveOnly(id, 'sign_transfer');
  const sign_transfer: Handlers['sign_transfer'] = async ({ effect: { payment } }) => {
    if (payment === `${id}:payout:0`) throw new AwaitsApproval(`["wherry","approval","${payment}"]`);
    return { againInMs: 1e9 };
  };
  await room.whileWorking({ sign_transfer }, async () => {
    await room.until('approval_awaited', true);
  });
}

/** A treasury that has less free of its stock than it wants. */
export async function runsLow(room: CaseRoom): Promise<void> {
  const { keep } = levelDesk(room, [{ ...{ asset: USDC.id, low: 10n ** 25n, target: 10n ** 25n }, high: undefined }]);
  await keep();
}

/** An engine on a database that the signer's journal contradicts. */
export async function refusedBySigner(room: CaseRoom): Promise<void> {
  const { refusals, look } = tripDesk(room.db, room.clock);
  await refusals.note('sw_order:payout:0', 'nonce_taken');
  await look();
}
