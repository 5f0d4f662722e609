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
    const codes: string[] = [];
    for (const { id } of kept()) {
      const reply = await fetch(`${this.#path(id)}/recovery.txt`);
      if (reply.ok) codes.push(await reply.text());
    }
    const link = document.createElement('a');
    link.href = URL.createObjectURL(new Blob(codes, { type: 'text/plain' }));
    link.download = 'wherry-recovery.txt';
    link.click();
    URL.revokeObjectURL(link.href);
  }
}

customElements.define('own-orders', OwnOrders);
