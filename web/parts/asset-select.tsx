import type { VNode } from 'preact';
import { tokenKey } from '../server/desk.ts';
import { plainName, type View } from '../server/view.ts';

interface AssetSelectProps {
  readonly view: View;
  readonly name: 'from' | 'to';
  readonly chosen: string;
  readonly label: string;
}

/** Every coin with its network in words, by network. With script it can be searched. */
export function AssetSelect({ view, name, chosen, label }: AssetSelectProps): VNode {
  const { book } = view;
  const direction = name === 'from' ? 'deposit' : 'payout';
  return (
    <select id={name} name={name} aria-label={label}>
      {book.chains.map((chain) => {
        const tokens = book.tokens.filter((token) => token.chainId === chain.chainId && token[direction]);
        if (tokens.length === 0) return null;
        return (
          <optgroup label={chain.name}>
            {tokens.map((token) => (
              <option value={tokenKey(token)} selected={tokenKey(token) === chosen}>
                {`${plainName(token.symbol)} · ${chain.name}`}
              </option>
            ))}
          </optgroup>
        );
      })}
    </select>
  );
}
