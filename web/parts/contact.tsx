import type { VNode } from 'preact';
import { isFollowed, type View } from '../server/view.ts';

/** How a person is reached, where the operator named a way that this reader can go. */
export function Contact({ view }: { readonly view: View }): VNode | null {
  const { contact } = view.settings;
  return contact && isFollowed(view, contact) ? <a href={contact}>{view.words.nav.contact}</a> : null;
}
