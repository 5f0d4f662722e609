import type { VNode } from 'preact';
import { Copy } from '../parts/amount.tsx';
import { AssetSelect } from '../parts/asset-select.tsx';
import { type Bill, BillHead, billPath } from '../parts/bill.tsx';
import { Field, type Trouble, Troubles } from '../parts/field.tsx';
import { Qr } from '../parts/qr.tsx';
import { readAmount } from '../server/forms.ts';
import { tooLittle, troubleOf } from '../server/refused.ts';
import type { Answer, Site, Visit } from '../server/site.ts';
import { plainName, type View } from '../server/view.ts';
import { amountTrouble, firstPair, firstPayment } from '../server/wish.ts';
import { type Room, roomPage, roomPath, roomsOn } from './room.tsx';

/** Links that people can share, and what a page or a program needs to use them. */
export function mountLinks(site: Site): void {
  const rooms = roomsOn(site);
  rooms.get('/links', async (visit, room) => page(visit, room, undefined, []));
  // A form that names an address is not sent in the address of a page.
  rooms.post('/links', async (visit, room) => {
    const read = await readLink(visit);
    return 'link' in read ? page(visit, room, read.link, []) : page(visit, room, undefined, read.troubles);
  });
}

async function readLink({
  view,
  form,
  desk,
}: Visit): Promise<{ readonly link: Bill } | { readonly troubles: readonly Trouble[] }> {
  const { words, book } = view;
  const to = book.token(form.text('to'));
  const address = form.text('address');
  const read = readAmount(form.text('amount'), to?.decimals ?? 0);
  const troubles: Trouble[] = [];
  if (!to?.payout) troubles.push({ field: 'to', text: words.errors.assetMissing });
  if ('trouble' in read) troubles.push({ field: 'amount', text: amountTrouble(view, read.trouble, to?.decimals ?? 0) });
  if (address === '') troubles.push({ field: 'address', text: words.errors.addressMissing });
  if (!to || !('atoms' in read) || troubles.length > 0) return { troubles };
  // The coin that the payer is offered first is the one that must do.
  const from = firstPayment(view, to);
  try {
    // The desk itself says whether such a bill can be paid: whether there is such an address, and enough for the amount.
    const quote =
      from &&
      (await desk.quoteSwap({
        ...{ fromChainId: from.chainId, fromToken: from.token, toChainId: to.chainId, toToken: to.token },
        ...{ toAddress: address, toAmount: `${read.atoms}` },
      }));
    const text = quote && tooLittle(view, quote);
    if (text) return { troubles: [{ field: 'amount', text }] };
  } catch (error) {
    const asked = { addressField: 'address', address, chainId: to.chainId, amountField: 'amount' };
    return { troubles: [troubleOf(view, error, { ...asked, ...(from && { from }) })] };
  }
  return { link: { to, atoms: read.atoms, address, name: plainName(form.text('name', 60)) } };
}

function page(visit: Visit, room: Room, link: Bill | undefined, troubles: readonly Trouble[]): Answer {
  const { view, form } = visit;
  const { words, base } = view;
  const { links } = words;
  const errorOf = (name: string) => troubles.find(({ field }) => field === name)?.text;
  return roomPage(visit, room, {
    name: 'links',
    title: links.title,
    lead: links.line,
    status: troubles.length > 0 ? 422 : 200,
    children: (
      <>
        <Troubles title={words.errors.summary} troubles={troubles} />
        {link && <Made view={view} room={room} link={link} />}
        <form method="post" action={`${base}${roomPath(room, 'links')}`} class="card action">
          <div class={errorOf('to') ? 'field wrong' : 'field'}>
            <label for="to">{links.asset}</label>
            <AssetSelect view={view} name="to" chosen={form.text('to') || firstPair(view).from} label={links.asset} />
          </div>
          <Field name="amount" label={links.amount} value={form.text('amount')} error={errorOf('amount')} required />
          <Field
            name="address"
            label={links.address}
            value={form.text('address')}
            error={errorOf('address')}
            isCode
            required
          />
          <Field name="name" label={links.name} value={form.text('name')} most={60} />
          <button type="submit" class="button">
            {links.make}
          </button>
        </form>
        <section class="card">
          <h2>{links.code}</h2>
          <p>{links.codeLine}</p>
          <pre dir="ltr">{snippet(view)}</pre>
        </section>
      </>
    ),
  });
}

const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

function Made({ view, room, link }: { readonly view: View; readonly room: Room; readonly link: Bill }): VNode {
  const { links, pay } = view.words;
  const path = `${view.base}${billPath(link, room.integration.integrationId)}`;
  const url = `${view.settings.place.origin}${path}`;
  const html = `<a href="${escaped(url)}">${escaped(links.button(link.name || pay.someone))}</a>`;
  return (
    <>
      <section class="card">
        <h2>{links.link}</h2>
        <p class="with-copy">
          <bdi class="code">{url}</bdi>
          <Copy view={view} text={url} label={links.link} />
        </p>
        <figure class="scan">
          <Qr text={url} alt={links.link} />
        </figure>
        <h2>{links.html}</h2>
        <pre dir="ltr">{html}</pre>
        <Copy view={view} text={html} label={links.html} />
      </section>
      <section class="card preview">
        <h2>{links.preview}</h2>
        <div class="preview-frame">
          <BillHead view={view} bill={link} level="h3" />
        </div>
        <p>
          <a class="button quiet" href={path}>
            {links.open}
          </a>
        </p>
      </section>
    </>
  );
}

/** The calls are at the root of the host, also where the pages live below a path. */
const snippet = ({ settings }: View): string => `import { wherryClient } from '@wherry/client';

const desk = wherryClient({
  url: '${settings.place.origin}',
  key: process.env.WHERRY_KEY,
});
const order = await desk.createSwap({
  fromChainId: 42161,
  fromToken: '0xaf88d065e77c8cC2239327C5EDb3A432268e5831',
  toChainId: 0,
  toToken: 'XMR',
  toAddress,
  fromAmount: '100000000',
});
// show order.depositAddress, then:
for await (const now of desk.followOrder({
  id: order.orderId,
  session: order.sessionId,
})) show(now.customerState);`;
