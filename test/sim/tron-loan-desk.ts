import assert from 'node:assert/strict';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { TronWorld } from '../../sandbox/simulators/tron/simulator.ts';
import { amount, atoms } from '../../src/kernel/amount.ts';
import { present } from '../../src/kernel/assert.ts';
import { instant } from '../../src/kernel/clock.ts';
import { Fault } from '../../src/kernel/fault.ts';
import type { Address, IntentId, OrderId } from '../../src/kernel/ids.ts';
import type { Case } from '../../src/life/case/case.ts';
import type { Done } from '../../src/life/order/handling.ts';
import type { Order } from '../../src/life/order/order.ts';
import { type Advanced, advance, opened } from '../../src/life/payment/advance.ts';
import type { PaymentEffect } from '../../src/life/payment/effect.ts';
import type { PaymentFact } from '../../src/life/payment/fact.ts';
import { newPayment, type Payment, progressOf } from '../../src/life/payment/payment.ts';
import type { LedgerAccount } from '../../src/life/payment/posting.ts';
import { resumePayment } from '../../src/life/payment/steps.ts';
import { transferHandlers } from '../../src/life/transfer/handlers.ts';
import type { TransferStage } from '../../src/life/transfer/stage.ts';
import { tronRail } from '../../src/signer/rails/tron.ts';
import type { TransferRequest } from '../../src/signer/request.ts';
import type { SignedTransfer } from '../../src/world/chains/chain.ts';
import { TRON_ID } from '../../src/world/chains/tron/codec.ts';
import { TRX_ASSET, USDT_ASSET } from '../../src/world/chains/tron/rules.ts';
import type { Stake } from '../../src/world/chains/tron/stake-codec.ts';
import { openTron } from '../../src/world/chains/tron/tron.ts';
import { httpOutbound } from '../../src/world/outbound/http.ts';
import { FREE_CHAIN, LIMITS, openBench, temporaryFolder } from '../unit/signer-bench.ts';
import { HOT, KEYS, UNIT } from './tron-bench.ts';

export const SUM = amount(USDT_ASSET.id, 100n * UNIT);
const MOST_STEPS = 600;

class Killed extends Error {}

/** What kills the process: the call of this number, before or after it has done its work. */
export interface Death {
  readonly call: number;
  readonly when: 'before' | 'after';
  /** Instructions are found again by what the payment's state calls for, as the reconciler does. */
  readonly losesWork: boolean;
}

/** One collection through the real handlers, signer, journal and chain, in books that outlive the process. */
export async function openLoanDesk(t: TestContext, world: TronWorld, stake: Stake | undefined, number: number) {
  const chain = await openTron(
    { nodeUrl: world.rpcUrl, xpub: KEYS.xpub, hotAddress: HOT, ...(stake ? { stake } : {}) },
    httpOutbound,
  );
  const limits = { ...LIMITS, chains: { ...LIMITS.chains, [TRON_ID]: FREE_CHAIN } };
  const { core } = openBench(join(temporaryFolder(t), 'journal'), [tronRail(KEYS, stake)], limits);
  const [address] = await chain.depositAddresses(number, 1);
  const deposit = present(address, 'deposit address');
  await world.fund(deposit, USDT_ASSET.token, SUM.atoms);
  const owner = `sw_${String.fromCharCode(97 + (number % 26)).repeat(26)}` as OrderId;
  const order = { id: owner, claims: [], funds: {}, payments: [] } as unknown as Order;

  const attempts: (SignedTransfer & { dead?: string })[] = [];
  const balances = new Map<string, bigint>();
  const cases: Case[] = [];
  const facts: PaymentFact[] = [];
  let payment = newPayment({
    ...{ owner, purpose: { for: 'collection' }, from: { deposit: number }, amount: SUM, to: HOT },
    ...{ source: `deposit:${owner}`, payer: { address: deposit, index: number }, feePayer: 'sender' },
  });
  let work: PaymentEffect[] = [];
  let death: Death | undefined;
  let calls = 0;

  const post = (account: LedgerAccount, asset: string, by: bigint) => {
    const name = `${account} ${asset}`;
    const now = (balances.get(name) ?? 0n) + by;
    assert.ok(account === 'world' || account === 'treasury' || now >= 0n, `${name} is at ${now}`);
    balances.set(name, now);
  };
  const save = ({ payment: after, effects, postings, cases: raised }: Advanced) => {
    for (const { to, amount: moved } of postings) post(to, moved.asset, moved.atoms);
    for (const { from, amount: moved } of postings) post(from, moved.asset, -moved.atoms);
    [payment, work] = [after, [...work, ...effects]];
    cases.push(...raised);
  };
  post(payment.source, SUM.asset, SUM.atoms);
  save(opened(payment));

  /** Every call that changes something, outside or in the books, may be the last. */
  async function mortal<T>(run: () => Promise<T>): Promise<T> {
    calls += 1;
    const isLast = death?.call === calls;
    if (isLast && death?.when === 'before') throw new Killed();
    const result = await run();
    if (isLast) throw new Killed();
    return result;
  }

  const living = (intent: IntentId) => attempts.filter((one) => one.intent === intent && !one.dead).reverse();
  const stage = {
    chain: () => ({ ...chain, broadcast: (signed: SignedTransfer) => mortal(() => chain.broadcast(signed)) }),
    screen: async () => 'clear',
    boundOf: async () => ({ goes: 'anywhere' }),
    signer: {
      signedTransfer: (intent: IntentId) => core.signedTransfer({ intent }),
      signTransfer: (request: TransferRequest) =>
        mortal(async () => {
          const answer = await core.transfer(request);
          if ('refused' in answer) throw new Fault('permanent', 'signer', `${answer.refused}: ${answer.detail}`);
          return answer;
        }),
    },
    books: {
      find: async () => payment,
      attempts: async (intent: IntentId) => living(intent),
      lastDead: async (intent: IntentId) => attempts.findLast((one) => one.intent === intent && one.dead)?.txHash,
      bury: async ({ txHash }: SignedTransfer, proof: string) => {
        for (const one of attempts) if (one.txHash === txHash) one.dead = proof;
      },
      letGo: async () => {},
      adopted: async () => undefined,
      unplanned: async () => undefined,
      gasOf: async () => balances.get(`gas ${TRX_ASSET.id}`) ?? 0n,
      hasNonce: async () => false,
      returnNonce: async () => {},
    },
    clock: { now: () => instant(world.ledger.tip.time) },
    bindAmount: () => '',
  } as unknown as TransferStage;

  async function step(effect: PaymentEffect): Promise<Done> {
    const { price_payment, sign_transfer, send_transfer, watch_transfer } = transferHandlers(stage);
    const job = { key: 'k', owner, tries: 1, troubledSince: undefined };
    if (effect.effect === 'price_payment') return price_payment({ ...job, effect }, order);
    if (effect.effect === 'sign_transfer') return sign_transfer({ ...job, effect });
    if (effect.effect === 'send_transfer') return send_transfer({ ...job, effect });
    assert.ok(effect.effect === 'watch_transfer');
    return watch_transfer({ ...job, effect });
  }

  async function carryOut(effect: PaymentEffect): Promise<void> {
    const done = await step(effect);
    if (done === 'done') return void work.shift();
    if (!('fact' in done)) return later();
    await mortal(async () => {
      const fact = done.fact as PaymentFact;
      const after = advance(payment, fact);
      if (done.attempt && !attempts.some(({ txHash }) => txHash === done.attempt?.txHash))
        attempts.push({ ...done.attempt });
      work.shift();
      facts.push(fact);
      if (after !== 'ignore') save(after);
    });
  }

  const later = () => {
    work = [...work.slice(1), ...work.slice(0, 1)];
    world.ledger.mine(20);
  };

  const isSettled = (effect: PaymentEffect): boolean =>
    effect.effect === 'watch_transfer' && progressOf(payment, effect.part)?.state === 'settled';

  /** Until nothing is left to do, or until a story has something to add. */
  async function run(until: (payment: Payment) => boolean = () => false): Promise<void> {
    for (let left = MOST_STEPS; work[0]; left -= 1) {
      assert.ok(left > 0, `no end: ${work[0].effect}, ${JSON.stringify(payment, (_, one) => String(one))}`);
      if (until(payment)) return;
      // What is settled is looked at for most of an hour, which no story waits for.
      if (isSettled(work[0])) {
        work.shift();
        continue;
      }
      try {
        await carryOut(work[0]);
      } catch (error) {
        if (error instanceof Killed) {
          if (death?.losesWork) work = [...resumePayment(payment)];
        } else if (error instanceof Fault && error.kind !== 'permanent') later();
        else throw error;
      }
    }
  }

  return {
    ...{ chain, deposit, cases, facts, attempts, run },
    payment: () => payment,
    calls: () => calls,
    /** What the ledger has on an account, of the coin or of the token. */
    has: (account: LedgerAccount, asset = TRX_ASSET.id) => balances.get(`${account} ${asset}`) ?? 0n,
    order: owner,
    dieAt(next: Death): void {
      death = next;
    },
    async lent(): Promise<bigint> {
      const asked = {
        from: 'hot',
        asset: TRX_ASSET.id,
        atoms: atoms(10n ** 15n),
        to: deposit,
        loan: 'reclaim',
      } as const;
      const told = await chain.terms(asked);
      return BigInt(/could reclaim (\d+)/.exec('refused' in told ? told.refused : '')?.[1] ?? -1);
    },
  };
}

/** How often the chain carried out each kind of transaction for this account, by or to it. */
export function kindsOf(world: TronWorld, account: Address, hex: (address: Address) => string): Record<string, number> {
  const found: Record<string, number> = {};
  for (const { tx, receipt } of world.ledger.blocks.flatMap(({ mined }) => mined)) {
    const isAbout = tx.ask.owner === hex(account) || ('to' in tx.ask && tx.ask.to === hex(account));
    const name = `${tx.ask.kind} ${receipt.contractRet}`;
    if (isAbout) found[name] = (found[name] ?? 0) + 1;
  }
  return found;
}
