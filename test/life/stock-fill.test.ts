import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openEngineBooks } from '../../src/app/engine-books.ts';
import { type Amount, amount } from '../../src/kernel/amount.ts';
import { later } from '../../src/kernel/clock.ts';
import { Fault } from '../../src/kernel/fault.ts';
import { type Address, type AssetId, chainId, type IntentId } from '../../src/kernel/ids.ts';
import { percent } from '../../src/kernel/ratio.ts';
import { stockFiller } from '../../src/life/execution/stock-fill.ts';
import { RULES } from '../../src/life/order/rules.ts';
import { move } from '../../src/life/payment/posting.ts';
import type { Provider, ProviderStatus, Swap } from '../../src/world/providers/provider.ts';
import { SEAL_KEY } from '../seal-key.ts';
import { type CaseRoom, openCaseRoom } from './case-room.ts';
import { ETH, ETHER, ether, USDC, usdc } from './market.ts';
import { coin, newsOf } from './payment-facts.ts';

const HOT = 'hot' as Address;
const DAY_MS = 24 * 60 * 60 * 1000;
/** An ether is 2,000 dollars here. */
const inDollars = ({ asset, atoms: value }: Amount): bigint =>
  asset === USDC.id ? value : (value * 2_000n * 10n ** 6n) / 10n ** 18n;

let room: CaseRoom;
let books: ReturnType<typeof openEngineBooks>;
before(async () => {
  room = await openCaseRoom();
  books = openEngineBooks(room.db, room.clock, SEAL_KEY);
  await post('coins', coin(usdc('1'), 100n));
  await post('ether', ether('0.4'));
  await post('dollars', usdc('5000'));
});
after(() => room.close());
const post = (key: string, value: Amount) =>
  room.submit.commitHouse({ key, postings: [move('world', 'treasury', value)] });

/** Gives so much of what an honest one would, and says what the story wants. */
function acme(share = 0.999) {
  const asked: Swap[] = [];
  let told: ProviderStatus = { state: 'awaiting_deposit' };
  const gives = ({ input, output }: Swap) => {
    const honest = (input.atoms * 10n ** 18n) / (2_000n * 10n ** 6n);
    return amount(output, (honest * BigInt(Math.round(share * 1_000_000))) / 1_000_000n);
  };
  const provider: Provider = {
    name: 'acme',
    supports: () => true,
    quote: async (swap) => ({ output: gives(swap), least: gives(swap), seconds: 1 }),
    open: async (swap) => {
      asked.push(swap);
      const { input, deadline } = swap;
      const depositAddress = `acme ${asked.length}` as Address;
      return { id: `theirs-${asked.length}`, depositAddress, input, output: gives(swap), least: gives(swap), deadline };
    },
    status: async () => told,
    funded: async () => {},
  };
  const says = (status: ProviderStatus) => {
    told = status;
  };
  return { provider, asked, says };
}

interface Desk {
  readonly usdPerDay?: string;
  readonly provider: Provider;
  readonly delivered?: () => Amount | undefined;
  readonly providers?: readonly Provider[];
  /** Beside ether. */
  readonly alsoBuys?: AssetId;
}
const short: string[] = [];
const filler = ({
  provider,
  usdPerDay = '1000',
  delivered = () => undefined,
  providers = [provider],
  alsoBuys,
}: Desk) =>
  stockFiller({
    levels: [
      { asset: USDC.id, low: 0n, target: usdc('1000').atoms, high: undefined },
      ...[ETHER.id, ...(alsoBuys ? [alsoBuys] : [])].map((asset) => ({
        ...{ asset, low: ether('0.5').atoms, target: ether('1').atoms, high: undefined },
        fill: {
          from: USDC.id,
          mostCost: percent('1'),
          usdPerDay: usdc(usdPerDay).atoms,
          ...{ isTrade: false, usdAtOnce: usdc('100000').atoms },
        },
      })),
    ],
    fills: books.stockFills,
    providers,
    rules: RULES,
    chain: (id) => ({ hotAddress: HOT, facts: { id } }) as never,
    worth: async (of) => inDollars(of) as never,
    bind: (asset, address) => `bound ${asset} ${address}`,
    clock: room.clock,
    books: {
      balance: books.ledger.balance,
      demand: books.ledger.demand,
      beyondLedger: async () => 0n,
      payment: (number) => books.payments.find(`treasury:fill:${number}` as IntentId),
      open: async (payment) => void (await room.submit.openHouse(payment)),
      takeDelivery: async ({ deal, chain }) => {
        assert.ok(deal.startsWith('treasury:') && chain === chainId(Number(chain)));
        return delivered();
      },
      raise: (about) => books.cases.raise('treasury', about),
      fellShort: async (name, deal) => void short.push(`${name} ${deal}`),
    },
  });
const paymentOf = (number: number) => books.payments.find(`treasury:fill:${number}` as IntentId);
const lastFill = () => books.stockFills.last();

test('whoever would cost more than the bound is not dealt with, and nothing is spent', async () => {
  const { provider, asked } = acme(0.98);
  await filler({ provider })();
  assert.deepEqual([asked.length, await lastFill()], [0, 0]);
});

test('nor whoever promises far more than it costs: somebody else’s arrival would be its delivery', async () => {
  const [liar, turning] = [acme(5), acme()];
  await filler({ provider: liar.provider })();
  await filler({ provider: { ...turning.provider, open: liar.provider.open } })();
  assert.deepEqual([liar.asked.length, await lastFill()], [1, 0]);
});

const dear = acme();
test('stock below its level is bought up to the target, within what a day allows, and paid once as any payment', async () => {
  const fill = filler({ provider: dear.provider });
  for (let round = 0; round < 4; round += 1) await fill();
  assert.equal(dear.asked.length, 1, 'one at a time');
  const payment = await paymentOf(1);
  assert.deepEqual(payment?.amount, usdc('1000'), '0.6 of an ether are 1,200 dollars, and a day allows 1,000');
  assert.deepEqual([payment?.to, payment?.binding], ['acme 1', `bound ${USDC.id} acme 1`]);
  assert.equal(payment?.state.state, 'reserved');
  assert.equal(await books.ledger.balance('treasury', USDC.id), usdc('4000').atoms);
});

test('what is under way is held with the provider and owed to nobody', async () => {
  const payment = await paymentOf(1);
  assert.ok(payment);
  const news = newsOf(payment, room.clock.now());
  for (const what of ['signed', 'sent', 'settled'] as const) await room.submit.submitHouse(`fill ${what}`, news[what]);
  const position = (await books.solvency.positions()).find(({ asset }) => asset === USDC.id);
  assert.deepEqual([position?.providers, position?.orders], [usdc('1000').atoms, 0n]);
});

test('it is over when our own account shows what came; who brought less than was agreed is noted', async () => {
  const [told, got] = [ether('0.4995'), ether('0.4')];
  dear.says({ state: 'delivered', output: told, txHash: undefined });
  await filler({ provider: dear.provider })();
  assert.ok(await books.stockFills.open(ETHER.id), 'what is told is not what came');
  await filler({ provider: dear.provider, delivered: () => got })();
  assert.equal(await books.stockFills.open(ETHER.id), undefined);
  assert.deepEqual(short, ['acme treasury:1'], 'what came counts, not what was told');
  const about = await room.caseOf('provider_delivered_less');
  assert.ok(about?.reason.includes('treasury:1'), about?.reason);
});

test('nothing more is bought than a day allows, than the other can spare, and than is missing', async () => {
  const { provider, asked } = acme();
  await filler({ provider })();
  assert.equal(asked.length, 0, 'the day is used up');
  room.wait(DAY_MS + 1);
  await room.submit.commitHouse({ key: 'spent', postings: [move('treasury', 'world', usdc('2700'))] });
  await filler({ provider })();
  assert.deepEqual(asked[0]?.input, usdc('300'), 'it keeps its own target');
  assert.equal(await lastFill(), 2);
});

const pay = async (number: number) => {
  const payment = await paymentOf(number);
  assert.ok(payment);
  const news = newsOf(payment, room.clock.now());
  for (const what of ['signed', 'sent', 'settled'] as const)
    await room.submit.submitHouse(`fill ${number} ${what}`, news[what]);
};

test('one that fails before it was paid is not lost: its payment is withdrawn', async () => {
  const { provider } = acme();
  const failing: Provider = { ...provider, status: async () => ({ state: 'failed', reason: 'lost' }) };
  await filler({ provider: failing })();
  assert.equal((await books.stockFills.find(2))?.isWithdrawn, true);
  assert.equal((await books.stockFills.open(ETHER.id))?.number, 2, 'it is open until the payment is refused');
  assert.equal(await room.caseOf('provider_failed'), undefined);
});

test('one that fails is a case, and for a day no other is made', async () => {
  const { provider, asked } = acme();
  const failing: Provider = { ...provider, status: async () => ({ state: 'failed', reason: 'lost' }) };
  await pay(2);
  await filler({ provider: failing })();
  const shown = await room.caseOf('provider_failed');
  assert.ok(shown?.reason.includes('lost'));
  await post('more', usdc('2000'));
  await filler({ provider })();
  assert.equal(asked.length, 0);
  room.wait(DAY_MS + 1);
  await filler({ provider })();
  assert.equal(asked.length, 1);
  assert.ok((asked[0]?.deadline ?? 0) > later(room.clock.now(), 0));
});

test('whoever is ended between agreeing and paying has spent nothing, and the next one is made', async () => {
  await books.stockFills.close(3, 'done');
  room.wait(DAY_MS + 1);
  const { provider, asked } = acme();
  const terms = await provider.open({ input: usdc('1'), output: ETHER.id, deadline: room.clock.now() } as Swap);
  await books.stockFills.note({ number: 4, asset: ETHER.id, provider: 'acme', terms, usd: 1n });
  const fill = filler({ provider });
  await fill();
  assert.equal(await paymentOf(4), undefined);
  await fill();
  assert.equal(asked.length, 2);
  assert.equal((await paymentOf(5))?.amount.asset, USDC.id);
});

const openFill = async (): Promise<{
  readonly number: number;
  readonly provider: Provider;
  readonly says: ReturnType<typeof acme>['says'];
}> => {
  const open = await books.stockFills.open(ETHER.id);
  if (open) await books.stockFills.close(open.number, 'done');
  room.wait(DAY_MS + 1);
  await post(`for ${await lastFill()}`, usdc('3000'));
  const { provider, says } = acme();
  await filler({ provider })();
  const number = await lastFill();
  assert.equal((await books.stockFills.open(ETHER.id))?.number, number);
  return { number, provider, says };
};

test('dust that is called a refund is told of, and a refund in another asset is none', async () => {
  const { number, provider, says } = await openFill();
  await pay(number);
  says({ state: 'refunded', amount: ether('0.5'), txHash: undefined });
  await filler({ provider, delivered: () => ether('0.5') })();
  assert.ok(await books.stockFills.open(ETHER.id), 'it was paid in dollars');
  says({ state: 'refunded', amount: usdc('0.01'), txHash: undefined });
  await filler({ provider, delivered: () => usdc('0.01') })();
  assert.equal(await books.stockFills.open(ETHER.id), undefined);
  assert.equal(short.at(-1), `acme treasury:${number}`);
});

test('one whose provider is silent keeps no other from being bought', async () => {
  const { number, provider } = await openFill();
  await pay(number);
  await post('to spend', usdc('3000'));
  const { provider: other, asked } = acme();
  const silent: Provider = {
    ...provider,
    name: 'acme',
    status: () => Promise.reject(new Fault('transient', 'provider:acme', 'down')),
  };
  const providers = [
    { ...silent, quote: async () => undefined },
    { ...other, name: 'other' },
  ];
  await assert.rejects(filler({ provider, providers, alsoBuys: ETH.id })(), /purchase \d+ with acme: down/);
  assert.deepEqual(
    asked.map(({ output }) => output),
    [ETH.id],
  );
  await books.stockFills.close(await lastFill(), 'void');
});

test('whoever cannot be asked is named, and once it is overdue it has failed', async () => {
  const { number, provider } = await openFill();
  await pay(number);
  const down = async (): Promise<never> => {
    throw new Fault('transient', 'provider:acme', 'it is down');
  };
  const silent = filler({ provider: { ...provider, status: down } });
  await assert.rejects(silent(), { kind: 'transient', message: `purchase ${number} with acme: it is down` });
  const removed = filler({ provider, providers: [] });
  await assert.rejects(removed(), /purchase \d+ with acme: the settings do not name it any more/);
  room.wait(2 * 60 * 60 * 1000 + 1);
  await removed();
  assert.equal(await books.stockFills.open(ETHER.id), undefined);
  const subjects = (await books.cases.list()).flatMap(({ about }) =>
    about.case === 'provider_failed' ? [about.deal] : [],
  );
  assert.ok(subjects.includes(`treasury:${number}`), subjects.join());
});
