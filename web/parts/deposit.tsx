import type { VNode } from 'preact';
import type { SwapOrder } from '../../sdk/src/index.ts';
import { tokenKey } from '../server/desk.ts';
import { showAtoms } from '../server/forms.ts';
import { plainName, type View } from '../server/view.ts';
import { Address } from './address.tsx';
import { Amount, Copy } from './amount.tsx';
import { Facts } from './notice.tsx';
import { Qr } from './qr.tsx';

interface DepositProps {
  readonly view: View;
  readonly order: SwapOrder;
  /** What is to be sent; nothing where any amount will do. */
  readonly atoms: bigint | undefined;
  /** What the amount is called; the whole amount unless said otherwise. */
  readonly label?: string;
}

/** Where to send, as text, as a code and as a link. */
export function DepositPanel({ view, order, atoms, label = view.words.order.amount }: DepositProps): VNode {
  const { words, book } = view;
  const chain = book.chain(order.fromChainId);
  const isWrapped = chain.family === 'venue';
  const uri = isWrapped ? undefined : withAmount(order.depositUri, atoms, order.fromDecimals);
  const code = uri !== undefined && holdsUri(view, order) ? uri : order.depositAddress;
  const isBare = code === order.depositAddress;
  const symbol = plainName(order.fromSymbol);
  const amount = atoms === undefined ? '' : showAtoms(atoms, order.fromDecimals);
  const alt =
    isBare || atoms === undefined
      ? words.deposit.qrAltBare(symbol, chain.name, order.depositAddress)
      : words.deposit.qrAlt(amount, symbol, chain.name, order.depositAddress);
  return (
    <div class="deposit">
      <Facts
        look="big"
        rows={[
          atoms !== undefined && [
            label,
            <span class="with-copy">
              <Amount atoms={atoms} decimals={order.fromDecimals} symbol={symbol} />
              <Copy view={view} text={amount} label={words.order.amount} />
            </span>,
          ],
          [words.order.network, <strong>{chain.name}</strong>],
          [
            words.order.address,
            <span class="with-copy">
              <Address text={order.depositAddress} />
              <Copy view={view} text={order.depositAddress} label={words.order.address} />
            </span>,
          ],
        ]}
      />
      <figure class="scan">
        <Qr text={code} alt={alt} />
        <figcaption>
          {words.deposit.scan}
          {isBare && atoms !== undefined && <small>{words.deposit.scanBare}</small>}
        </figcaption>
      </figure>
      {uri && uri !== order.depositAddress && (
        <p class="pay-link">
          <a class="button quiet" href={uri}>
            {isBare ? words.deposit.uri : words.order.payLink}
          </a>
        </p>
      )}
      {order.depositAddressForms && (
        <details>
          <summary>{words.deposit.transparent}</summary>
          <p>{words.deposit.transparentLine}</p>
          <p class="with-copy">
            <Address text={order.depositAddressForms.transparent} />
            <Copy view={view} text={order.depositAddressForms.transparent} label={words.order.address} />
          </p>
        </details>
      )}
    </div>
  );
}

/** Wallets that scan the link of a token have paid its contract, so only a chain's own coin is scanned as a link (D76). */
function holdsUri({ book }: View, { fromChainId, fromToken }: SwapOrder): boolean {
  const isNative = book.token(tokenKey({ chainId: fromChainId, token: fromToken }))?.native ?? false;
  return isNative && book.chain(fromChainId).family !== 'tron';
}

/** The same payment link for another amount: decimals or atoms, as its scheme has them. */
export function withAmount(uri: string, atoms: bigint | undefined, decimals: number): string {
  if (atoms === undefined) return uri;
  return uri
    .replace(/([?&](?:tx_)?amount=)[^&]*/, (_, name: string) => `${name}${showAtoms(atoms, decimals)}`)
    .replace(/([?&](?:value|uint256)=)\d+/, (_, name: string) => `${name}${atoms}`);
}
