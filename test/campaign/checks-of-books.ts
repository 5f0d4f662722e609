import type { AssetId } from '../../src/kernel/ids.ts';
import { IS_FINAL, NEXT, type Phase } from '../../src/life/order/state.ts';
import { evmContractOf } from '../../src/world/chains/evm/codec.ts';
import type { Books } from './books.ts';
import type { Check } from './scene.ts';
import { ARBITRUM } from './world.ts';

/** Who waits here waits for his own customer. */
const WAITS_FOR_CUSTOMER: readonly Phase[] = ['awaiting_deposit', 'below_minimum', 'payout_refused'];

const pairs = <T>(all: readonly T[]): readonly (readonly [T, T])[] =>
  all.flatMap((one, at) => all.slice(at + 1).map((other) => [one, other] as const));

function grouped<T>(all: readonly T[], nameOf: (one: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const one of all) {
    const name = nameOf(one);
    groups.set(name, [...(groups.get(name) ?? []), one]);
  }
  return groups;
}

/** Nothing is under way, and no credit is gone: books and chains can be compared. */
const isQuiet = (payments: Books['payments'], orders: Books['orders']): boolean =>
  payments.every(({ state }) => ['settled', 'refused'].includes(state.state)) &&
  orders.every(({ funds }) => !funds.missing);
/** Why a chain was stopped, where credited deposits have left it. */
const LEFT = /have left this chain/;
/** A venue that forgets whoever has nothing cannot show what came before the database was put back: a person is told. */
const FORGOTTEN = /^it was emptied after this database was saved/;
/** A person was told that they differ. */
const UNSETTLED: readonly string[] = ['drift', 'deposit_orphaned', 'payment_undone'];

const BROKEN = /could not be committed|is a bug|violates|overflow/i;

export const CHECKS_OF_BOOKS: readonly Check[] = [
  {
    name: 'attempts of one intent exclude each other',
    of: 'I11',
    find: (_, { attempts }) =>
      [...grouped(attempts, ({ intent }) => intent).values()].flatMap((all) =>
        pairs(all.filter(({ isDead }) => !isDead)).flatMap(([one, other]) =>
          one.consumes.some((token) => other.consumes.includes(token))
            ? []
            : [`${one.txHash} and ${other.txHash} of ${one.intent} may both take effect`],
        ),
      ),
  },
  {
    name: 'no token of two intents',
    of: 'I12',
    find: (_, { attempts }) =>
      [
        ...grouped(
          attempts.flatMap(({ consumes, intent }) => consumes.map((token) => ({ token, intent }))),
          ({ token }) => token,
        ),
      ].flatMap(([token, all]) =>
        new Set(all.map(({ intent }) => intent)).size > 1 ? [`${token} belongs to two intents`] : [],
      ),
  },
  {
    name: 'one delivery per deal',
    of: 'I6, 9.13',
    find: (_, { deliveries }) =>
      [...grouped(deliveries, ({ key }) => key)].flatMap(([key, all]) =>
        all.length > 1 ? [`${key} settled ${all.map(({ deal }) => deal).join(' and ')}`] : [],
      ),
  },
  {
    name: 'no account is overdrawn',
    of: 'I2',
    find: (_, { balances }) =>
      balances.flatMap(({ account, asset, atoms }) =>
        account !== 'world' && atoms < 0n ? [`${account} has ${atoms} of ${asset}`] : [],
      ),
  },
  {
    name: 'postings make the balances',
    of: 'I6',
    find(_, { balances, postings }) {
      const sums = new Map<string, bigint>();
      for (const row of postings) {
        const atoms = BigInt(String(row.atoms));
        for (const [account, by] of [
          [row.from_account, -atoms],
          [row.to_account, atoms],
        ] as const)
          sums.set(`${account} ${row.asset}`, (sums.get(`${account} ${row.asset}`) ?? 0n) + by);
      }
      const kept = new Map(balances.map(({ account, asset, atoms }) => [`${account} ${asset}`, atoms]));
      return [...new Set([...sums.keys(), ...kept.keys()])].flatMap((name) =>
        name.startsWith('world ') || (sums.get(name) ?? 0n) === (kept.get(name) ?? 0n)
          ? []
          : [`${name.replace(' ', ' of ')} is not the sum of its postings`],
      );
    },
  },
  {
    name: 'kept sums are a recount, and no empty account is kept for an order',
    of: 'I6',
    find: (_, { miscounted, balances }) => [
      ...miscounted.map((row) => `${row.what} of ${row.name} is kept as ${row.kept}, and counts ${row.counted}`),
      ...balances.flatMap(({ account, atoms }) =>
        atoms === 0n && account.includes(':') ? [`${account} is empty`] : [],
      ),
    ],
  },
  {
    name: 'the books are the chain',
    of: 'I6, I7',
    find: ({ world, plan }, { expected, payments, cases, orders }) => {
      if (!isQuiet(payments, orders) || cases.some(({ kind }) => UNSETTLED.includes(kind))) return [];
      if (plan.events.some(({ what }) => what === 'restore')) return [];
      return [...expected].flatMap(([asset, atoms]) => {
        if (!asset.startsWith(`${ARBITRUM}:`)) return [];
        const held = world.arbitrum.balance(world.hot.evm, evmContractOf(asset as AssetId));
        return held === atoms ? [] : [`the hot account has ${held} of ${asset}, the books say ${atoms}`];
      });
    },
  },
  {
    name: 'the books are the wallets',
    of: 'I6, I7',
    find: ({ purses = new Map<AssetId, bigint>(), plan }, { balances, payments, cases, orders }) => {
      if (!isQuiet(payments, orders)) return [];
      if (cases.some(({ kind }) => UNSETTLED.includes(kind)) || plan.events.some(({ what }) => what === 'restore'))
        return [];
      return [...purses].flatMap(([coin, held]) => {
        const booked = balances
          .filter(({ account, asset }) => asset === coin && account !== 'world' && account !== 'cold')
          .reduce((sum, { atoms }) => sum + atoms, 0n);
        return booked === held ? [] : [`the wallet has ${held} of ${coin}, the books say ${booked}`];
      });
    },
  },
  {
    name: 'deposit addresses are the chain',
    of: 'I7, I8, 9.19',
    find: ({ world, plan }, { balances, payments, orders }) => {
      if (!isQuiet(payments, orders) || plan.events.some(({ what }) => what === 'restore' || what === 'reorg'))
        return [];
      return world.arbitrum.network.facts.assets.flatMap(({ id, native, symbol }) => {
        if (native) return [];
        const booked = balances
          .filter(({ account, asset }) => asset === id && /^(deposit|deposit-payment|left):/.test(account))
          .reduce((sum, { atoms }) => sum + atoms, 0n);
        const held = world
          .deposits()
          .reduce((sum, address) => sum + world.arbitrum.balance(address, evmContractOf(id)), 0n);
        return booked === held ? [] : [`deposit addresses hold ${held} of ${symbol}, the books say ${booked}`];
      });
    },
  },
  {
    name: 'one order per address',
    of: 'I16, 9.12',
    find: ({ dealings }) =>
      [
        ...grouped(
          dealings.filter(({ depositAddress }) => depositAddress),
          ({ depositAddress }) => `${depositAddress}`,
        ),
      ].flatMap(([address, all]) =>
        all.length > 1 ? [`${address} was given to ${all.map(({ name }) => name).join(' and ')}`] : [],
      ),
  },
  {
    name: 'what is written once stays',
    of: 'I15',
    find: ({ dealings }, { orders }) =>
      dealings.flatMap(({ id, payTo, depositAddress, name }) => {
        const order = orders.find((one) => one.id === id);
        if (!order) return [];
        return order.destination.address === payTo && order.depositAddress === depositAddress
          ? []
          : [`the order of ${name} has other addresses now`];
      }),
  },
  {
    name: 'moves are on the map',
    of: 'I17',
    find: (_, { history }) =>
      [...grouped(history, ({ order }) => order).values()].flatMap((steps) =>
        steps.flatMap(({ phase, order }, at) => {
          const before = (steps[at - 1]?.phase ?? 'awaiting_deposit') as Phase;
          return before === phase || NEXT[before].includes(phase as Phase)
            ? []
            : [`${order} went from ${before} to ${phase}`];
        }),
      ),
  },
  {
    name: 'every order ends or has a name for why not',
    of: 'L1',
    find: ({ plan }, { orders, payments, cases }) =>
      orders.flatMap(({ id, state, funds, claims }) => {
        const isUnsigned = payments.some((one) => one.owner === id && ['due', 'reserved'].includes(one.state.state));
        // A provider that keeps silent has an hour after its deal is over, which is longer than a seed rests.
        const isSilent = plan.events.some((event) => event.what === 'provider' && event.mode === 'no_delivery');
        if (isSilent && state.phase === 'swapping') return [];
        const isNamed =
          IS_FINAL[state.phase] ||
          cases.some(({ owner }) => owner === id) ||
          // Nobody believes in money of a chain whose breaker opened by itself, nor pays there, until a person has closed it: that is a case.
          (state.phase === 'screening' && cases.some(({ kind }) => kind === 'breaker_tripped')) ||
          (isUnsigned && cases.some(({ kind, reason }) => kind === 'breaker_tripped' && LEFT.test(reason))) ||
          // Who is told that giving it back costs more than it gives hears when that is looked at again.
          claims.some(({ stage }) => stage === 'address_required' || stage === 'kept') ||
          Boolean('shortOf' in state && state.shortOf);
        const waits = WAITS_FOR_CUSTOMER.includes(state.phase) && funds.confirmed.atoms === funds.seen.atoms;
        return isNamed || waits ? [] : [`${id} stands in ${state.phase}`];
      }),
  },
  {
    name: 'every attempt comes to an end',
    of: 'L2',
    find: (_, { payments, cases }) =>
      payments.flatMap(({ id, owner, state }) =>
        ['signed', 'sent', 'confirmed'].includes(state.state) &&
        !cases.some((one) => one.owner === owner || one.owner === 'treasury')
          ? [`${id} is ${state.state} for good`]
          : [],
      ),
  },
  {
    name: 'trouble of one harms nobody else',
    of: '9.3',
    find: ({ dealings, plan }, { orders }) => {
      // Where nothing but customers is at fault, honest ones are served.
      if (plan.events.some(({ what }) => what !== 'order' && what !== 'levels')) return [];
      return dealings.flatMap(({ id, name, event }) => {
        const isHonest =
          event.payee === 'plain' &&
          event.deeds.length === 1 &&
          event.deeds[0]?.deed === 'pays' &&
          event.deeds[0].percent === 100;
        const order = orders.find((one) => one.id === id);
        return isHonest && order && order.state.phase !== 'completed'
          ? [`${name} was honest, and stands in ${order.state.phase}`]
          : [];
      });
    },
  },
  {
    name: 'no instruction meets a bug',
    of: 'the assertions that stay on',
    find: ({ desk }, { cases }) => [
      ...new Set([
        ...desk.complaints.filter((line) => BROKEN.test(line)).slice(0, 3),
        ...cases.flatMap(({ owner, kind, reason }) =>
          kind === 'deposit_unjudged' && !FORGOTTEN.test(reason)
            ? [`a deposit of ${owner} cannot be judged: ${reason}`]
            : [],
        ),
      ]),
    ],
  },
  {
    name: 'no secret is told',
    of: 'I25',
    find: ({ desk, world }) => {
      const secrets = [world.config.keys.engine, world.config.keys.api, world.config.signer.passphrase].map(String);
      return desk.complaints.filter((line) => secrets.some((secret) => line.includes(secret))).slice(0, 1);
    },
  },
];
