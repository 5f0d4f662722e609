import type { VNode } from 'preact';
import { createSiweMessage } from 'viem/siwe';
import { getAddress, isAddress } from 'viem/utils';
import { WherryError } from '../../sdk/src/index.ts';
import { Address } from '../parts/address.tsx';
import { Copy } from '../parts/amount.tsx';
import { Field, type Trouble, Troubles } from '../parts/field.tsx';
import { Note } from '../parts/notice.tsx';
import type { Answer, Site, Visit } from '../server/site.ts';
import { plainName, showTime, type View } from '../server/view.ts';

/** Accounts that are contracts may have long ones. */
const SIGNATURE_CHARS = 9_000;

/** Sign-In with Ethereum: https://eips.ethereum.org/EIPS/eip-4361, by a wallet of the browser or by a text signed anywhere. */
export function mountSignIn(site: Site): void {
  site.post('/partners/sign-in', async (visit) => {
    const account = visit.form.text('account');
    if (!isAddress(account)) return askAccount(visit, account, visit.view.words.team.notAccount);
    return showText(visit, getAddress(account), []);
  });

  site.post('/partners/sign-in/signature', async (visit) => {
    const { view, form, partner } = visit;
    const { words } = view;
    // Browsers send the lines of a field apart by CR LF, and the text was signed with LF.
    const message = form.text('message').replaceAll('\r\n', '\n');
    const account = /^0x[0-9a-fA-F]{40}$/m.exec(message)?.[0] ?? '';
    const signature = form.text('signature', SIGNATURE_CHARS).replaceAll(/\s/g, '');
    if (signature === '' && isAddress(account))
      return textPage(visit, getAddress(account), message, undefined, [
        { field: 'signature', text: words.partners.signatureMissing },
      ]);
    try {
      const member = await partner.signIn(message, signature);
      return member ? { to: '/partners', member } : askAccount(visit, account, words.errors.failed);
    } catch (error) {
      if (!(error instanceof WherryError) || error.code !== 'sign_in_refused') return refusedOtherwise(visit, error);
      const reason = String(error.details.reason);
      const text = words.partners.refused[reason] ?? words.errors.other(error.message);
      // A signature that does not fit leaves the text good; whatever else is wrong asks for another text.
      const troubles = [{ field: 'signature', text }];
      if (reason === 'bad_signature') return textPage(visit, getAddress(account), message, undefined, troubles);
      return isAddress(account) ? showText(visit, getAddress(account), troubles) : askAccount(visit, account, text);
    }
  });

  site.post('/partners/sign-out', async ({ partner }) => {
    await partner.signOut();
    return { to: '/partners', member: 'gone' };
  });
}

function refusedOtherwise(visit: Visit, error: unknown): Answer {
  const { errors } = visit.view.words;
  if (!(error instanceof WherryError) || error.status >= 500) throw error;
  const text = error.code === 'rate_limited' ? errors.rateLimited(error.retryAfter ?? 60) : errors.other(error.message);
  return askAccount(visit, '', text);
}

/** The first page: who are you? */
export function askAccount(visit: Visit, account = '', trouble?: string): Answer {
  const { view, query } = visit;
  const { words, base } = view;
  return {
    title: words.partners.title,
    script: 'partners',
    isPrivate: true,
    status: trouble === undefined ? 200 : 422,
    page: (
      <div class="narrow">
        <h1>{words.partners.title}</h1>
        <p class="lead">{words.partners.lead}</p>
        {query.has('over') && trouble === undefined && <Note level="warning">{words.partners.over}</Note>}
        <Troubles
          title={words.errors.summary}
          troubles={trouble === undefined ? [] : [{ field: 'account', text: trouble }]}
        />
        <form method="post" action={`${base}/partners/sign-in`} class="card" id="account-form">
          <browser-wallets data-form="account-form" hidden>
            <h2>{words.partners.wallets}</h2>
            <ul class="wallets" data-part="list" />
            <template>
              <li>
                <button type="button" class="wallet">
                  <img alt="" width="28" height="28" />
                  <span />
                </button>
              </li>
            </template>
            <p class="hint" hidden data-part="none">
              {words.partners.walletsNone}
            </p>
            <input type="hidden" name="wallet" value="" />
            <input type="hidden" name="wallet-name" value="" />
            <h2 class="or">{words.partners.byHand}</h2>
          </browser-wallets>
          <Field
            name="account"
            label={words.partners.address}
            hint={words.partners.addressHint}
            value={account}
            error={trouble}
            isCode
            required
          />
          <button type="submit" class="button">
            {words.partners.showText}
          </button>
        </form>
      </div>
    ),
  };
}

async function showText(visit: Visit, account: `0x${string}`, troubles: readonly Trouble[]): Promise<Answer> {
  const { view, partner } = visit;
  try {
    const { nonce, expiresAt } = await partner.nonce();
    return textPage(visit, account, messageFor(view, account, nonce), expiresAt, troubles);
  } catch (error) {
    return refusedOtherwise(visit, error);
  }
}

/** For accounts on Ethereum itself, where accounts that are contracts are asked, too. */
const messageFor = ({ settings, now }: View, address: `0x${string}`, nonce: string): string =>
  createSiweMessage({
    address,
    chainId: 1,
    domain: settings.place.domain,
    uri: settings.place.origin,
    nonce,
    version: '1',
    issuedAt: new Date(now),
  });

function textPage(
  visit: Visit,
  account: string,
  message: string,
  expiresAt: string | undefined,
  troubles: readonly Trouble[],
): Answer {
  const { view, form } = visit;
  const { words, base } = view;
  const wallet = { id: form.text('wallet').slice(0, 100), name: plainName(form.text('wallet-name')) };
  return {
    title: words.partners.signTitle,
    script: 'partners',
    isPrivate: true,
    isUnlisted: true,
    status: troubles.length > 0 ? 422 : 200,
    page: (
      <div class="narrow">
        <h1>{words.partners.signTitle}</h1>
        <p class="lead">{words.partners.signLine}</p>
        <Troubles title={words.errors.summary} troubles={troubles} />
        <form method="post" action={`${base}/partners/sign-in/signature`} class="card" id="signature-form">
          <div class="account">
            <span class="hint">{words.partners.address}</span>
            <Address text={account} />
          </div>
          <div class="field">
            <label for="message">{words.partners.text}</label>
            <textarea id="message" name="message" class="code" dir="ltr" readOnly rows={10} value={message} />
            {expiresAt && <p class="hint">{words.partners.until(showTime(view, expiresAt))}</p>}
            <Copy view={view} text={message} label={words.partners.text} />
          </div>
          {wallet.id !== '' && (
            <WalletButton view={view} wallet={wallet} account={account} isAgain={troubles.length > 0} />
          )}
          <Field
            name="signature"
            label={words.partners.signature}
            hint={words.partners.signatureHint}
            error={troubles[0]?.text}
            most={SIGNATURE_CHARS}
            isCode
            isLong
          />
          <button type="submit" class="button">
            {words.partners.finish}
          </button>
        </form>
        <p>
          <a href={`${base}/partners`}>{words.partners.otherAccount}</a>
        </p>
      </div>
    ),
  };
}

/** The wallet that was chosen on the page before is asked at once; its button is for a second try. */
const WalletButton = ({
  view: { words },
  wallet,
  account,
  isAgain,
}: {
  readonly view: View;
  readonly wallet: { readonly id: string; readonly name: string };
  readonly account: string;
  readonly isAgain: boolean;
}): VNode => (
  <wallet-signature
    data-wallet={wallet.id}
    data-account={account}
    data-form="signature-form"
    data-wait={isAgain ? '1' : undefined}
    hidden
  >
    <input type="hidden" name="wallet" value={wallet.id} />
    <input type="hidden" name="wallet-name" value={wallet.name} />
    <p class="error" role="alert" hidden data-part="refused">
      {words.partners.walletRefused}
    </p>
    <button type="button" class="button">
      {words.partners.signWith(wallet.name)}
    </button>
  </wallet-signature>
);
