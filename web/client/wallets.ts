/** Wallets of the browser announce themselves: https://eips.ethereum.org/EIPS/eip-6963 */
interface Provider {
  request(ask: { readonly method: string; readonly params?: readonly unknown[] }): Promise<unknown>;
}

export interface Wallet {
  readonly info: { readonly name: string; readonly icon: string; readonly rdns: string };
  readonly provider: Provider;
}

/** Calls back for every wallet, those that come later included. */
export function findWallets(found: (wallet: Wallet) => void): void {
  const seen = new Set<string>();
  window.addEventListener('eip6963:announceProvider', (event) => {
    const { detail } = event as CustomEvent<Wallet>;
    const { rdns, name } = detail?.info ?? {};
    if (typeof rdns !== 'string' || typeof name !== 'string' || seen.has(rdns)) return;
    seen.add(rdns);
    found(detail);
  });
  window.dispatchEvent(new Event('eip6963:requestProvider'));
}

/** The name that a page shows is ours to cut: it comes from an extension. */
export const nameOf = ({ info }: Wallet): string => info.name.replaceAll(/\p{C}/gu, '').slice(0, 40);
