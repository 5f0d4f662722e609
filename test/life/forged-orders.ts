/** What a new order is not, by its place in what the API sends. */
export const FORGED_BIRTHS: readonly (readonly [path: string, value: unknown])[] = [
  ['{phase}', 'payout_due'],
  ['{doc,state,phase}', 'payout_due'],
  ['{doc,state,out}', {}],
  ['{doc,funds,confirmed,atoms,$n}', '5'],
  ['{doc,funds,seen,atoms,$n}', '5'],
  ['{doc,used,atoms,$n}', '5'],
  ['{doc,claims}', [{ stage: 'pricing' }]],
  ['{doc,earned}', [{ to: 'fees' }]],
  ['{doc,traded}', {}],
  ['{doc,replacement}', {}],
  ['{doc,deals}', 1],
  ['{doc,unheard}', 1],
  ['{doc}', {}],
  ['{effects}', [{ kind: 'sign_transfer' }]],
  ['{effects,0,kind}', 'reserve_payout'],
];

/** Parts of an order that no customer's and no operator's word changes. */
export const FORGED_PARTS = { destination: {}, route: {}, charter: 'x', traded: {}, deals: 1, strays: [1], unheard: 1 };

/** Steps by which so much is taken of an order as fees, beside what others paid. */
export function feesTaken(order: string, atoms: string): readonly string[] {
  const own = `order:${order}`;
  const paid = { from: 'world', to: own, asset: 'x', atoms: '5' };
  const others = { from: 'world', to: 'fees', asset: 'x', atoms: '9' };
  return [
    { owner: order, at: 1, postings: [paid, { from: own, to: 'fees', asset: 'x', atoms }] },
    { owner: 'another', at: 1, postings: [others] },
  ].map((step) => JSON.stringify(step));
}
