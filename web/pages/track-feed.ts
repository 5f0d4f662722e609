import type { Operations } from '../../sdk/src/index.ts';
import { delivered, money, originOf, type View } from '../server/view.ts';

type Tracked = Operations['trackOrder']['reply'];

const ESCAPED: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const text = (value: string): string => value.replaceAll(/[&<>"]/g, (found) => ESCAPED[found] ?? '');

/** RFC 4287. Every change is an entry with a name of its own, which is how a reader knows that it is news. */
export function atomFeed(view: View, trackingId: string, order: Tracked): string {
  const { words, base, settings } = view;
  const { kind, step, notice, reason, action } = order.customerState;
  const state = [order.status, kind, step ?? notice ?? reason ?? action].filter(Boolean).join('/');
  const title = words.track.status[order.status] ?? order.status;
  const link = `${originOf(view)}${base}/track/${trackingId}`;
  const sent = money(order.depositAmount, order.fromDecimals, order.fromSymbol);
  const got = delivered(order) ?? money(order.expectedOutput, order.toDecimals, order.toSymbol);
  return `<?xml version="1.0" encoding="utf-8"?>
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="${view.language}">
  <id>tag:wherry,2026:${text(order.orderId)}</id>
  <title>${text(`${settings.name}: ${sent} → ${got}`)}</title>
  <updated>${text(order.updatedAt)}</updated>
  <author><name>${text(settings.name)}</name></author>
  <link rel="alternate" href="${text(link)}"/>
  <entry>
    <id>tag:wherry,2026:${text(`${order.orderId}/${state}/${order.updatedAt}`)}</id>
    <title>${text(title)}</title>
    <updated>${text(order.updatedAt)}</updated>
    <link rel="alternate" href="${text(link)}"/>
    <summary>${text(`${sent} → ${got}`)}</summary>
  </entry>
</feed>
`;
}
