import type { Place } from '../../sandbox/place.ts';
import { startBridge } from '../../sandbox/simulators/providers/bridge.ts';
import { openEngineBooks } from '../../src/app/engine-books.ts';
import { type Amount, amount, rescale } from '../../src/kernel/amount.ts';
import { present } from '../../src/kernel/assert.ts';
import { type Address, type ChainId, chainOf, type IntentId } from '../../src/kernel/ids.ts';
import { percent } from '../../src/kernel/ratio.ts';
import { type FillParts, stockFiller } from '../../src/life/execution/stock-fill.ts';
import type { StockFill } from '../../src/life/execution/stock-levels.ts';
import { RULES } from '../../src/life/order/rules.ts';
import { move } from '../../src/life/payment/posting.ts';
import { moneroKeysFromSeed } from '../../src/world/chains/monero/codec.ts';
import { MONERO_DEFAULTS, moneroRules } from '../../src/world/chains/monero/rules.ts';
import { httpOutbound } from '../../src/world/outbound/http.ts';
import { openBridge } from '../../src/world/providers/bridge/bridge.ts';
import { SEAL_KEY } from '../seal-key.ts';
import { fakePlace } from '../sim/providers-bench.ts';
import { openCaseRoom } from './case-room.ts';
import { DOLLARS_PER_XMR, XMR, XMR1, xmr, xmr1 } from './market.ts';
import { coin, newsOf } from './payment-facts.ts';

/** It looks when a story says so, or when it is asked. */
const NEVER_MS = 3_600_000;
const LEVEL = { low: '5', target: '10' } as const;
const levelOf = (of: typeof xmr) => ({ low: of(LEVEL.low).atoms, target: of(LEVEL.target).atoms, high: undefined });
const tokenOf = ({ asset }: Pick<Amount, 'asset'>): string => (asset === XMR.id ? XMR.token : XMR1.token);
const dollars = (of: Amount): bigint => {
  const whole = of.asset === XMR.id ? of.atoms : rescale(of.atoms, XMR1.decimals, XMR.decimals, 'down');
  return (whole * DOLLARS_PER_XMR * 10n ** 6n) / 10n ** 12n;
};

export type Change = Partial<StockFill> & { readonly parts?: (parts: FillParts) => FillParts };

/** A desk with Monero in both forms, each below five filled from the other up to ten, and a bridge that takes and pays real coins of two places. */
export async function openBridgeRoom() {
  const room = await openCaseRoom();
  const books = openEngineBooks(room.db, room.clock, SEAL_KEY);
  let made = 0;
  const fresh = (): Address => {
    made += 1;
    return moneroKeysFromSeed(Uint8Array.from({ length: 32 }, (_, at) => (at === 0 ? made : 7))).address;
  };
  const [moneroHot, venueHot] = [fresh(), `0x${'ab'.repeat(20)}` as Address];
  const monero = moneroRules(MONERO_DEFAULTS);
  const onMonero = fakePlace(monero);
  const onVenue = fakePlace({
    ...{ ...monero, facts: { ...monero.facts, id: XMR1.chainId, assets: [XMR1] } },
    parseAddress: (text) => text as Address,
  });
  const hotOf = (id: ChainId): Address => (id === XMR1.chainId ? venueHot : moneroHot);
  const placeOf = (id: ChainId): Place => (id === XMR1.chainId ? onVenue : onMonero);
  const simulator = await startBridge({
    ...{ places: [onMonero, onVenue], venueId: XMR1.chainId, now: room.clock.now, pollMs: NEVER_MS },
    freshAddress: async (id) => (id === XMR1.chainId ? `account of ${fresh()}` : fresh()),
  });
  const bridge = await openBridge(
    {
      url: simulator.url,
      pairs: [{ name: 'xmr', native: { asset: XMR.id, decimals: 12 }, wrapped: { asset: XMR1.id, decimals: 8 } }],
      parseAddress: (id, text) => placeOf(id).parseAddress(text) as Address | undefined,
    },
    httpOutbound,
    room.clock,
  );

  let posted = 0;
  const post = (...postings: ReturnType<typeof move>[]) => {
    posted += 1;
    return room.submit.commitHouse({ key: `came ${posted}`, postings });
  };
  await post(move('world', 'treasury', coin(xmr('1'), 10_000n)), move('world', 'treasury', coin(xmr1('1'), 10_000n)));
  /** As if customers had brought some and taken the rest. */
  async function stock(...wanted: readonly Amount[]): Promise<void> {
    for (const { asset, atoms } of wanted) {
      const more = atoms - (await books.ledger.balance('treasury', asset));
      if (more > 0n) await post(move('world', 'treasury', amount(asset, more)));
      if (more < 0n) await post(move('treasury', 'world', amount(asset, -more)));
    }
  }
  const received = async ({ asset }: Pick<Amount, 'asset'>): Promise<bigint> => {
    const id = chainOf(asset);
    return (await placeOf(id).received(tokenOf({ asset }), hotOf(id))).total;
  };
  const paymentOf = (number: number) => books.payments.find(`treasury:fill:${number}` as IntentId);
  const last = () => books.payments.lastNumber('treasury', 'stock_fill');

  /** The round of one engine. */
  function engine({ parts: change = (same) => same, ...fill }: Change = {}): () => Promise<void> {
    const usual = {
      isTrade: false,
      mostCost: percent('1'),
      usdPerDay: 10_000_000_000n,
      usdAtOnce: 10_000_000_000n,
      ...fill,
    };
    return stockFiller(
      change({
        levels: [
          { ...levelOf(xmr), asset: XMR.id, fill: { from: XMR1.id, ...usual } },
          { ...levelOf(xmr1), asset: XMR1.id, fill: { from: XMR.id, ...usual } },
        ],
        ...{ fills: books.stockFills, providers: [bridge], rules: RULES, clock: room.clock },
        chain: (id) => ({ hotAddress: hotOf(id), facts: { id } }) as never,
        worth: async (of) => dollars(of) as never,
        bind: (asset, address) => `bound ${asset} ${address}`,
        books: {
          ...{
            balance: books.ledger.balance,
            demand: books.ledger.demand,
            payment: paymentOf,
            beyondLedger: async () => 0n,
          },
          open: async (payment) => void (await room.submit.openHouse(payment)),
          takeDelivery: async ({ told }) => ((await received(told)) >= told.atoms ? told : undefined),
          raise: (about) => books.cases.raise('treasury', about),
          fellShort: async () => {},
        },
      }),
    );
  }

  const submit = async (number: number, ...news: readonly ('signed' | 'sent' | 'settled' | 'refused')[]) => {
    const payment = present(await paymentOf(number), `payment ${number}`);
    for (const what of news)
      await room.submit.submitHouse(`${number} ${what}`, newsOf(payment, room.clock.now())[what]);
    return payment;
  };
  return {
    ...{ room, books, simulator, engine, stock, received, paymentOf, last },
    /** What was paid since that one, in the order of numbers. */
    async paidFrom(first: number): Promise<readonly Amount[]> {
      const found: Amount[] = [];
      for (let number = first; number <= (await last()); number += 1)
        found.push(...[(await paymentOf(number))?.amount ?? []].flat());
      return found;
    },
    /** The payment goes its whole way, and the coins with it. */
    async pays(number: number): Promise<void> {
      const { amount: sum, to } = await submit(number, 'signed', 'sent', 'settled');
      await placeOf(chainOf(sum.asset)).pay({ token: tokenOf(sum), to, atoms: sum.atoms });
      for (let looks = 0; looks < 3; looks += 1) await simulator.look();
    },
    refuse: async (number: number) => void (await submit(number, 'refused')),
    async close(): Promise<void> {
      await simulator.close();
      await room.close();
    },
  };
}

export type BridgeRoom = Awaited<ReturnType<typeof openBridgeRoom>>;
