import type { VNode } from 'preact';
import type { Token } from '../../sdk/src/index.ts';
import { money, type View } from '../server/view.ts';
import { Facts } from './notice.tsx';

/** What a payment link fixes: whom to pay, in which coin, and for how much the desk is asked; the trade decides what arrives. */
export interface Bill {
  readonly to: Token;
  readonly atoms: bigint;
  readonly address: string;
  readonly name: string;
}

export const billTitle = ({ words }: View, { name }: Bill): string => words.pay.title(name || words.pay.someone);

/** The receiver's side in words. */
export function BillHead({
  view,
  bill,
  level: Title,
}: {
  readonly view: View;
  readonly bill: Bill;
  readonly level: 'h1' | 'h3';
}): VNode {
  const { words, book } = view;
  const chain = book.chain(bill.to.chainId).name;
  return (
    <>
      <Title>{billTitle(view, bill)}</Title>
      <p class="lead">{words.pay.gets(money(bill.atoms, bill.to.decimals, bill.to.symbol), chain)}</p>
      {Title === 'h3' && <Facts rows={[[words.pay.to, <bdi class="code">{bill.address}</bdi>]]} />}
    </>
  );
}
