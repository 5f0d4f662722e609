import type { Config } from '../../src/app/config.ts';
import type { Rules } from '../../src/life/order/rules.ts';
import type { Db, Statement } from '../../src/store/db.ts';
import type { Outbound, OutboundCall } from '../../src/world/outbound/http.ts';
import type { Event, OrderEvent, Plan, Trip } from './events.ts';
import { NODE_URL, type World } from './world.ts';

/** A bug that is planted in the desk: it bends what an engine says to others or they to it, its settings, or the database. */
export interface Bug {
  readonly name: string;
  /** Which check finds it, and in which seed it was found. */
  readonly foundBy: string;
  readonly seed: number;
  /** The list that it is from: a sentence of `money-safety`, or a paragraph of the attackers. */
  readonly from: string;
  /** Seeds that lack this cannot show it, and need not be played. */
  readonly needs?: (plan: Plan) => boolean;
  readonly plant?: (world: World) => Plant;
  readonly rules?: Partial<Rules>;
  readonly config?: (config: Config) => Config;
  readonly prepare?: (db: Db) => Promise<unknown>;
  readonly skipsRestore?: boolean;
}

export interface Plant {
  readonly outbound?: (real: Outbound) => Outbound;
  readonly signerOutbound?: (real: Outbound) => Outbound;
  readonly database?: (real: Db) => Db;
}

export const has =
  (what: Event['what'], isIt: (event: never) => boolean = () => true) =>
  (plan: Plan) =>
    plan.events.some((event) => event.what === what && isIt(event as never));
export const payee = (kind: string) => has('order', (event: { payee: string }) => event.payee === kind);

export const gives = (trips: readonly Trip[]) => has('order', ({ trip }: OrderEvent) => trips.includes(trip));

/** Another text in place of what is saved under that name. */
export const saving =
  (name: string, change: (value: string) => string) =>
  (real: Db): Db => ({
    ...real,
    query: (statement, values = []) =>
      real.query(statement, statement.name === name ? [change(String(values[0])), ...values.slice(1)] : values),
  });
/** Another statement in the place of that one. */
export const asking =
  (name: string, text: string) =>
  (real: Db): Db => ({
    ...real,
    query: (statement, values) =>
      real.query(statement.name === name ? { name: `planted_${name}`, text } : statement, values),
  });
export const heightOf = (page: Readonly<Record<string, unknown>>): number => (page.cursor as { height: number }).height;
export const json = (change: (value: Readonly<Record<string, unknown>>) => object) => (text: string) =>
  JSON.stringify(change(JSON.parse(text)));

export const rpc = (method: string, params: unknown[]): OutboundCall => ({
  ...{ at: 'chain:42161', label: method, url: NODE_URL, method: 'POST' },
  body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
});
/** Another answer to one method of the node. */
export const answering =
  (method: string, change: (result: string) => unknown) =>
  (real: Outbound): Outbound =>
  async (call) => {
    const reply = await real(call);
    if (call.label !== method) return reply;
    const said = JSON.parse(reply.body) as { result?: string };
    return 'result' in said
      ? { ...reply, body: JSON.stringify({ ...said, result: change(String(said.result)) }) }
      : reply;
  };
export const COIN = ':0x0000000000000000000000000000000000000000';
/** Another step in place of each that is committed, whoever it is committed with. */
export const stepping = <S extends object>(change: (step: S) => object) =>
  saving('step_commit', (text) => JSON.stringify((JSON.parse(text) as S[]).map(change)));
interface Moving {
  readonly postings: readonly { readonly from: string; readonly to: string; readonly asset: string }[];
}
/** Postings that are not of this kind are left out. */
export const posting = (isKept: (posting: Moving['postings'][number]) => boolean) =>
  stepping((step: Moving) => ({ ...step, postings: step.postings.filter(isKept) }));
/** What carriers of this coin take is left out. */
export const withoutCosts = (coin: string) =>
  posting(({ from, to, asset }) => !(asset === coin && from !== 'world' && to === 'world'));
/** Whatever blocks were undone, what they brought stays. */
export const NEVER_BACK = saving(
  'scan_save',
  json((page) => ({ ...page, rewoundTo: null })),
);
export const ALTER = (text: string): Statement => ({ name: 'planted_alter', text });
export const evmWith =
  (change: object) =>
  (config: Config): Config => ({
    ...config,
    chains: { ...config.chains, evm: (config.chains.evm as object[]).map((chain) => ({ ...chain, ...change })) },
  });
export const hasTwins = ({ events }: Plan): boolean => {
  const honest = events.filter((event): event is OrderEvent => event.what === 'order' && event.deeds.length === 1);
  return honest.some((one, at) =>
    honest.slice(at + 1).some(({ trip, usd, at }) => trip === one.trip && usd === one.usd && at === one.at),
  );
};
export const LARGE = /"atoms":"(\d{16,})"/;

/** A payment as it is saved. */
export interface Saved {
  readonly purpose: string;
  readonly atoms: string;
  readonly version: number;
  readonly doc: { readonly amount: object };
}
/** As it is written first; from then on it is read. */
export function halved(one: Saved): Saved {
  if (one.version !== 0) return one;
  const half = `${BigInt(one.atoms) / 2n}`;
  return { ...one, atoms: half, doc: { ...one.doc, amount: { ...one.doc.amount, atoms: { $n: half } } } };
}
