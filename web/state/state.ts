import type { VNode } from 'preact';
import type { SwapOrder } from '../../sdk/src/index.ts';
import type { Mood } from '../server/qr.ts';
import { money, plainName, type View } from '../server/view.ts';

export interface StateProps {
  readonly view: View;
  readonly order: SwapOrder;
  /** What was wrong with the address that was given, and what was given. */
  readonly wrong?: { readonly field: string; readonly text: string; readonly given: string };
}

export interface Shown {
  readonly mood: Mood;
  /** Tells the state in the title of the page. */
  readonly title: string;
  readonly body: VNode;
}

export type State = (props: StateProps) => Shown;

export const asked = ({ depositAmount, fromDecimals, fromSymbol }: SwapOrder): string =>
  money(depositAmount, fromDecimals, fromSymbol);

export const inDeposited = ({ fromDecimals, fromSymbol }: SwapOrder, atoms: string | bigint): string =>
  money(atoms, fromDecimals, fromSymbol);

/** What is missing, never below nothing. */
export function restOf(wanted: string, arrived: string | undefined): bigint {
  const rest = BigInt(wanted) - BigInt(arrived ?? '0');
  return rest > 0n ? rest : 0n;
}

export type Recovery = NonNullable<SwapOrder['refundRecovery']>;

/** What a refunded order gave back. */
export const returned = ({ refundRecoveries, refundRecovery }: SwapOrder): Recovery | undefined =>
  refundRecoveries.find(({ phase }) => phase === 'completed') ?? refundRecovery;

/** What is owed. A token that nobody lists has no decimals that we know, so its smallest units are told as such. */
export function owed({ words }: View, { amount, asset, decimals }: Recovery): string {
  return decimals === undefined ? words.swap.notListed(amount, plainName(asset)) : money(amount, decimals, asset);
}
