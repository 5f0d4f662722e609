import { createHash } from 'node:crypto';
import type { Operations, Token } from '../../sdk/src/index.ts';
import type { Trouble } from '../parts/field.tsx';
import { tokenKey } from './desk.ts';
import { type AmountTrouble, type Form, readAmount, readPasted } from './forms.ts';
import type { View } from './view.ts';

/** What the fields of the swap form hold, as they were typed. */
export interface Typed {
  readonly from: string;
  readonly to: string;
  readonly send: string;
  readonly receive: string;
  readonly address: string;
  readonly refund: string;
}

/** What they mean. */
export interface Wish {
  readonly typed: Typed;
  readonly from: Token | undefined;
  readonly to: Token | undefined;
  /** The amount that the visitor fixed; the other one is reckoned. */
  readonly fixed: 'send' | 'receive';
  readonly atoms: bigint | undefined;
  readonly troubles: readonly Trouble[];
}

/** The pair of a first visit: dollars to Monero where both are on offer. */
const FIRST = { from: ['USDC', 42161], to: ['XMR', 0] } as const;

type End = readonly [symbol: string, chainId: number];

/** The first of these that will do, or else whatever will. */
function pick({ book }: View, willDo: (token: Token) => boolean, ...wished: readonly End[]): Token | undefined {
  const fit = book.tokens.filter(willDo);
  const named = wished.map(([symbol, chainId]) => fit.find((one) => one.symbol === symbol && one.chainId === chainId));
  return named.find((one) => one !== undefined) ?? fit[0];
}

export function firstPair(view: View): { readonly from: string; readonly to: string } {
  const from = pick(view, ({ deposit }) => deposit, FIRST.from);
  const to = pick(view, (one) => one.payout && one !== from, FIRST.to);
  return { from: from ? tokenKey(from) : '', to: to ? tokenKey(to) : '' };
}

/** What somebody who pays a bill is offered first: the dollars of a first visit, or Monero where those are asked for. */
export const firstPayment = (view: View, asked: Token): Token | undefined =>
  pick(view, (one) => one.deposit && tokenKey(one) !== tokenKey(asked), FIRST.from, FIRST.to);

/**
 * Either amount may be fixed. A form that was shown with a quote tells both amounts as they were shown, so that the one that
 * differs is the one that was typed.
 */
export function typedIn(
  form: Form,
  first: { readonly from: string; readonly to: string },
): { readonly typed: Typed; readonly fixed: 'send' | 'receive' } {
  const [send, receive] = [form.text('send'), form.text('receive')];
  const isChanged = (name: 'send' | 'receive', now: string) => now !== form.text(`shown-${name}`);
  const wasFixed = form.text('fixed') === 'receive' ? 'receive' : 'send';
  const fixed =
    isChanged('send', send) && send !== ''
      ? 'send'
      : isChanged('receive', receive) && receive !== ''
        ? 'receive'
        : send === '' && receive !== ''
          ? 'receive'
          : receive === ''
            ? 'send'
            : wasFixed;
  const pasted = readPasted(form.text('address'));
  const filled = form.text('fill');
  const typed = {
    from: form.text('from') || first.from,
    to: form.text('to') || first.to,
    send: filled || send,
    receive: pasted.amount && receive === '' && send === '' ? pasted.amount : receive,
    address: pasted.address,
    refund: readPasted(form.text('refund')).address,
  };
  if (filled) return { typed, fixed: 'send' };
  return { typed, fixed: typed.receive !== receive ? 'receive' : fixed };
}

export function turned({ from, to }: Typed): Typed {
  return { from: to, to: from, send: '', receive: '', address: '', refund: '' };
}

export function readWish(
  view: View,
  { typed, fixed }: { readonly typed: Typed; readonly fixed: 'send' | 'receive' },
): Wish {
  const { book, words } = view;
  const [from, to] = [book.token(typed.from), book.token(typed.to)];
  const troubles: Trouble[] = [];
  if (!from?.deposit) troubles.push({ field: 'from', text: words.errors.assetMissing });
  if (!to?.payout) troubles.push({ field: 'to', text: words.errors.assetMissing });
  if (from && to && typed.from === typed.to) troubles.push({ field: 'to', text: words.errors.sameAsset });
  const decimals = (fixed === 'send' ? from : to)?.decimals ?? 0;
  const read = readAmount(typed[fixed], decimals);
  if ('trouble' in read) troubles.push({ field: fixed, text: amountTrouble(view, read.trouble, decimals) });
  return { typed, from, to, fixed, atoms: 'atoms' in read ? read.atoms : undefined, troubles };
}

export function amountTrouble({ words: { errors } }: View, trouble: AmountTrouble, decimals: number): string {
  switch (trouble) {
    case 'missing':
      return errors.amountMissing;
    case 'unreadable':
      return errors.amountUnreadable;
    case 'too_fine':
      return errors.amountTooFine(decimals);
    case 'zero':
      return errors.amountZero;
  }
}

/** The desk's question, once both coins and an amount are known. */
export function requestOf(
  { from, to, fixed, atoms }: Wish,
  toAddress: string,
): Operations['createSwap']['input'] | undefined {
  if (!from || !to || atoms === undefined) return undefined;
  return {
    fromChainId: from.chainId,
    fromToken: from.token,
    toChainId: to.chainId,
    toToken: to.token,
    toAddress,
    ...(fixed === 'send' ? { fromAmount: `${atoms}` } : { toAmount: `${atoms}` }),
  };
}

/**
 * The same form sent again makes the same order, and one whose fields were changed after going back makes another: the key
 * follows from the form's own and from what is asked.
 */
export function creationKey(formKey: string, asked: object): string {
  const hash = createHash('sha256')
    .update(JSON.stringify([formKey, asked]))
    .digest();
  hash[6] = ((hash[6] ?? 0) & 0x0f) | 0x40;
  hash[8] = ((hash[8] ?? 0) & 0x3f) | 0x80;
  const hex = hash.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-');
}
