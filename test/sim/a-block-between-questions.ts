import assert from 'node:assert/strict';
import { type Address, txHash } from '../../src/kernel/ids.ts';
import type { Chain } from '../../src/world/chains/chain.ts';
import { type Follower, followFresh } from '../../src/world/chains/conformance/follower.ts';
import { httpOutbound, type Outbound } from '../../src/world/outbound/http.ts';

export interface Between {
  open(outbound: Outbound): Promise<Chain>;
  pay(to: Address): Promise<string>;
  mine(): Promise<void>;
}

/** More than any page asks while one deposit waits. */
const MOST_QUESTIONS = 40;

/**
 * Whichever question of a page the block of a deposit comes before: it is shown as waiting, or in its block. One that vanished from its
 * order for a moment would be late, where its time is up.
 */
export async function staysInSight({ open, pay, mine }: Between): Promise<void> {
  let asked = 0;
  let minesBefore = Number.POSITIVE_INFINITY;
  const chain = await open(async (call) => {
    if (asked === minesBefore) {
      minesBefore = Number.POSITIVE_INFINITY;
      await mine();
    }
    asked += 1;
    return httpOutbound(call);
  });
  const { follower, address } = await followFresh(chain);
  for (let question = 0; question < MOST_QUESTIONS; question += 1) {
    const hash = txHash(await pay(address));
    await follower.catchUp();
    assert.equal(follower.only(hash).block, undefined);
    [asked, minesBefore] = [0, question];
    await untilTaken(follower);
    assert.equal(follower.of(hash).length, 1, `in sight though a block came before question ${question}`);
    const isOver = minesBefore === question;
    if (isOver) await mine();
    minesBefore = Number.POSITIVE_INFINITY;
    await follower.catchUp();
    assert.ok(follower.only(hash).block);
    if (isOver) return;
  }
  assert.fail(`a page asks more than ${MOST_QUESTIONS} questions`);
}

/** A page that is not taken changes nothing, and is read again. */
async function untilTaken(follower: Follower): Promise<void> {
  await follower.page().catch(() => follower.page());
}
