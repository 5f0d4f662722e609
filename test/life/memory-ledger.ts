import assert from 'node:assert/strict';
import type { AssetId } from '../../src/kernel/ids.ts';
import type { Posting } from '../../src/life/payment/posting.ts';

/** The accounts of a ledger without a database; every one but `world` stays at or above nought. */
export function memoryLedger() {
  const balances = new Map<string, bigint>();
  const postings: Posting[] = [];
  const held = (account: string, asset: AssetId): bigint => balances.get(`${account} ${asset}`) ?? 0n;
  const covers = ({ from, amount: value }: Posting): boolean =>
    from === 'world' || held(from, value.asset) >= value.atoms;
  const post = (posting: Posting): void => {
    const { from, to, amount: value } = posting;
    assert.ok(covers(posting), `${from} has less than ${value.atoms} ${value.asset}`);
    const change = (account: string, by: bigint) => {
      if (account !== 'world') balances.set(`${account} ${value.asset}`, held(account, value.asset) + by);
    };
    change(from, -value.atoms);
    change(to, value.atoms);
    postings.push(posting);
  };
  return { held, covers, post, postings: postings as readonly Posting[] };
}
