import type { AssetId, ChainId } from '../../src/kernel/ids.ts';
import type { Payment } from '../../src/life/payment/payment.ts';
import { evmAsset } from '../../src/world/chains/evm/codec.ts';
import type { Books } from './books.ts';
import { senderOf as senderOfDealing } from './customer.ts';
import { XMR } from './elsewhere.ts';
import type { MinedTx } from './evm-chain.ts';
import { PROVIDER } from './evm-place.ts';
import {
  assetOf,
  backToSender,
  broughtBy,
  broughtTo,
  ours,
  outflows,
  paidTo,
  same,
  worth,
  worthElsewhere,
} from './flows.ts';
import { OWN_PLACES } from './levels.ts';
import type { Check } from './scene.ts';
import { ARBITRUM, SETTLED } from './world.ts';

const intentsOf = ({ attempts }: Books) => new Map(attempts.map((one) => [one.txHash, one]));

export const CHECKS_OF_CHAINS: readonly Check[] = [
  {
    name: 'one transfer per intent',
    of: 'I1',
    find({ world }, books) {
      const intents = intentsOf(books);
      const counts = new Map<string, number>();
      for (const { tx, ok } of ours(world)) {
        const intent = intents.get(tx.hash)?.intent;
        if (ok && intent) counts.set(intent, (counts.get(intent) ?? 0) + 1);
      }
      return [...counts].flatMap(([intent, count]) => (count > 1 ? [`${intent} was paid ${count} times`] : []));
    },
  },
  {
    name: 'paid at most once',
    of: 'I1, I3, 9.1',
    find: ({ world, dealings, elsewhere }) =>
      dealings.flatMap(({ name, payTo, otherPayTo, earnsAt, event }) => {
        if (event.payee === 'sanctioned') return [];
        const count = paidTo(world, payTo).length + (otherPayTo ? paidTo(world, otherPayTo).length : 0);
        const fees = earnsAt ? paidTo(world, earnsAt).length + (elsewhere?.get(earnsAt)?.length ?? 0) : 0;
        return [
          ...(count > 1 ? [`${name} was paid ${count} times`] : []),
          ...(fees > 1 ? [`who sent ${name} was paid ${fees} times`] : []),
        ];
      }),
  },
  {
    name: 'no more out than in',
    of: 'I2, I3',
    find: (scene, books) =>
      scene.dealings.flatMap((dealing) => {
        const { orders, cases } = books;
        const { id, name, depositAddress, payTo, otherPayTo, refundTo, refundElsewhere, earnsAt, event } = dealing;
        if (!depositAddress || event.payee === 'sanctioned') return [];
        const named = [payTo, refundTo, ...refundElsewhere.values(), senderOfDealing(name), otherPayTo, earnsAt];
        const places = [...new Set(named.filter((place) => place !== undefined))];
        const onArbitrum = places
          .flatMap((place) => paidTo(scene.world, place))
          .reduce((sum, one) => sum + worth(scene.world, assetOf(one), one.tx.atoms), 0n);
        const out = places.reduce(
          (sum, place) => sum + worthElsewhere(scene, place),
          onArbitrum + backToSender(scene, books, id),
        );
        // Of what was undone below the depth that was asked for, a person was told.
        const isTold = cases.some(({ owner, kind }) => owner === id && kind === 'deposit_orphaned');
        const missing = isTold ? orders.find((one) => one.id === id)?.funds.missing : undefined;
        const brought =
          broughtBy(scene, depositAddress) + (missing ? worth(scene.world, missing.asset, missing.atoms) : 0n);
        return out > brought ? [`${name} brought ${brought} and was paid ${out} millionths of a dollar`] : [];
      }),
  },
  {
    name: 'paid out of what was delivered',
    of: 'I2, 9.13',
    find({ world, dealings }) {
      const customers = dealings.flatMap(({ event, payTo, otherPayTo }) =>
        event.trip.includes('xmr') ? [] : [payTo, ...(otherPayTo ? [otherPayTo] : [])],
      );
      const sums = new Map<AssetId, bigint>();
      const count = (one: MinedTx, by: bigint) =>
        sums.set(assetOf(one), (sums.get(assetOf(one)) ?? 0n) + by * one.tx.atoms);
      for (const address of customers) for (const one of paidTo(world, address)) count(one, 1n);
      // What is older is the stock with which the desk began.
      for (const one of world.arbitrum.movements())
        if (one.ok && one.height > SETTLED && one.tx.from === PROVIDER && same(one.tx.payee, world.hot.evm))
          count(one, -1n);
      return [...sums].flatMap(([asset, atoms]) =>
        atoms > 0n ? [`${atoms} of ${asset} more were paid to customers than providers delivered`] : [],
      );
    },
  },
  {
    name: 'paid once elsewhere',
    of: 'I1, I2, I20',
    find: ({ dealings, elsewhere }, { orders }) =>
      dealings.flatMap(({ name, id, payTo, otherPayTo, depositAddress }) => {
        const came = elsewhere?.get(payTo);
        const order = orders.find((one) => one.id === id);
        if (!came || !depositAddress) return [];
        const transfers = [...came, ...(elsewhere?.get(otherPayTo ?? '') ?? [])];
        if (transfers.length > 1) return [`${name} was paid ${transfers.length} times`];
        if (order?.state.phase !== 'completed') return [];
        const { out } = order.state;
        const [paid] = transfers;
        return paid?.asset === out.asset && paid.amount === out.atoms
          ? []
          : [`${name} was to get ${out.atoms} of ${out.asset} and got ${paid?.amount ?? 0n} of ${paid?.asset}`];
      }),
  },
  {
    name: 'only to known places',
    of: 'I4',
    find({ world, dealings }) {
      const known = dealings.flatMap(({ name, payTo, otherPayTo, refundTo, earnsAt }) => [
        ...[payTo, refundTo, senderOfDealing(name), otherPayTo, earnsAt],
      ]);
      const isKnown = (to: string) =>
        [...known, ...OWN_PLACES].some((one) => one !== undefined && same(one, to)) ||
        world.providers.some((provider) => provider.takesDeposits(to));
      return outflows(world).flatMap(({ tx }) => (isKnown(tx.payee) ? [] : [`${tx.atoms} went to ${tx.payee}`]));
    },
  },
  {
    name: 'no sanctioned payee',
    of: '9.16',
    find: ({ world }) => paidTo(world, world.sanctioned).map(({ tx }) => `${tx.atoms} went to a sanctioned address`),
  },
  {
    name: 'sent as intended',
    of: 'I5, I20',
    find({ world, plan }, books) {
      // A database from the past knows them from the signer's journal alone.
      if (plan.events.some(({ what }) => what === 'restore')) return [];
      const intents = intentsOf(books);
      return ours(world).flatMap((one) => {
        const attempt = intents.get(one.tx.hash);
        if (!attempt) return [`${one.tx.hash} was mined and no attempt is on record`];
        const payment = books.payments.find(({ id }) => id === attempt.payment);
        const isGas = attempt.intent !== attempt.payment;
        const meant = isGas ? payment?.gas?.amount : payment?.amount;
        const to = isGas ? payment?.payer?.address : payment?.to;
        if (!payment || !meant || !to) return [`${attempt.intent} belongs to no payment`];
        const isIt = meant.asset === assetOf(one) && same(to, one.tx.payee) && (isGas || meant.atoms === one.tx.atoms);
        return isIt
          ? []
          : [`${attempt.intent} meant ${meant.atoms} to ${to}, and ${one.tx.atoms} went to ${one.tx.payee}`];
      });
    },
  },
  {
    name: 'completed is paid',
    of: 'I20, I22',
    find: ({ world }, { orders, payments }) =>
      orders.flatMap((order) => {
        if (order.state.phase !== 'completed' || order.to.chainId !== ARBITRUM) return [];
        const { out } = order.state;
        const payment = payments.findLast(({ owner, purpose }) => owner === order.id && purpose.for === 'payout');
        const isPaid = payment && paidTo(world, payment.to).some(({ tx }) => tx.atoms === out.atoms);
        return isPaid ? [] : [`${order.id} is completed and ${out.atoms} never came to its customer`];
      }),
  },
  {
    name: 'an earned fee is paid',
    of: 'I20, I22',
    find: (scene, { orders, cases }) =>
      scene.dealings.flatMap(({ id, name, earnsAt }) => {
        const earned = orders.find((one) => one.id === id && one.state.phase === 'completed')?.feeEarned;
        const isTold = cases.some(({ owner }) => owner === id);
        if (!earnsAt || !earned || isTold) return [];
        // On the venue a dollar has more decimals than on its home chain.
        const [due, paid] = scene.elsewhere?.has(earnsAt)
          ? [worth(scene.world, earned.asset, earned.atoms), worthElsewhere(scene, earnsAt)]
          : [earned.atoms, paidTo(scene.world, earnsAt).reduce((sum, { tx }) => sum + tx.atoms, 0n)];
        return paid === due ? [] : [`who sent ${name} earned ${due} and was paid ${paid}`];
      }),
  },
  {
    name: 'refunded is paid back',
    of: 'I20',
    find: ({ world, elsewhere, back }, { orders, payments, attempts }) => {
      const isOf = ({ id }: Payment, txHash: string) =>
        attempts.some((one) => one.payment === id && one.txHash === txHash);
      return orders.flatMap((order) =>
        order.claims.flatMap(({ stage, number }) => {
          const payment = payments.find(
            ({ owner, purpose }) => owner === order.id && purpose.for === 'refund' && purpose.claim === number,
          );
          if (stage !== 'completed' || !payment || payment.amount.asset === XMR.id) return [];
          const came = [
            ...paidTo(world, payment.to).map(({ tx }) => tx.atoms),
            ...(elsewhere?.get(payment.to) ?? []).map(({ amount }) => amount),
            ...(back ?? []).flatMap(({ txHash, amount }) => (isOf(payment, txHash) ? [amount] : [])),
          ];
          const isPaid = came.includes(payment.amount.atoms);
          return isPaid ? [] : [`claim ${number} of ${order.id} is completed and nothing came`];
        }),
      );
    },
  },
  {
    name: 'credit is on the chain',
    of: 'I8, I18',
    find: (scene, { orders }) =>
      orders.flatMap(({ id, depositAddress, funds, from }) => {
        const gone = funds.missing?.atoms ?? 0n;
        const came = [
          ...(scene.elsewhere?.get(depositAddress) ?? []).flatMap(({ asset, amount }) =>
            asset === from.id ? [amount] : [],
          ),
          ...broughtTo(scene.world, depositAddress)
            .filter((one) => assetOf(one) === from.id)
            .map(({ tx }) => tx.atoms),
        ];
        const really = came.reduce((sum, atoms) => sum + atoms, 0n);
        return funds.confirmed.atoms - gone > really
          ? [`${id} was credited ${funds.confirmed.atoms}, and ${really} came`]
          : [];
      }),
  },
  {
    name: 'nothing that came is forgotten',
    of: 'I6, 9.17',
    find: (scene, { orders, sightings, cases }) => [
      ...scene.dealings.flatMap(({ id, depositAddress = '' }) =>
        (scene.elsewhere?.get(depositAddress) ?? []).flatMap(({ txHash, amount }) =>
          sightings.some((row) => same(String(row.tx_hash), txHash)) ||
          cases.some(({ owner, kind }) => owner === id && kind === 'deposit_unjudged') ||
          (cases.some(({ kind }) => kind === 'order_forgotten') && orders.every((one) => one.id !== id))
            ? []
            : [`${amount} came to ${depositAddress} in ${txHash}, and nobody noticed`],
        ),
      ),
      ...scene.world.arbitrum.movements().flatMap((one) => {
        const { tx, ok, height } = one;
        if (!ok || !scene.world.isOurs(tx.payee) || scene.world.isOurs(tx.from) || same(tx.payee, scene.world.hot.evm))
          return [];
        if (height > scene.world.arbitrum.height - 10 || !worth(scene.world, assetOf(one), tx.atoms)) return [];
        const isSeen = sightings.some((row) => same(String(row.tx_hash), tx.hash) && row.state === 'final');
        const isTold = cases.some(({ kind }) =>
          ['deposit_unjudged', 'deposit_without_order', 'round_failed'].includes(kind),
        );
        return isSeen || isTold ? [] : [`${tx.atoms} came to ${tx.payee} in ${tx.hash}, and nobody noticed`];
      }),
    ],
  },
  {
    name: 'refunds are worth their cost',
    of: '9.4',
    find({ world, plan }, books) {
      const intents = intentsOf(books);
      // It was a third of the whole at most when it was decided; a price that rises meanwhile is nobody's mistake.
      const least = plan.events.some(({ what }) => what === 'spike') ? 1n : 2n;
      return ours(world).flatMap((one) => {
        const { intent } = intents.get(one.tx.hash) ?? {};
        if (!intent?.includes(':refund:')) return [];
        const [cost, value] = [worth(world, COIN, one.gasUsed * one.price), worth(world, assetOf(one), one.tx.atoms)];
        return cost * least > value ? [`${intent} gave back ${value} and cost ${cost} millionths of a dollar`] : [];
      });
    },
  },
  {
    name: 'little gas is left behind',
    of: '9.5',
    find({ world, plan }, books) {
      // What a price that falls leaves over is nobody's mistake.
      if (plan.events.some(({ what }) => ['spike', 'reorg', 'restore'].includes(what))) return [];
      const intents = intentsOf(books);
      const gas = ours(world).filter(({ ok, tx }) => ok && /:gas\d*_/.test(intents.get(tx.hash)?.intent ?? ''));
      return gas.flatMap(({ tx }) => {
        const used = ours(world)
          .filter((one) => same(one.tx.from, tx.payee))
          .reduce((sum, one) => sum + one.gasUsed * one.price, 0n);
        return used > 0n && tx.atoms > used * 4n
          ? [`${tx.atoms} were sent ahead to ${tx.payee}, which used ${used}`]
          : [];
      });
    },
  },
];

const COIN = evmAsset(ARBITRUM as ChainId, undefined);
