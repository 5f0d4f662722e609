/** Copies the raw text, whatever stands around it, and says that it did. */
class CopyText extends HTMLElement {
  connectedCallback(): void {
    const button = this.querySelector('button');
    if (!button || !navigator.clipboard) return;
    const label = button.textContent;
    button.hidden = false;
    button.addEventListener('click', () => {
      void navigator.clipboard.writeText(this.dataset.text ?? '').then(() => {
        button.textContent = this.dataset.done ?? label;
        const news = document.getElementById('news');
        if (news) news.textContent = this.dataset.done ?? '';
        setTimeout(() => {
          button.textContent = label;
        }, 2_000);
      });
    });
  }
}

customElements.define('copy-text', CopyText);
