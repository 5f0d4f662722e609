import { keepAddresses, keptAddresses } from './kept-addresses.ts';

/** Offers the addresses that were kept for this kind of chain, and keeps another one where its box is ticked. */
class OwnAddresses extends HTMLElement {
  connectedCallback(): void {
    const form = this.closest('form');
    const field = form?.querySelector<HTMLInputElement>('[name=address]');
    const tick = this.querySelector<HTMLInputElement>('input[type=checkbox]');
    const list = this.querySelector('datalist');
    if (!form || !field || !tick || !list) return;
    this.hidden = false;
    const { family = '' } = this.dataset;
    const mine = keptAddresses().filter((one) => one.family === family);
    for (const { address } of mine) list.append(new Option(address, address));
    field.setAttribute('list', list.id);
    tick.checked = mine.some(({ address }) => address === field.value);
    form.addEventListener('submit', () => {
      const address = field.value.trim();
      if (address === '' || !tick.checked) return;
      const others = keptAddresses().filter((one) => one.address !== address);
      keepAddresses([{ family, address }, ...others]);
    });
  }
}

customElements.define('own-addresses', OwnAddresses);
