import { type Atoms, atoms } from '../../../kernel/amount.ts';
import type { Address, AssetId } from '../../../kernel/ids.ts';
import type { Ask } from './ask.ts';
import { USDC_DECIMALS } from './codec.ts';
import { exactAtoms, fields, list, roundedAtoms } from './reply.ts';
import type { Token } from './tokens.ts';

export interface Holding {
  readonly asset: AssetId;
  readonly total: Atoms;
  /** Not on hold for a resting order. */
  readonly free: Atoms;
}

/** What an account holds on the spot side, by the number of each token; one that is not listed is not held. */
export async function spotHoldings(ask: Ask, user: Address, tokens: readonly Token[]): Promise<readonly Holding[]> {
  const reply = fields(
    await ask({ type: 'spotClearinghouseState', user: user.toLowerCase() }),
    'spotClearinghouseState',
  );
  const rows = list(reply.balances, 'balances').map((row) => fields(row, 'balances'));
  return tokens.map(({ asset, index, decimals }) => {
    const row = rows.find((one) => one.token === index);
    if (!row) return { asset, total: atoms(0n), free: atoms(0n) };
    const total = exactAtoms(row.total, decimals, 'balances.total');
    const hold = exactAtoms(row.hold, decimals, 'balances.hold');
    return { asset, total: atoms(total), free: atoms(total > hold ? total - hold : 0n) };
  });
}

const PERP_DECIMALS = 6;

/** USDC on the perpetual side that could leave it. */
export async function perpUsdc(ask: Ask, user: Address): Promise<Atoms> {
  const state = fields(await ask({ type: 'clearinghouseState', user: user.toLowerCase() }), 'clearinghouseState');
  const millionths = roundedAtoms(state.withdrawable, PERP_DECIMALS, 'down', 'clearinghouseState.withdrawable');
  return atoms(millionths * 10n ** BigInt(USDC_DECIMALS - PERP_DECIMALS));
}
