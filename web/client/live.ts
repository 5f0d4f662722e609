/** The only place where HTML becomes a part of a page. It comes from our own server and goes through one named policy. */
interface Policies {
  createPolicy(name: string, rules: { createHTML(html: string): string }): { createHTML(html: string): unknown };
}

const policies = (window as unknown as { trustedTypes?: Policies }).trustedTypes;
const policy = policies?.createPolicy('wherry', { createHTML: (html) => html });

/** The first element of the HTML, not yet a part of the page. */
export function elementOf(html: string): HTMLElement | null {
  const template = document.createElement('template');
  // Without trusted types the browser takes the text itself.
  (template as { innerHTML: unknown }).innerHTML = policy ? policy.createHTML(html) : html;
  return template.content.firstElementChild as HTMLElement | null;
}

/** What a person takes for the same thing in another state. */
const nameOf = (one: Element): string =>
  `${one.tagName} ${one.id} ${one.getAttribute('aria-label') ?? one.textContent}`;

const alike = (within: Element, name: string): HTMLElement[] =>
  [...within.querySelectorAll<HTMLElement>('a, button, input, textarea, select, summary, h1')].filter(
    (one) => nameOf(one) === name,
  );

/** Notes what has the focus of the keyboard, which is lost with it, and gives it to the same thing later; else to the headline. */
function focusWithin(old: Element): (fresh: Element) => void {
  const focused = document.activeElement;
  if (!(focused instanceof HTMLElement) || !old.contains(focused)) return () => {};
  const name = nameOf(focused);
  const at = alike(old, name).indexOf(focused);
  return (fresh) => {
    const same = alike(fresh, name);
    const heading = fresh.querySelector('h1');
    if (heading) heading.tabIndex = -1;
    (same[at] ?? same[0] ?? heading)?.focus({ preventScroll: true });
  };
}

const FIRST_WAIT_MS = 2_000;
const LONGEST_WAIT_MS = 15_000;
/** A connection can die without a word. */
const SILENCE_MS = 60_000;

/** Keeps the state of an order's page true: by a socket while that lasts, else by reading. */
class LiveOrder extends HTMLElement {
  #waitMs = FIRST_WAIT_MS;
  #timer = 0;
  #socket: WebSocket | undefined;

  connectedCallback(): void {
    this.#remember();
    this.#listen();
  }

  get #state(): HTMLElement | null {
    return this.querySelector('#state');
  }

  /** Nothing more happens by itself. Whoever pays again is still told by the socket, and nobody asks every minute. */
  get #isOver(): boolean {
    return this.#state?.dataset.over !== undefined;
  }

  /** The list of this device's orders: an id and what it was, never its key. */
  #remember(): void {
    const { id, label } = this.dataset;
    if (!id || !label) return;
    try {
      const kept = JSON.parse(localStorage.getItem('wherry-orders') ?? '[]') as { id: string; label: string }[];
      if (kept.some((one) => one.id === id)) return;
      localStorage.setItem('wherry-orders', JSON.stringify([{ id, label }, ...kept].slice(0, 100)));
    } catch {
      // A browser that keeps nothing has no list.
    }
  }

  #listen(): void {
    const url = new URL(this.dataset.live ?? '', location.href);
    url.protocol = url.protocol.replace('http', 'ws');
    const socket = new WebSocket(url);
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => {
      this.#reached();
      this.#show(String(data));
      this.#after(SILENCE_MS);
    });
    socket.addEventListener('close', () => {
      this.#socket = undefined;
      this.#after(FIRST_WAIT_MS);
    });
    this.#after(SILENCE_MS);
  }

  #after(ms: number): void {
    clearTimeout(this.#timer);
    if (!this.#isOver) this.#timer = window.setTimeout(() => void this.#read(), ms);
  }

  async #read(): Promise<void> {
    try {
      const reply = await fetch(this.dataset.read ?? '', { headers: { accept: 'text/html' } });
      if (!reply.ok) throw new Error(String(reply.status));
      this.#reached();
      this.#show(await reply.text());
      // The desk is there again, so that a socket may be, too.
      if (!this.#socket) this.#listen();
      else this.#after(SILENCE_MS);
    } catch {
      this.#lost();
      this.#after(this.#waitMs);
      this.#waitMs = Math.min(this.#waitMs * 1.5, LONGEST_WAIT_MS);
    }
  }

  #reached(): void {
    this.#waitMs = FIRST_WAIT_MS;
    const note = this.querySelector<HTMLElement>('#lost');
    if (note) note.hidden = true;
  }

  #lost(): void {
    const note = this.querySelector<HTMLElement>('#lost');
    if (!note?.hidden) return;
    const time = new Date().toLocaleTimeString(document.documentElement.lang, { hour: '2-digit', minute: '2-digit' });
    note.textContent = (this.dataset.lost ?? '').replace('{time}', time);
    note.hidden = false;
  }

  #show(html: string): void {
    const old = this.#state;
    const fresh = elementOf(html);
    // What says the same is not put in its place: a press that has begun would be lost, and so would be what was refused and why.
    if (!old || !fresh || fresh.dataset.mark === old.dataset.mark) return;
    if (this.#isBeingFilled(old)) {
      const note = this.querySelector<HTMLElement>('#moved');
      if (note) note.hidden = false;
      return;
    }
    const open = [...old.querySelectorAll('details')].map((one) => one.open);
    const before = old.dataset.title;
    const refocus = focusWithin(old);
    old.replaceWith(fresh);
    for (const [at, one] of [...fresh.querySelectorAll('details')].entries()) one.open = open[at] ?? one.open;
    refocus(fresh);
    const { title, icon } = fresh.dataset;
    if (icon) document.querySelector('link[rel=icon]')?.setAttribute('href', icon);
    if (title && title !== before) this.#announce(title);
  }

  /** Somebody who types an address must not lose it. */
  #isBeingFilled(old: HTMLElement): boolean {
    const fields = [
      ...old.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>('input:not([type=hidden]), textarea'),
    ];
    return fields.some((field) => field === document.activeElement || field.value !== field.defaultValue);
  }

  #announce(title: string): void {
    document.title = title;
    const news = document.getElementById('news');
    if (news) news.textContent = title;
    this.dispatchEvent(new CustomEvent('news', { bubbles: true, detail: title }));
  }
}

customElements.define('live-order', LiveOrder);
