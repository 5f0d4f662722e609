import type { ComponentChildren } from 'preact';

interface Plain {
  readonly children?: ComponentChildren;
  readonly class?: string;
  readonly id?: string;
  readonly hidden?: boolean;
  readonly [data: `data-${string}`]: string | undefined;
}

/** Elements that the pages' scripts bring to life; without script they show what is in them. */
declare module 'preact' {
  namespace JSX {
    interface IntrinsicElements {
      'address-list': Plain;
      'browser-wallets': Plain;
      'copy-text': Plain;
      'count-down': Plain;
      'live-order': Plain;
      'live-quote': Plain;
      'own-addresses': Plain;
      'own-orders': Plain;
      'tell-me': Plain;
      'wallet-signature': Plain;
    }
  }
}
