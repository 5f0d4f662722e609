import type { Config } from '../src/app/config.ts';
import { WALLETS } from '../src/app/wiring.ts';
import { Secret } from '../src/kernel/secret.ts';
import { openWallet } from '../src/world/chains/monero/wallet-rpc.ts';
import { httpOutbound } from '../src/world/outbound/http.ts';
import { moneroKeys } from './seed.ts';

/**
 * Opens the desk's two Monero wallets while its processes are still starting: each takes seconds, most of them for a key of
 * TLS that nobody uses. The processes find them open, and would open them themselves.
 */
export function openWallets({ chains: { monero } }: Config): void {
  const { address, viewKey, spendKey } = moneroKeys();
  const common = {
    walletPassword: new Secret(monero.walletPassword),
    address,
    viewKey,
    restoreHeight: monero.restoreHeight,
  };
  const view = openWallet({ ...common, walletUrl: monero.viewWalletUrl, walletName: WALLETS.view }, httpOutbound);
  const spend = openWallet(
    { ...common, walletUrl: monero.spendWalletUrl, walletName: WALLETS.spend, spendKey },
    httpOutbound,
  );
  for (const opening of [view, spend]) opening.catch(() => undefined);
}
