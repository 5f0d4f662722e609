import { WALLETS } from '../src/app/wiring.ts';
import { Secret } from '../src/kernel/secret.ts';
import { openWallet } from '../src/world/chains/monero/wallet-rpc.ts';
import { httpOutbound } from '../src/world/outbound/http.ts';
import type { MoneroWorld } from './nodes/monero-world.ts';
import { moneroKeys } from './seed.ts';

/**
 * Opens the desk's two Monero wallets long before its processes start: each takes seconds, most of them for a key of TLS that
 * nobody uses. The processes find them open, and would open them themselves.
 */
export function openWallets({ walletUrl }: MoneroWorld, walletPassword: string): void {
  const { address, viewKey, spendKey } = moneroKeys();
  const common = { walletPassword: new Secret(walletPassword), address, viewKey, restoreHeight: 0 };
  const view = { ...common, walletUrl: walletUrl('view'), walletName: WALLETS.view };
  const spend = { ...common, walletUrl: walletUrl('spend'), walletName: WALLETS.spend, spendKey };
  for (const wallet of [view, spend]) openWallet(wallet, httpOutbound).catch(() => undefined);
}
