/** A list that can be searched in place of a long select. The select stays, holds the choice and is what the form sends. */
export function enhance(
  select: HTMLSelectElement,
  words: { readonly search: string; readonly none: string; readonly close: string },
): void {
  const button = document.createElement('button');
  button.type = 'button';
  button.className = 'picker';
  const name = select.getAttribute('aria-label') ?? '';
  const show = () => {
    const text = select.selectedOptions[0]?.text ?? '';
    button.textContent = text;
    button.setAttribute('aria-label', `${name}: ${text}`);
  };
  button.setAttribute('aria-haspopup', 'dialog');
  select.hidden = true;
  select.after(button);
  select.addEventListener('change', show);
  show();
  button.addEventListener('click', () => choose(select, words, name));
}

function choose(
  select: HTMLSelectElement,
  words: { readonly search: string; readonly none: string; readonly close: string },
  name: string,
): void {
  const dialog = document.createElement('dialog');
  dialog.setAttribute('aria-label', name);
  const input = document.createElement('input');
  input.type = 'search';
  input.placeholder = words.search;
  input.setAttribute('aria-label', words.search);
  const list = document.createElement('ul');
  const none = document.createElement('p');
  none.textContent = words.none;
  none.setAttribute('role', 'status');
  const rows = [...select.options].map((option) => {
    const row = document.createElement('li');
    const pick = document.createElement('button');
    pick.type = 'button';
    pick.textContent = option.text;
    if (option.selected) pick.setAttribute('aria-current', 'true');
    pick.addEventListener('click', () => {
      select.value = option.value;
      dialog.close();
      select.dispatchEvent(new Event('change', { bubbles: true }));
    });
    row.append(pick);
    return { row, text: option.text.toLowerCase() };
  });
  const filter = () => {
    const wanted = input.value.trim().toLowerCase().split(/\s+/);
    const found = rows.filter(({ row, text }) => {
      row.hidden = !wanted.every((word) => text.includes(word));
      return !row.hidden;
    });
    none.hidden = found.length > 0;
  };
  input.addEventListener('input', filter);
  input.addEventListener('keydown', (event) => {
    if (event.key !== 'Enter') return;
    event.preventDefault();
    rows
      .find(({ row }) => !row.hidden)
      ?.row.querySelector('button')
      ?.click();
  });
  list.append(...rows.map(({ row }) => row));
  const close = document.createElement('button');
  close.type = 'button';
  close.className = 'quiet';
  close.textContent = words.close;
  close.addEventListener('click', () => dialog.close());
  dialog.append(input, list, none, close);
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  filter();
  dialog.showModal();
}
