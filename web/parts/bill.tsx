import type { VNode } from 'preact';
import type { Token } from '../../sdk/src/index.ts';
import { tokenKey } from '../server/desk.ts';
import { showAtoms } from '../server/forms.ts';
import { money, type View } from '../server/view.ts';
import { Facts } from './notice.tsx';

/** What a payment link fixes: whom to pay, in which coin, and for how much the desk is asked; the trade decides what arrives. */
export interface Bill {
  readonly to: Token;
  readonly atoms: bigint;
  readonly address: string;
  readonly name: string;
}

/** Below the base. Whoever made the link is named by the public id of an integration, or not at all. */
export function billPath({ to, atoms, address, name }: Bill, ref: string): string {
  const fields = new URLSearchParams({
    to: tokenKey(to),
    amount: showAtoms(atoms, to.decimals),
    address,
    ...(name === '' ? {} : { name }),
    ...(ref === '' ? {} : { ref }),
  });
  return `/pay?${fields}`;
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
