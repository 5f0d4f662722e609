import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { ROUTES, type Route, type RouteEnd } from '../e2e/routes.ts';
import { assertAlmostAll, type Bought, type Shopper, type View } from '../e2e/shopper.ts';
import { pick } from './weather.ts';

/** Somebody with an order, and what he sent there. */
export interface Customer {
  readonly kind: string;
  readonly order: Bought;
  /** Nobody else is ever given anything back there. */
  readonly refundAddress: string;
  readonly paid: bigint;
}

/** What a kind of customer does, one after the other; what he sends is added up. */
interface Doing {
  readonly shopper: Shopper;
  readonly order: Bought;
  pay(atoms: bigint): Promise<void>;
}

const ENDED: ReadonlySet<unknown> = new Set(['completed', 'refunded', 'expired', 'failed']);
const isEnded = ({ status }: View): boolean => ENDED.has(status);
const asked = ({ depositAmount }: Bought): bigint => BigInt(depositAmount);
const EVM_SPECK: Readonly<Record<number, RouteEnd>> = {
  1: { name: 'USDC Ethereum', chainId: 1, token: '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48' },
  42161: { name: 'USDT Arbitrum', chainId: 42161, token: '0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9' },
};

/** The plain ones are the most. */
const KINDS: Readonly<Record<string, (doing: Doing) => Promise<void>>> = {
  plain: ({ pay, order }) => pay(asked(order)),
  'plain, too': ({ pay, order }) => pay(asked(order)),
  'in halves': async ({ pay, order }) => {
    await pay(asked(order) / 2n);
    await pay(asked(order) - asked(order) / 2n);
  },
  'with too much': ({ pay, order }) => pay((asked(order) * 13n) / 10n),
  'once more afterwards': async ({ shopper, pay, order }) => {
    await pay(asked(order));
    await shopper.until(order, isEnded);
    await pay(asked(order));
  },
  'a speck of something else first': async ({ shopper, pay, order }) => {
    const speck = EVM_SPECK[order.from.chainId];
    if (speck && speck.token !== order.from.token) await shopper.send(speck, order.depositAddress, 1n);
    await pay(asked(order));
  },
  'hostile: asks for what is not his': async ({ shopper, pay, order }) => {
    const thief = { 'x-session-id': randomUUID() };
    const theirs = await shopper.addressOn(order.to.chainId);
    for (const reply of [
      await shopper.close(order, thief),
      await shopper.giveRefundAddress(order, theirs, thief),
      await shopper.givePayoutAddress(order, theirs, thief),
    ])
      assert.ok(reply.status >= 400 && reply.status < 500, JSON.stringify(reply));
    await pay(asked(order));
    for (const reply of [
      await shopper.givePayoutAddress(order, theirs),
      await shopper.givePayoutAddress(order, theirs, thief),
    ])
      assert.ok(reply.status >= 400 && reply.status < 500, JSON.stringify(reply));
  },
  'hostile: dust before, beside and after': async ({ shopper, pay, order }) => {
    const speck = EVM_SPECK[order.from.chainId];
    const dust = async () => {
      if (speck) await shopper.send(speck, order.depositAddress, 1n);
    };
    await dust();
    await Promise.all([dust(), pay(asked(order)), dust()]);
    await dust();
  },
  'hostile: asks a hundred times while it is paid': async ({ shopper, pay, order }) => {
    const curious = async () => {
      for (let asks = 0; asks < 25; asks += 1) await shopper.read(order);
    };
    await Promise.all([curious(), curious(), curious(), curious(), pay(asked(order))]);
  },
  never: async () => {},
  'too late': async ({ shopper, pay, order }) => {
    await shopper.until(order, isEnded);
    await pay(asked(order));
  },
};
/** These wait for their order's time to pass. */
const WAIT_FOR_THE_END: ReadonlySet<string> = new Set(['never', 'too late']);

export type Plan = Route & { readonly kind: string };

export function nextPlan(random: () => number): Plan {
  return { ...pick(random, ROUTES), kind: pick(random, Object.keys(KINDS)) };
}

export const waitsForTheEnd = ({ kind }: Plan): boolean => WAIT_FOR_THE_END.has(kind);

/** Somebody who has ordered. */
export interface Visitor {
  readonly orderId: string;
  /** Pays as planned. */
  act(): Promise<Customer>;
}

export async function openCustomer(shopper: Shopper, { from, to, kind }: Plan, amount: string): Promise<Visitor> {
  const refundAddress = await shopper.addressOn(from.chainId);
  const order = await shopper.buy(from, to, amount, { refundAddress });
  let paid = 0n;
  const act = KINDS[kind] ?? assert.fail(kind);
  return {
    orderId: order.orderId,
    async act() {
      const pay = async (atoms: bigint) => {
        await shopper.pay(order, atoms);
        paid += atoms;
      };
      await act({ shopper, order, pay });
      return { kind, order, refundAddress, paid };
    },
  };
}

interface Recovery {
  readonly phase: string;
  readonly amount: string;
}
const recoveriesOf = (order: View) => order.refundRecoveries as readonly Recovery[];

/** His order is over, and so is all that is owed to him beside it. */
export const isDoneWith =
  ({ paid, order }: Customer) =>
  (seen: View): boolean => {
    if (!isEnded(seen) || recoveriesOf(seen).some(({ phase }) => phase !== 'completed')) return false;
    const isOwed = paid > 0n && (seen.status !== 'completed' || paid >= 2n * asked(order));
    return !isOwed || recoveriesOf(seen).length > 0;
  };

/** Swapped or given back, once, to the atom that the order says; what was not swapped came back but for what the network took. */
export async function judge(shopper: Shopper, customer: Customer): Promise<string> {
  const { order, refundAddress, paid, kind } = customer;
  const seen = await shopper.read(order);
  const who = `${kind}: ${order.orderId} ${order.from.name} to ${order.to.name}`;
  const [got, back] = [
    await shopper.received(order.to, order.toAddress),
    await shopper.received(order.from, refundAddress),
  ];
  const isCompleted = seen.status === 'completed';
  assert.deepEqual([got.total, got.transfers.length], isCompleted ? [seen.actualOutput, 1] : ['0', 0], who);
  const recoveries = recoveriesOf(seen);
  const told = recoveries.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
  assert.deepEqual([back.total, back.transfers.length], [`${told}`, recoveries.length], who);
  const owed = isCompleted ? (paid >= 2n * asked(order) ? asked(order) : 0n) : paid;
  if (owed > 0n) assertAlmostAll(back.total, owed);
  return String(seen.status);
}
