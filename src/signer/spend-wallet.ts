import { Fault } from '../kernel/fault.ts';
import type { Secret } from '../kernel/secret.ts';
import { NO_LOGIN_ASKED, type Outbound } from '../world/outbound/http.ts';
import { type Login, loginOf } from '../world/outbound/login.ts';

/** A wallet server in the settings. */
export interface WalletSettings {
  readonly url: string;
  readonly login?: string;
}

/** The server that sees is the engine's; the one that spends is the signer's, and nobody else is told its login. */
export interface TwoWallets<Spend extends WalletSettings> {
  readonly viewWallet?: WalletSettings;
  readonly spendWallet?: Spend;
}

/** Whoever knows the login of a wallet that spends has no need of a signer: it must be nobody else's. */
export function spendWalletOf<Spend extends WalletSettings & { readonly login: string }>(
  family: string,
  { viewWallet, spendWallet }: TwoWallets<Spend>,
): Spend & { readonly secretLogin: Secret<Login> } {
  const where = `/chains/${family}/spendWallet`;
  const refuse = (why: string) => new Fault('permanent', 'signer', `configuration: ${where} ${why}`);
  if (!spendWallet) throw refuse('is missing: the signer needs it, and no other process may have it');
  if (viewWallet?.url === spendWallet.url) throw refuse('is the wallet that the engine sees with');
  if (viewWallet?.login === spendWallet.login) throw refuse('has the login of the wallet that the engine sees with');
  return { ...spendWallet, secretLogin: loginOf(spendWallet.login) };
}

const TURNED_AWAY = [401, 403];

/** Asks as a stranger would. Where somebody answers, every local process could spend, and the signer must not begin. */
export async function mustAskForLogin(at: string, url: string, outbound: Outbound): Promise<void> {
  const { status } = await outbound({
    ...{ at, label: 'without a login', url, method: 'POST', headers: { 'content-type': 'application/json' } },
    body: JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'help', params: [] }),
  });
  if (!TURNED_AWAY.includes(status)) throw new Fault('permanent', at, `${new URL(url).host}: ${NO_LOGIN_ASKED}`);
}
