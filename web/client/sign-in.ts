import { findWallets, nameOf, type Wallet } from './wallets.ts';

/** Nobody is told that there is no wallet while it may still be starting. */
const PATIENCE_MS = 600;

const formOf = (element: HTMLElement): HTMLFormElement | null =>
  document.getElementById(element.dataset.form ?? '') as HTMLFormElement | null;

const field = (form: HTMLFormElement, name: string): HTMLInputElement | null => form.querySelector(`[name="${name}"]`);

/** A button for each wallet of the browser. It tells which account; the text to sign is made by the server. */
class BrowserWallets extends HTMLElement {
  connectedCallback(): void {
    this.hidden = false;
    findWallets((wallet) => this.#offer(wallet));
    window.setTimeout(() => {
      const none = this.querySelector<HTMLElement>('[data-part=none]');
      if (none) none.hidden = this.querySelector('.wallet') !== null;
    }, PATIENCE_MS);
  }

  #offer(wallet: Wallet): void {
    const row = this.querySelector('template')?.content.firstElementChild?.cloneNode(true) as HTMLElement | undefined;
    const list = this.querySelector('[data-part=list]');
    const button = row?.querySelector('button');
    if (!row || !list || !button) return;
    const [icon, name] = [button.querySelector('img'), button.querySelector('span')];
    // Icons are pictures in the announcement itself; nothing is loaded from elsewhere.
    if (icon && /^data:image\//.test(wallet.info.icon)) icon.src = wallet.info.icon;
    else icon?.remove();
    if (name) name.textContent = nameOf(wallet);
    button.addEventListener('click', () => void this.#choose(wallet));
    list.append(row);
    const none = this.querySelector<HTMLElement>('[data-part=none]');
    if (none) none.hidden = true;
  }

  async #choose(wallet: Wallet): Promise<void> {
    const form = formOf(this);
    const accounts = await wallet.provider.request({ method: 'eth_requestAccounts' }).catch(() => []);
    const [account] = Array.isArray(accounts) ? accounts : [];
    if (!form || typeof account !== 'string') return;
    for (const [name, value] of [
      ['account', account],
      ['wallet', wallet.info.rdns],
      ['wallet-name', nameOf(wallet)],
    ] as const) {
      const input = field(form, name);
      if (input) input.value = value;
    }
    form.requestSubmit();
  }
}

/** Asks the wallet that was chosen for its signature, and sends it. */
class WalletSignature extends HTMLElement {
  connectedCallback(): void {
    findWallets((wallet) => {
      if (wallet.info.rdns !== this.dataset.wallet) return;
      this.hidden = false;
      this.querySelector('button')?.addEventListener('click', () => void this.#sign(wallet));
      // After a refusal it is asked again by its button only.
      if (this.dataset.wait === undefined) void this.#sign(wallet);
    });
  }

  async #sign({ provider }: Wallet): Promise<void> {
    const form = formOf(this);
    const message = form && field(form, 'message');
    const signature = form && field(form, 'signature');
    const refused = this.querySelector<HTMLElement>('[data-part=refused]');
    if (!form || !message || !signature) return;
    if (refused) refused.hidden = true;
    try {
      const text = new TextEncoder().encode(message.value.replaceAll('\r\n', '\n'));
      const hex = [...text].map((byte) => byte.toString(16).padStart(2, '0')).join('');
      const signed = await provider.request({
        method: 'personal_sign',
        params: [`0x${hex}`, this.dataset.account ?? ''],
      });
      signature.value = String(signed);
      form.requestSubmit();
    } catch {
      if (refused) refused.hidden = false;
    }
  }
}

customElements.define('browser-wallets', BrowserWallets);
customElements.define('wallet-signature', WalletSignature);
