import { keepAddresses, keptAddresses } from './kept-addresses.ts';

/** The addresses that were kept on this device, each with a way to forget it. */
class AddressList extends HTMLElement {
  connectedCallback(): void {
    this.#show();
  }

  #show(): void {
    const all = keptAddresses();
    const list = this.querySelector('ul');
    const row = this.querySelector('template')?.content.firstElementChild;
    this.hidden = all.length === 0;
    if (!list || !row) return;
    list.replaceChildren(
      ...all.map(({ address }) => {
        const one = row.cloneNode(true) as HTMLElement;
        const text = one.querySelector('bdi');
        if (text) text.textContent = address;
        one.querySelector('button')?.addEventListener('click', () => {
          keepAddresses(keptAddresses().filter((other) => other.address !== address));
          this.#show();
        });
        return one;
      }),
    );
  }
}

customElements.define('address-list', AddressList);
