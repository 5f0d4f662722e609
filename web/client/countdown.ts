/** What is left until a moment. It counts from the server's clock, since the reader's may be wrong. */
class CountDown extends HTMLElement {
  #timer = 0;

  connectedCallback(): void {
    const until = Date.parse(this.dataset.until ?? '');
    const ahead = Date.parse(this.dataset.now ?? '') - Date.now();
    if (Number.isNaN(until) || Number.isNaN(ahead)) return;
    const tick = () => {
      const seconds = Math.max(0, Math.floor((until - Date.now() - ahead) / 1000));
      const [minutes, rest] = [Math.floor(seconds / 60), seconds % 60];
      this.textContent = `(${minutes}:${String(rest).padStart(2, '0')})`;
      this.hidden = seconds === 0;
      if (seconds > 0) this.#timer = window.setTimeout(tick, 1_000);
    };
    tick();
  }

  disconnectedCallback(): void {
    clearTimeout(this.#timer);
  }
}

customElements.define('count-down', CountDown);
