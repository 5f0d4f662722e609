import { ratio } from '../../src/kernel/ratio.ts';
import { usd } from '../../src/kernel/usd.ts';
import type { Row, Statement } from '../../src/store/db.ts';
import type { Outbound } from '../../src/world/outbound/http.ts';
import { ANY_DELIVERY, creditsTwice, takesItsWord } from '../crash/zoo.ts';
import { BUGS_OF_CHAINS } from './bugs-of-chains.ts';
import type { OrderEvent } from './events.ts';
import { hasCalmHouse, wantsOf } from './levels.ts';
import { LONG_AFTER } from './plan.ts';
import {
  ALTER,
  answering,
  asking,
  type Bug,
  COIN,
  evmWith,
  halved,
  has,
  hasTwins,
  heightOf,
  json,
  LARGE,
  NEVER_BACK,
  payee,
  posting,
  rpc,
  type Saved,
  saving,
  stepping,
} from './planting.ts';

/** Asked what was signed, nobody answers that anything was. */
const unasked = (real: Outbound): Outbound => {
  return async (call) => (call.label === '/signed-transfer' ? { status: 200, body: '{}' } : real(call));
};

export const BUGS: readonly Bug[] = [
  {
    name: 'sends before it saves',
    ...{ from: 'persist after broadcast', foundBy: 'saved before sent', seed: 1 },
    plant: () => ({
      signerOutbound: (real) => async (call) => {
        const reply = await real(call);
        const { raw } = JSON.parse(reply.body) as { raw?: string };
        if (call.label === '/transfer' && raw?.startsWith('0x02')) await real(rpc('eth_sendRawTransaction', [raw]));
        return reply;
      },
    }),
  },
  {
    name: 'credits one deposit under two keys',
    ...{ from: 'drop the unique index', foundBy: 'deposit addresses are the chain', seed: 1 },
    plant: () => (creditsTwice.database ? { database: creditsTwice.database } : {}),
  },
  {
    name: 'takes the next nonce from the node alone',
    ...{ from: 'nonce from the node only', foundBy: 'every order ends or has a name for why not', seed: 2 },
    needs: has('node'),
    prepare: (db) => db.query(ALTER('ALTER TABLE nonce DROP CONSTRAINT nonce_pkey')),
    plant: () => ({
      database: asking(
        'nonce_take',
        `INSERT INTO nonce (chain_id, account, nonce, intent) VALUES ($2, $3, $4, $1)
          ON CONFLICT (intent) DO UPDATE SET nonce = excluded.nonce RETURNING nonce`,
      ),
    }),
  },
  {
    name: 'counts money in floats',
    ...{ from: 'float amounts', foundBy: 'sent as intended', seed: 8 },
    needs: has('order', (event: { trip: string }) => event.trip === 'usdc_eth'),
    plant: () => ({
      signerOutbound: (real) => (call) =>
        real({
          ...call,
          ...(call.body
            ? { body: call.body.replace(LARGE, (_, digits) => `"atoms":"${BigInt(Number(digits))}"`) }
            : {}),
        }),
    }),
  },
  {
    name: 'believes a revert as soon as it is mined',
    ...{ from: '9.1 revert, then reorganise', foundBy: 'paid at most once', seed: 20 },
    needs: payee('turning'),
    config: evmWith({ settled: 1 }),
  },
  {
    name: 'never takes a credit back',
    ...{ from: '9.2 a deposit that left the chain', foundBy: 'credit is on the chain', seed: 23 },
    needs: has('reorg', (event: { loses: string }) => event.loses === 'deposits'),
    plant: () => ({
      database: NEVER_BACK,
    }),
  },
  {
    name: 'sends five times the gas ahead',
    ...{ from: '9.5 gas left behind', foundBy: 'little gas is left behind', seed: 3 },
    plant: () => ({ outbound: answering('eth_estimateGas', (gas) => `0x${(BigInt(gas) * 5n).toString(16)}`) }),
  },
  {
    name: 'starts on a database from the past',
    ...{ from: '9.12 a database from the past', foundBy: 'every order ends or has a name for why not', seed: 7 },
    needs: has('restore'),
    skipsRestore: true,
    plant: () => ({
      signerOutbound: (real) => async (call) => {
        const reply = await real(call);
        if (call.label !== '/journal' || reply.status !== 200) return reply;
        return { ...reply, body: JSON.stringify({ ...JSON.parse(reply.body), isKnown: true, lines: [] }) };
      },
    }),
  },
  {
    name: 'takes the word of a provider for its money',
    ...{ from: '9.13 a provider delivers less', foundBy: 'paid out of what was delivered', seed: 225 },
    needs: has('provider', ({ mode }: { mode: string }) => mode === 'false_delivery'),
    plant: (world) => takesItsWord({ world } as never),
  },
  {
    name: 'screens nobody',
    ...{ from: '9.16 screening by half', foundBy: 'no sanctioned payee', seed: 2 },
    needs: payee('sanctioned'),
    config: (config) => ({ ...config, screening: { denyListFile: '/dev/null' } }),
  },
  {
    name: 'moves the cursor past what it did not keep',
    ...{
      from: 'blocks, matches and the cursor move in one transaction',
      foundBy: 'nothing that came is forgotten',
      seed: 6,
    },
    plant: () => ({
      database: saving(
        'scan_save',
        json((page) => ({ ...page, sightings: heightOf(page) % 3 === 0 ? [] : page.sightings })),
      ),
    }),
  },
  {
    name: 'lets go of a payout at its first block',
    ...{ from: 'nothing is let go of before it is settled', foundBy: 'every attempt comes to an end', seed: 1 },
    plant: () => ({
      database: stepping((step: { fact?: { fact: string }; effects: { kind: string }[] }) =>
        step.fact?.fact === 'transfer_confirmed'
          ? { ...step, effects: step.effects.filter(({ kind }) => kind !== 'watch_transfer') }
          : step,
      ),
    }),
  },
  {
    name: 'says that it sent what it did not',
    ...{
      from: 'no response of a broadcast is trusted',
      foundBy: 'every order ends or has a name for why not',
      seed: 1,
    },
    plant: () => ({
      outbound: (real) => (call) =>
        call.label === 'eth_sendRawTransaction'
          ? Promise.resolve({ status: 200, body: '{"jsonrpc":"2.0","id":1,"result":"0x00"}' })
          : real(call),
    }),
  },
  {
    name: 'writes another destination than it bound',
    ...{ from: 'the destination comes from an immutable column', foundBy: 'what is written once stays', seed: 1 },
    plant: () => ({
      database: stepping((step: { order?: { doc: { destination: { address: string } } } }) => {
        if (!step.order) return step;
        const { doc } = step.order;
        const destination = { ...doc.destination, address: `0x${'e'.repeat(40)}` };
        return { ...step, order: { ...step.order, doc: { ...doc, destination } } };
      }),
    }),
  },
  {
    name: 'forgets a posting',
    ...{ from: 'postings sum to zero', foundBy: 'the books are the chain', seed: 1 },
    plant: () => ({
      database: posting(({ from, to }) => !(from.startsWith('payment:') && to === 'world')),
    }),
  },
  {
    name: 'pays half of the fee that was earned',
    ...{ from: 'a fee that is paid is a final transfer', foundBy: 'an earned fee is paid', seed: 6 },
    needs: has('order', ({ hasEarner }: OrderEvent) => hasEarner === true),
    plant: () => ({
      database: stepping((step: { payments: readonly Saved[] }) => ({
        ...step,
        payments: step.payments.map((one) => (one.purpose === 'integrator_fee' ? halved(one) : one)),
      })),
    }),
  },
  {
    name: 'tells a secret in its log',
    ...{ from: 'no secret in any log', foundBy: 'no secret is told', seed: 3 },
    needs: has('node', (event: { how: string }) => event.how === 'down'),
    plant: ({ config }) => ({
      outbound: (real) => (call) =>
        real(call).catch((error: Error) => {
          throw new Error(`${error.message} (key ${config.keys.engine})`);
        }),
    }),
  },
  {
    name: 'books no network costs',
    ...{ from: 'conservation counts network fees', foundBy: 'the books are the chain', seed: 14 },
    plant: () => ({
      database: posting(({ from, to, asset }) => !(asset.endsWith(COIN) && from !== 'world' && to === 'world')),
    }),
  },
  ...BUGS_OF_CHAINS,
  {
    name: 'goes past screening',
    ...{ from: 'moves are on the map', foundBy: 'moves are on the map', seed: 14 },
    plant: () => ({
      database: saving('step_commit', (text) =>
        text.replaceAll('"phase":"screening","isOpen"', '"phase":"paying","isOpen"'),
      ),
    }),
  },
  {
    name: 'settles two deals with one delivery',
    ...{ from: '9.13 two deals, one delivery', foundBy: 'one delivery per deal', seed: 14 },
    needs: hasTwins,
    prepare: (db) => db.query(ALTER('ALTER TABLE delivery DROP CONSTRAINT delivery_pkey')),
    plant: () => ({ database: asking('delivery_take', ANY_DELIVERY.text) }),
  },
  {
    name: 'gives back what costs more than it gives',
    ...{ from: '9.4 refunds at our cost', foundBy: 'refunds are worth their cost', seed: 26 },
    needs: (plan) =>
      has('order', ({ deeds }: OrderEvent) =>
        deeds.some(({ deed, after }) => deed === 'strays' && after >= LONG_AFTER),
      )(plan) && !has('spike')(plan),
    rules: { refundMultiple: 1n, speckBelow: usd(0), dust: ratio(0n, 1n) },
  },
  {
    name: 'believes a token that nobody lists without a bound',
    ...{ from: '9.3 a poisoned token', foundBy: 'no instruction meets a bug', seed: 18 },
    needs: has('order', ({ deeds }: OrderEvent) => deeds.some(({ deed }) => deed === 'lies')),
    rules: { mostUnlistedAtoms: 10n ** 90n },
  },
  {
    name: 'watches the addresses of open orders alone',
    ...{ from: '9.17 a deposit after the end', foundBy: 'nothing that came is forgotten', seed: 16 },
    needs: has('order', ({ deeds }: OrderEvent) =>
      deeds.some(({ deed, after }) => deed === 'pays' && after >= LONG_AFTER),
    ),
    plant: () => ({
      database: asking(
        'address_watched',
        `SELECT a.address FROM deposit_address AS a JOIN orders AS o ON o.id = a.order_id
          WHERE a.space = $1 AND a.address = ANY($2) AND o.is_busy`,
      ),
    }),
  },
  {
    name: 'credits a deposit in its first block',
    ...{ from: '9.8 depth follows the sum at stake', foundBy: 'credited at its depth', seed: 6 },
    config: evmWith({ finality: { small: 1, large: 1 } }),
  },
  {
    name: 'refuses without asking what was signed',
    ...{ from: 'unknown is a state', foundBy: 'every order ends or has a name for why not', seed: 1 },
    needs: has('unheard', (event: { isListed: boolean }) => event.isListed),
    plant: () => ({ signerOutbound: unasked }),
  },
  {
    name: 'fills a gap with what was refused',
    ...{ from: 'one nonce for one intent', foundBy: 'paid at most once', seed: 36 },
    needs: has('unheard', (event: { isListed: boolean }) => event.isListed),
    plant: () => ({
      signerOutbound: unasked,
      database: (real) => ({
        ...real,
        async query<R extends Row>(statement: Statement, values?: readonly unknown[]) {
          const rows = await real.query<R>(statement, values);
          return statement.name === 'attempts_between' ? rows.map((row) => ({ ...row, is_refused: false })) : rows;
        },
      }),
    }),
  },
  {
    name: 'sends again what is on its way to the venue',
    ...{ from: 'levelling: what is under way counts', foundBy: 'the house has what it wants', seed: 70 },
    needs: (plan) => hasCalmHouse(plan) && wantsOf(plan) === 'more on the venue',
    plant: () => ({
      database: asking(
        'ledger_on_way_to_venue',
        'SELECT 0 AS atoms WHERE $1::text || $2::text || $3::text || $4::text || $5::text IS NOT NULL',
      ),
    }),
  },
];
