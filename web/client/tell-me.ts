/** A notice of the system, only after somebody asked for it, and only while the page is open. */
class TellMe extends HTMLElement {
  connectedCallback(): void {
    const button = this.querySelector('button');
    if (!button || !('Notification' in window) || Notification.permission === 'denied') return;
    button.hidden = false;
    document.addEventListener('news', () => {
      this.hidden = document.querySelector('#state[data-over]') !== null;
    });
    button.addEventListener('click', () => {
      void Notification.requestPermission().then((answer) => {
        if (answer !== 'granted') return;
        button.textContent = this.dataset.done ?? '';
        button.disabled = true;
        document.addEventListener('news', (event) => new Notification((event as CustomEvent<string>).detail));
      });
    });
  }
}

customElements.define('tell-me', TellMe);
