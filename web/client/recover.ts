import './script.ts';

/** `/recover#<code>`: what stands behind the sign never reaches a server, so the field is filled in here. */
const field = document.querySelector<HTMLTextAreaElement>('textarea[name=code]');
if (field && location.hash.length > 1) {
  field.value = decodeURIComponent(location.hash.slice(1));
  history.replaceState(null, '', location.pathname);
}
