import { formatUnits } from '../../src/kernel/amount.ts';
import { PROVIDERS } from '../providers.ts';
import { type Box, controlCalls } from './calls.ts';
import { MODES } from './faults.ts';
import { type OpenOrder, openOrders } from './open-orders.ts';
import { bad, type Pages } from './server.ts';

/** What the buttons of an order do, in the order in which they stand. */
const PAYMENTS = {
  all: 'pay all',
  half: 'pay half',
  rest: 'pay the rest',
  twice: 'pay twice',
  elsewhere: 'pay on another chain',
  late: 'pay late',
} as const;
type Payment = keyof typeof PAYMENTS;

const HOUR_MS = 3_600_000;
/** A bridge asks for no amount: two whole coins are above every minimum of the box, except Tron's. */
const BRIDGED_WHOLE = 100n;

export interface PageBox extends Box {
  readonly database: string;
  readonly apiUrl: string;
}

/** A page for people who play the customer, the chains and the clock. Plain forms, no script. */
export function controlPages(box: PageBox): Pages {
  const calls = controlCalls(box);
  const run = async (route: string, input: unknown): Promise<unknown> => {
    const call = calls[route];
    if (!call) throw bad(`no such call: ${route}`);
    return call(input);
  };
  const pay = async ({ chainId, token, depositAddress }: Omit<OpenOrder, 'asked'>, atoms: bigint) => {
    if (atoms > 0n) await run('POST /sandbox/pay', { chainId, token, to: depositAddress, amount: `${atoms}` });
  };

  const payments: Readonly<Record<Payment, (order: OpenOrder) => Promise<void>>> = {
    all: (order) => pay(order, whole(order)),
    half: (order) => pay(order, whole(order) / 2n),
    rest: (order) => pay(order, whole(order) - order.observed),
    twice: async (order) => {
      await pay(order, whole(order));
      await pay(order, whole(order));
    },
    elsewhere: async (order) => {
      const other = box.world.places.find((place) => isTwin(box, order, place.chainId));
      if (!other) throw bad('this address exists on one chain alone');
      const coin = other.tokens.find(({ symbol }) => symbol === order.symbol) ?? other.tokens[0];
      if (!coin) throw bad(`${other.name} has no coin`);
      const unit = 10n ** BigInt(coin.decimals);
      const atoms = coin.symbol === order.symbol ? (whole(order) * unit) / 10n ** BigInt(order.decimals) : unit / 10n;
      await pay({ ...order, chainId: other.chainId, token: coin.token }, atoms);
    },
    late: async (order) => {
      const left = order.expiresAt - box.clock.now();
      if (left > 0) await run('POST /sandbox/clock', { advanceMs: left + 60_000 });
      await pay(order, whole(order));
    },
  };

  return {
    'GET /': async (query) => ({
      html: page(box, await openOrders(box.database), await walletRows(box), query.get('paid')),
    }),
    'POST /do': async (form) => {
      const what = form.get('what') ?? '';
      const id = form.get('order');
      if (id !== null) {
        const order = (await openOrders(box.database)).find((one) => one.id === id);
        if (!order) throw bad('no such open order');
        const how = Object.keys(PAYMENTS).find((one): one is Payment => one === what);
        if (!how) throw bad(`no such payment: ${what}`);
        await payments[how](order);
        return { to: `/?paid=${encodeURIComponent(id)}` };
      }
      if (what === 'mine') {
        await run('POST /sandbox/mine', { chainId: Number(form.get('chain')), blocks: Number(form.get('blocks')) });
      } else if (what === 'clock') {
        await run('POST /sandbox/clock', { advanceMs: Number(form.get('minutes')) * 60_000 });
      } else if (what === 'fault') {
        await run('POST /sandbox/fault', { target: form.get('target'), mode: form.get('mode') });
      } else if (what === 'clear') {
        await run('DELETE /sandbox/faults', {});
      } else throw bad(`no such button: ${what}`);
      return { to: '/' };
    },
  };
}

const whole = ({ asked, isBridge, decimals }: OpenOrder): bigint =>
  isBridge ? BRIDGED_WHOLE * 10n ** BigInt(decimals) : asked;

/** Another chain on which the same address is an address. */
function isTwin({ world }: Box, { chainId, depositAddress }: OpenOrder, other: number): boolean {
  const place = world.places.find((one) => one.chainId === other);
  return (
    other !== chainId && place !== undefined && 'mine' in place && place.parseAddress(depositAddress) !== undefined
  );
}

const ESCAPED: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const text = (value: unknown): string => String(value).replaceAll(/[&<>"]/g, (found) => ESCAPED[found] ?? '');

const orderUrl = (apiUrl: string, id: string): string => text(`${apiUrl}/order/${encodeURIComponent(id)}`);

function orderRow(order: OpenOrder, apiUrl: string): string {
  const { id, phase, symbol, decimals, to, observed, depositAddress } = order;
  const buttons = Object.entries(PAYMENTS).map(
    ([what, label]) => `<button name="what" value="${what}">${label}</button>`,
  );
  return `<li><p><b>${text(order.isBridge ? symbol : `${formatUnits(order.asked, decimals)} ${symbol}`)} → ${text(to)}</b> ${text(phase)}, arrived ${formatUnits(observed, decimals)}</p>
<p><a href="${orderUrl(apiUrl, id)}"><code>${text(id)}</code></a><br><code>${text(depositAddress)}</code></p>
<form method="post" action="/do"><input type="hidden" name="order" value="${text(id)}">${buttons.join(' ')}</form></li>`;
}

/** Where the sandbox's customer can be paid: something to paste as a destination. */
async function walletRows({ world }: Box): Promise<string> {
  const rows = world.places.map(async (place) => {
    const [address = ''] = await place.wallets();
    return `<li>${text(place.name)}<br><code>${text(address)}</code></li>`;
  });
  return (await Promise.all(rows)).join('');
}

function page(
  { world, clock, apiUrl }: PageBox,
  orders: readonly OpenOrder[],
  wallets: string,
  paid: string | null,
): string {
  const chains = world.chains.map(({ chainId, name }) => `<option value="${chainId}">${text(name)}</option>`).join('');
  const targets = [
    'venue',
    'screening',
    ...PROVIDERS.map((name) => `provider:${name}`),
    ...world.chains.flatMap(({ chainId }) => [`chain:${chainId}`, `payout:${chainId}`]),
  ];
  const options = (values: readonly string[]) => values.map((value) => `<option>${text(value)}</option>`).join('');
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark"><title>Sandbox</title>
<style>body{font:1rem/1.5 system-ui,sans-serif;margin:0 auto;max-width:44rem;padding:1rem}li,section{border-top:1px solid #8888;padding:.75rem 0}ul{list-style:none;padding:0}button,select,input{font:inherit;min-height:2.25rem;margin:.125rem}code{overflow-wrap:anywhere}li code{user-select:all}p{margin:.25rem 0}</style></head><body>
<h1>Sandbox</h1><p>Play money. The desk is at <a href="${text(apiUrl)}">${text(apiUrl)}</a>; its clock says ${new Date(clock.now()).toISOString()}.</p>
${paid === null ? '' : `<p role="status"><b>It is sent.</b> <a href="${orderUrl(apiUrl, paid)}">See what becomes of it on the order’s page.</a></p>`}
<section><h2>Orders</h2>${orders.length === 0 ? `<p>No open order. <a href="${text(apiUrl)}">Make one at the desk.</a></p>` : `<ul>${orders.map((order) => orderRow(order, apiUrl)).join('')}</ul>`}</section>
<section><h2>Your own addresses</h2><details${orders.length === 0 ? ' open' : ''}><summary>to be paid at, or refunded to</summary><ul>${wallets}</ul></details></section>
<section><h2>Blocks</h2><form method="post" action="/do"><select name="chain" aria-label="Chain">${chains}</select> <input name="blocks" type="number" value="10" min="1" max="1000" aria-label="Blocks"> <button name="what" value="mine">make blocks</button></form></section>
<section><h2>Clock</h2><form method="post" action="/do"><input name="minutes" type="number" value="${HOUR_MS / 60_000 + 1}" min="1" max="100000" aria-label="Minutes"> minutes <button name="what" value="clock">move the clock</button></form></section>
<section><h2>Faults</h2><form method="post" action="/do"><select name="target" aria-label="Target">${options(targets)}</select> <select name="mode" aria-label="Mode">${options(MODES)}</select> <button name="what" value="fault">break it</button> <button name="what" value="clear">repair everything</button></form></section>
</body></html>`;
}
