import { type Atoms, atoms } from '../../../kernel/amount.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Address } from '../../../kernel/ids.ts';
import type { TronNode } from './node.ts';
import type { Resources } from './node-shapes.ts';
import { AT_TRON } from './reply.ts';
import { type Stake, SUN_PER_TRX } from './stake-codec.ts';

/**
 * PORT. Where the energy comes from that a deposit address needs to give up its tokens. Both questions may be repeated, and neither
 * changes anything: what is offered is lent by a transaction of its own, and taken back by another.
 */
export interface EnergySource {
  /** Energy of which an account has the use from us; `has` is what it has from anybody. */
  lent(to: Address, has: Resources): Promise<bigint>;
  /** Sun whose staking gives so much energy, if they can be lent now; otherwise coins are sent ahead and burned. */
  offer(energy: bigint): Promise<Atoms | undefined>;
}

export const BURNED_ENERGY: EnergySource = { lent: async () => 0n, offer: async () => undefined };

/** The chain takes no smaller loan; added to what is needed, it makes up for rounding, too. */
const LEAST_LOAN = SUN_PER_TRX;
/** A loan and its end have less than so many bytes, each with what nodes add for the result. */
const LOAN_BYTES = 400n;
const BYTE_SUN = 1_000n;

/** After so long a loan is in a block, or the node will take it no more. */
const SHOWN_AFTER_MS = 30_000;

export interface StakedEnergy extends EnergySource {
  readonly stake: Stake;
  /** Sun that could be lent to this account now, and are set apart for it for a moment if they are enough. */
  lendable(to: Address, sun: bigint): Promise<bigint>;
}

/** Energy of coins that an account of the operator has staked (Stake 2.0), lent by the hot key under a permission for just that. */
export function stakedEnergy(node: TronNode, stake: Stake, hot: Address): StakedEnergy {
  const { account, perLoan } = stake;
  /** What was signed a moment ago is not in the node's figures yet. Forgotten by a crash, it only costs the next one a vain loan. */
  const promised = new Map<Address, { readonly sun: bigint; readonly until: number }>();

  async function hidden(now: number): Promise<bigint> {
    let sum = 0n;
    for (const [to, { sun, until }] of promised) {
      if (until < now || (await node.lent(account, to)) >= sun) promised.delete(to);
      else sum += sun;
    }
    return sum;
  }

  return {
    stake,
    async lendable(to, sun) {
      const { time } = await node.newest('wallet');
      promised.delete(to);
      const there = (await node.lendable(account)) - (await hidden(time));
      if (there >= sun) promised.set(to, { sun, until: time + SHOWN_AFTER_MS });
      return there;
    },
    async lent(to, { energyOfAll, trxOfAll }) {
      const sun = await node.lent(account, to);
      return trxOfAll > 0n ? (sun * energyOfAll) / (trxOfAll * SUN_PER_TRX) : 0n;
    },
    async offer(energy) {
      const has = await node.resources(account);
      if (has.energyOfAll === 0n || !(await canPayBytes(node, account, has))) return undefined;
      const needed = (energy * has.trxOfAll * SUN_PER_TRX) / has.energyOfAll + LEAST_LOAN;
      if (needed > perLoan || needed > (await node.lendable(account))) return undefined;
      return (await objection(node, stake, hot)) === undefined ? atoms(needed) : undefined;
    },
  };
}

/** What is lent must come back: the account can send both, by bandwidth or by burning coins. */
async function canPayBytes(node: TronNode, account: Address, { bandwidth, free = 0n }: Resources): Promise<boolean> {
  const both = 2n * LOAN_BYTES;
  if (bandwidth >= both || free >= both) return true;
  return (await node.account(account)).balance >= both * BYTE_SUN;
}

const KINDS: ReadonlyMap<number, string> = new Map([
  [57, 'lend (DelegateResource)'],
  [58, 'take back (UnDelegateResource)'],
]);

/** Why this key may not lend for the account; without a key, why nobody may. */
async function objection(node: TronNode, { account, permission }: Stake, hot?: Address): Promise<string | undefined> {
  const found = await node.permission(account, permission);
  if (!found) return `${account} has no active permission ${permission}`;
  const mask = Buffer.from(found.operations, 'hex');
  const may = (kind: number): boolean => (((mask[kind >> 3] ?? 0) >> (kind & 7)) & 1) === 1;
  for (const [kind, name] of KINDS)
    if (!may(kind)) return `permission ${permission} of ${account} does not let anybody ${name}`;
  const beside = Array.from({ length: 8 * mask.length }, (_, kind) => kind).find(
    (kind) => may(kind) && !KINDS.has(kind),
  );
  if (beside !== undefined)
    return `permission ${permission} of ${account} allows more than loans: contracts of kind ${beside}`;
  if (hot !== undefined && !found.alone.includes(hot))
    return `permission ${permission} of ${account} is not given to ${hot}`;
  return undefined;
}

/** Asked before the desk is run with it; who the hot account is, is not known then. */
export async function expectStake(node: TronNode, stake: Stake): Promise<void> {
  const why = await objection(node, stake);
  if (why !== undefined) throw new Fault('permanent', AT_TRON, why);
}
