import type { VNode } from 'preact';
import type { Quote, Token } from '../../sdk/src/index.ts';
import { isSenderless } from '../server/desk.ts';
import { showAtoms } from '../server/forms.ts';
import { plainName, type View } from '../server/view.ts';
import type { Wish } from '../server/wish.ts';
import { AssetSelect } from './asset-select.tsx';
import { QuoteLines } from './fee-lines.tsx';
import { Field, type Trouble } from './field.tsx';

/** What was wished for, and what the desk says to it. */
export interface Quoted {
  readonly wish: Wish;
  readonly quote?: Quote;
  readonly troubles: readonly Trouble[];
}

export const nameOf = (token: Token | undefined): string => plainName(token?.symbol ?? '');

interface SideProps {
  readonly view: View;
  readonly name: 'send' | 'receive';
  readonly asset: 'from' | 'to';
  readonly amount: string;
  readonly chosen: string;
  readonly error: string | undefined;
}

/** One end of the swap: how much of what. */
export function Side({ view, name, asset, amount, chosen, error }: SideProps): VNode {
  const { words } = view;
  const isSend = name === 'send';
  return (
    <fieldset class={error ? 'side wrong' : 'side'}>
      <legend>{isSend ? words.swap.send : words.swap.receive}</legend>
      <div class="pair">
        <input
          id={name}
          name={name}
          class="figure"
          value={amount}
          inputMode="decimal"
          placeholder="0"
          maxLength={60}
          aria-label={isSend ? words.swap.sendAmount : words.swap.receiveAmount}
          aria-invalid={error ? 'true' : undefined}
          aria-describedby={error ? `${name}-error` : undefined}
        />
        <AssetSelect
          view={view}
          name={asset}
          chosen={chosen}
          label={isSend ? words.swap.sendAsset : words.swap.receiveAsset}
        />
      </div>
      {error && (
        <p class="error" id={`${name}-error`}>
          {error}
        </p>
      )}
    </fieldset>
  );
}

export function Refund({
  view,
  from,
  value,
  error,
}: {
  readonly view: View;
  readonly from: Token | undefined;
  readonly value: string;
  readonly error: string | undefined;
}): VNode | null {
  const { words, book } = view;
  const chain = from && book.chain(from.chainId);
  if (!chain) return null;
  const isNeeded = isSenderless(chain);
  const field = (
    <Field
      name="refund"
      label={words.swap.refund(nameOf(from))}
      hint={isNeeded ? words.swap.refundHint(chain.name) : words.swap.refundFoldHint}
      value={value}
      error={error}
      isCode
    />
  );
  // Elsewhere the chain shows a sender, and most people need to name nothing.
  return isNeeded ? (
    field
  ) : (
    <details class="fold" open={value !== '' || error !== undefined}>
      <summary>{words.swap.refundFold}</summary>
      {field}
    </details>
  );
}

/** Only with script, and only where somebody asks for it: the list is in the browser. */
export const KeepAddress = ({ view: { words }, family }: { readonly view: View; readonly family: string }): VNode => (
  <own-addresses data-family={family} hidden>
    <label class="option">
      <input type="checkbox" />
      <span>{words.swap.keepAddress}</span>
    </label>
    <datalist id="own-addresses" />
  </own-addresses>
);

/** Also alone, as the answer to the script of the page. */
export function QuotePanel({
  view,
  wish,
  quote,
  troubles,
  isTyping,
}: Quoted & { readonly view: View; readonly isTyping?: boolean }): VNode {
  const { words } = view;
  const shownTroubles = isTyping ? troubles.filter(({ text }) => text !== words.errors.amountMissing) : troubles;
  return (
    <section
      id="quote"
      class="quote"
      aria-label={words.quote.title}
      aria-live="polite"
      data-fixed={wish.fixed}
      data-send={quote && showAtoms(quote.fromAmount, quote.fromDecimals)}
      data-receive={quote && showAtoms(quote.toAmount, quote.toDecimals)}
    >
      {shownTroubles.map(({ text }) => (
        <p class="error">{text}</p>
      ))}
      {quote && <QuoteLines view={view} quote={quote} />}
      {quote && <p class="hint">{words.quote.estimate}</p>}
    </section>
  );
}
