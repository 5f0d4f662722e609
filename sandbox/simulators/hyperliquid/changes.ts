import type { Account, Order, Simulation, VenueState, Withdrawal } from './state.ts';

type Numbers = Pick<VenueState, 'height' | 'nextOid' | 'nextTradeId' | 'shape' | 'bridgeBlock'>;

/** What a venue is told after its snapshot: rows that were added, and others as they are since. */
export interface VenueChange extends Numbers {
  /** One that is forgotten has nothing, and stands in no history. */
  readonly accounts: Readonly<Record<string, Account | null>>;
  readonly orders: readonly Order[];
  readonly withdrawals: readonly (readonly [at: number, Withdrawal])[];
  readonly fills: VenueState['fills'];
  readonly updates: VenueState['updates'];
  readonly bridged: VenueState['bridged'];
}

/** Answers what has changed since it was last asked; undefined where that is nothing. */
export function followChanges({ state, touched }: Simulation): () => VenueChange | undefined {
  const rows = [state.fills, state.updates, state.bridged] as const;
  let [fills, updates, bridged] = rows.map(({ length }) => length) as [number, number, number];
  let told = JSON.stringify(numbersOf(state));
  return () => {
    const numbers = numbersOf(state);
    const text = JSON.stringify(numbers);
    const isSame = text === told && fills === state.fills.length && bridged === state.bridged.length;
    if (isSame && touched.accounts.size + touched.orders.size + touched.withdrawals.size === 0) return undefined;
    const change: VenueChange = {
      ...numbers,
      accounts: Object.fromEntries([...touched.accounts].map((user) => [user, state.accounts[user] ?? null])),
      // The maker's own are made anew whenever somebody looks.
      orders: [...touched.orders].filter(({ user }) => user !== ''),
      withdrawals: [...touched.withdrawals].map((one) => [state.withdrawals.indexOf(one), one]),
      fills: state.fills.slice(fills),
      updates: state.updates.slice(updates),
      bridged: state.bridged.slice(bridged),
    };
    told = text;
    [fills, updates, bridged] = [state.fills.length, state.updates.length, state.bridged.length];
    for (const some of Object.values(touched)) some.clear();
    return change;
  };
}

export function redo(state: VenueState, changes: readonly VenueChange[]): void {
  const orders = new Map(state.orders.map((order) => [order.oid, order]));
  for (const change of changes) {
    Object.assign(state, numbersOf(change));
    for (const [user, account] of Object.entries(change.accounts)) {
      if (account) state.accounts[user] = account;
      else forget(state, user);
    }
    for (const order of change.orders) orders.set(order.oid, order);
    for (const [at, withdrawal] of change.withdrawals) state.withdrawals[at] = withdrawal;
    state.fills.push(...change.fills);
    state.updates.push(...change.updates);
    state.bridged.push(...change.bridged);
  }
  state.orders = [...orders.values()];
}

export function forget(state: VenueState, user: string): void {
  delete state.accounts[user];
  for (const update of state.updates) update.users = update.users.filter((one) => one !== user);
}

const numbersOf = ({ height, nextOid, nextTradeId, shape, bridgeBlock }: Numbers): Numbers => ({
  ...{ height, nextOid, nextTradeId, shape, bridgeBlock },
});
