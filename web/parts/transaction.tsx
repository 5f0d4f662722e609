import type { VNode } from 'preact';
import type { View } from '../server/view.ts';
import { Copy } from './amount.tsx';

/** The hash, and a link to where it can be looked up if the operator named a place. Nobody is sent there unasked. */
export function Transaction({
  view,
  chainId,
  hash,
}: {
  readonly view: View;
  readonly chainId: number;
  readonly hash: string;
}): VNode {
  const at = view.isOnion ? undefined : view.settings.explorers[chainId];
  return (
    <span class="with-copy">
      {at ? (
        <a class="code" href={at.replace('{tx}', encodeURIComponent(hash))} rel="noreferrer">
          {hash}
        </a>
      ) : (
        <bdi class="code">{hash}</bdi>
      )}
      <Copy view={view} text={hash} label={hash.slice(0, 8)} />
    </span>
  );
}
