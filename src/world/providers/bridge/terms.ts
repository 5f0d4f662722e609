import { type Amount, amount, parseUnits, rescale } from '../../../kernel/amount.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { AssetId } from '../../../kernel/ids.ts';
import { type Ratio, ratioFromDecimal, scaleInt } from '../../../kernel/ratio.ts';
import type { Reply } from '../../outbound/reading.ts';
import { type Ask, BRIDGE, reading } from './ask.ts';

/** A coin and its wrapped form on the venue, which stand one to one for each other. */
export interface BridgedPair {
  /** `xmr`, `trx`, `zec`. */
  readonly name: string;
  readonly native: { readonly asset: AssetId; readonly decimals: number };
  readonly wrapped: { readonly asset: AssetId; readonly decimals: number };
}

/** A pair in one direction. */
export interface Way {
  readonly pair: BridgedPair;
  readonly direction: 'deposit' | 'withdraw';
}

/** What comes out of so much; undefined while the bridge is switched off, or for less than it takes. */
export async function bridged(ask: Ask, { pair, direction }: Way, input: Amount): Promise<Amount | undefined> {
  const answer = await ask('terms', 'question', '/v2/bridges/terms');
  if ('declined' in answer) throw new Fault('permanent', BRIDGE, answer.declined);
  const terms = reading.record(answer.value, 'terms');
  if (!isOn(terms, pair.name, direction)) return undefined;
  const [from, to] = direction === 'deposit' ? [pair.native, pair.wrapped] : [pair.wrapped, pair.native];
  const coins = (list: unknown, where: string): bigint => {
    const whole = decimal(reading.record(list, where)[pair.name], `${where}.${pair.name}`);
    return parseUnits(whole, pair.native.decimals) ?? reading.malformed(`${where}.${pair.name}`, whole);
  };
  const least = rescale(coins(terms.minimums, 'minimums'), pair.native.decimals, from.decimals, 'up');
  if (input.atoms < least) return undefined;
  const fees = reading.record(terms.fees, 'fees');
  const net = input.atoms - scaleInt(input.atoms, rateOf(fees, direction), 'up');
  const there = rescale(net, from.decimals, to.decimals, 'down');
  const flat = direction === 'withdraw' ? coins(fees.withdrawalFlat, 'fees.withdrawalFlat') : 0n;
  return there > flat ? amount(to.asset, there - flat) : undefined;
}

/** Names of the coins that it knows, switched on or not. */
export async function listed(ask: Ask): Promise<ReadonlySet<string>> {
  const answer = await ask('terms', 'question', '/v2/bridges/terms');
  if ('declined' in answer) throw new Fault('permanent', BRIDGE, answer.declined);
  const { assets } = reading.record(answer.value, 'terms');
  return new Set(
    reading.list(assets, 'assets').map((one) => reading.text(reading.record(one, 'assets').asset, 'asset')),
  );
}

const isOn = (terms: Reply, name: string, direction: Way['direction']): boolean =>
  reading
    .list(terms.assets, 'assets')
    .map((one) => reading.record(one, 'assets'))
    .some((one) => one.asset === name && one[direction] === true);

function rateOf(fees: Reply, direction: Way['direction']): Ratio {
  const field = direction === 'deposit' ? 'depositFeeRate' : 'withdrawalFeeRate';
  const rate = ratioFromDecimal(decimal(fees[field], field));
  return rate.num <= rate.den ? rate : reading.malformed(field, fees[field]);
}

/** Rates and coins come as numbers of JSON, which are read as they are spelt. */
function decimal(value: unknown, where: string): string {
  const text = typeof value === 'number' ? String(value) : '';
  return /^\d+(\.\d+)?$/.test(text) ? text : reading.malformed(where, value);
}
