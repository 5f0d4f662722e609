import { elementOf } from './live.ts';
import { enhance } from './picker.ts';

/** Long enough that nobody is asked for at every key. */
const PAUSE_MS = 350;

/** Renews the quote while somebody types. All text comes from the server. */
class LiveQuote extends HTMLElement {
  #timer = 0;
  #asked: AbortController | undefined;

  connectedCallback(): void {
    const form = this.querySelector('form');
    if (!form) return;
    this.#keepKey(form);
    const { search = '', none = '', close = '' } = this.dataset;
    for (const select of form.querySelectorAll('select')) {
      enhance(select, { search, none, close });
      // Another coin has other addresses and another refund: the page is made anew around it.
      select.addEventListener('change', () => this.#submit(form));
    }
    form.addEventListener('input', (event) => {
      const { name } = event.target as HTMLInputElement;
      if (!['send', 'receive', 'address'].includes(name)) return;
      if (name !== 'address') this.#fix(form, name);
      clearTimeout(this.#timer);
      this.#timer = window.setTimeout(() => void this.#ask(form), PAUSE_MS);
    });
    this.#catchUp(form);
  }

  /** On a slow line somebody has typed before this was there to hear it. */
  #catchUp(form: HTMLFormElement): void {
    const names = this.#field(form, 'fixed')?.value === 'receive' ? ['receive', 'send'] : ['send', 'receive'];
    const typed = names.find((name) => {
      const field = this.#field(form, name);
      return field && field.value !== '' && field.value !== field.defaultValue;
    });
    if (!typed) return;
    this.#fix(form, typed);
    void this.#ask(form);
  }

  /** Whoever goes back to this form and sends it again means the order that there is already, also if the page came anew. */
  #keepKey(form: HTMLFormElement): void {
    const key = this.#field(form, 'key');
    const kept = (history.state as { readonly key?: string } | null)?.key;
    if (key && kept) key.value = kept;
    else if (key) history.replaceState({ key: key.value }, '');
  }

  #submit(form: HTMLFormElement): void {
    const quote = form.querySelector<HTMLButtonElement>('button[name=do][value=quote]');
    const hasAmount = ['send', 'receive'].some((name) => this.#field(form, name)?.value !== '');
    const keep = form.querySelector<HTMLButtonElement>('button[value=keep]');
    form.requestSubmit((hasAmount ? quote : keep) ?? quote);
  }

  #field(form: HTMLFormElement, name: string): HTMLInputElement | null {
    return form.querySelector(`input[name="${name}"]`);
  }

  /** The amount that is typed is the one that counts; the other is forgotten until it is reckoned. */
  #fix(form: HTMLFormElement, name: string): void {
    const other = this.#field(form, name === 'send' ? 'receive' : 'send');
    const fixed = this.#field(form, 'fixed');
    if (other) other.value = '';
    if (fixed) fixed.value = name;
  }

  async #ask(form: HTMLFormElement): Promise<void> {
    const panel = form.querySelector('#quote');
    if (!panel) return;
    this.#asked?.abort();
    this.#asked = new AbortController();
    const { signal } = this.#asked;
    panel.setAttribute('aria-busy', 'true');
    try {
      const fields = new URLSearchParams(
        [...new FormData(form)].map(([name, value]) => [name, String(value)] as [string, string]),
      );
      const reply = await fetch(this.dataset.quote ?? '', { method: 'POST', body: fields, signal });
      if (!reply.ok) throw new Error(String(reply.status));
      const fresh = elementOf(await reply.text());
      if (!fresh) return;
      panel.replaceWith(fresh);
      this.#fill(form, fresh.dataset);
    } catch {
      // Somebody has typed on, and is answered to that.
      if (!signal.aborted) this.#miss(panel);
    }
  }

  /** The fees and the rate of an amount that stands there no more would be taken for those of the new one. */
  #miss(panel: Element): void {
    const note = document.createElement('p');
    note.className = 'error';
    note.textContent = this.dataset.unreached ?? '';
    panel.replaceChildren(note);
    panel.removeAttribute('aria-busy');
  }

  #fill(form: HTMLFormElement, shown: DOMStringMap): void {
    const name = shown.fixed === 'receive' ? 'send' : 'receive';
    const other = this.#field(form, name);
    if (other) other.value = shown[name] ?? '';
    for (const one of ['send', 'receive']) {
      const told = this.#field(form, `shown-${one}`);
      const field = this.#field(form, one);
      if (told && field) told.value = field.value;
    }
  }
}

customElements.define('live-quote', LiveQuote);
