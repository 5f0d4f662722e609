import './script.ts';
import './address-list.ts';

interface Kept {
  readonly id: string;
  readonly label: string;
}

const STORE = 'wherry-orders';

const kept = (): Kept[] => {
  try {
    return JSON.parse(localStorage.getItem(STORE) ?? '[]') as Kept[];
  } catch {
    return [];
  }
};
const keep = (orders: readonly Kept[]) => localStorage.setItem(STORE, JSON.stringify(orders));

/** A desk that is asked too often says when to come back. Whoever is sent away this often is not asked again. */
const MOST_TRIES = 5;
const WAIT_SECONDS = 60;

async function codeAt(path: string): Promise<string | undefined> {
  for (let tries = 0; tries < MOST_TRIES; tries += 1) {
    const reply = await fetch(path).catch(() => undefined);
    if (reply?.ok) return reply.text();
    if (reply?.status !== 429) return undefined;
    const seconds = Number(reply.headers.get('retry-after')) || WAIT_SECONDS;
    await new Promise((again) => setTimeout(again, seconds * 1_000));
  }
  return undefined;
}

function download(parts: readonly string[]): void {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([...parts], { type: 'text/plain' }));
  link.download = 'wherry-recovery.txt';
  link.click();
  URL.revokeObjectURL(link.href);
}

/** The orders of this device. The words and the rows are in the page; ids and labels are in the browser. */
class OwnOrders extends HTMLElement {
  connectedCallback(): void {
    this.#part('forget-all')?.addEventListener('click', () => {
      keep([]);
      this.#show();
    });
    this.#part('save')?.addEventListener('click', () => void this.#save());
    this.#show();
  }

  #part(name: string): HTMLElement | null {
    return this.querySelector(`[data-part="${name}"]`);
  }

  #show(): void {
    const orders = kept();
    const list = this.#part('list');
    const row = this.querySelector('template')?.content.firstElementChild;
    if (!list || !row) return;
    list.replaceChildren(
      ...orders.map(({ id, label }) => {
        const one = row.cloneNode(true) as HTMLElement;
        const open = one.querySelector<HTMLAnchorElement>('[data-part=open]');
        if (open) {
          open.href = this.#path(id);
          open.textContent = label;
        }
        one.querySelector('[data-part=forget]')?.addEventListener('click', () => {
          keep(kept().filter((other) => other.id !== id));
          this.#show();
        });
        return one;
      }),
    );
    list.hidden = orders.length === 0;
    for (const [name, isHidden] of [
      ['empty', orders.length > 0],
      ['all', orders.length === 0],
    ] as const) {
      const part = this.#part(name);
      if (part) part.hidden = isHidden;
    }
  }

  #path(id: string): string {
    return `${this.dataset.base ?? ''}/order/${encodeURIComponent(id)}`;
  }

  /** Asked for one by one, since each order's key is sent to that order's page alone. */
  async #save(): Promise<void> {
    const button = this.#part('save') as HTMLButtonElement | null;
    if (button) button.disabled = true;
    const orders = kept();
    const codes: string[] = [];
    const missing: Kept[] = [];
    for (const [at, order] of orders.entries()) {
      this.#say('saving', (text) => text.replace('{at}', `${at + 1}`).replace('{all}', `${orders.length}`));
      const code = await codeAt(`${this.#path(order.id)}/recovery.txt`);
      if (code === undefined) missing.push(order);
      else codes.push(code);
    }
    this.#hide('saving');
    const why = this.#name(missing);
    const names = missing.map(({ id, label }) => `${id} ${label}\n`);
    download([...codes, ...(missing.length > 0 ? [`\n${why}\n`, ...names] : [])]);
    if (button) button.disabled = false;
  }

  #hide(name: string): void {
    const part = this.#part(name);
    if (part) part.hidden = true;
  }

  #say(name: string, change: (text: string) => string): void {
    const part = this.#part(name);
    if (!part) return;
    part.textContent = change(part.dataset.text ?? '');
    part.hidden = false;
  }

  /** Leads to each order that has no code in the file; says what the page says about them. */
  #name(missing: readonly Kept[]): string {
    const part = this.#part('missing');
    if (part) part.hidden = missing.length === 0;
    part?.querySelector('ul')?.replaceChildren(
      ...missing.map(({ id, label }) => {
        const row = document.createElement('li');
        const link = document.createElement('a');
        link.href = this.#path(id);
        link.textContent = label;
        link.dir = 'auto';
        row.append(link);
        return row;
      }),
    );
    return part?.querySelector('p')?.textContent ?? '';
  }
}

customElements.define('own-orders', OwnOrders);
