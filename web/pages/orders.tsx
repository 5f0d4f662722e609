import type { Site } from '../server/site.ts';

/** The list is in the browser alone: the server is told of one order at a time. */
export function mountOrders(site: Site): void {
  site.get('/orders', async ({ view }) => {
    const { words, base } = view;
    return {
      title: words.orders.title,
      script: 'orders',
      page: (
        <div class="narrow">
          <h1>{words.orders.title}</h1>
          <p class="lead">{words.orders.line}</p>
          <section class="card">
            <own-orders data-base={base}>
              <p class="no-script">{words.orders.without}</p>
              <p hidden data-part="empty">
                {words.orders.empty}
              </p>
              <ul class="rows" hidden data-part="list" />
              <template>
                <li>
                  <a dir="auto" data-part="open" href={`${base}/orders`}>
                    {words.orders.title}
                  </a>
                  <button type="button" class="quiet" data-part="forget">
                    {words.orders.forget}
                  </button>
                </li>
              </template>
              <p class="buttons" hidden data-part="all">
                <button type="button" class="button quiet" data-part="save">
                  {words.orders.saveAll}
                </button>
                <button type="button" class="button quiet" data-part="forget-all">
                  {words.orders.forgetAll}
                </button>
              </p>
              <p
                class="note info"
                role="status"
                hidden
                data-part="saving"
                data-text={words.orders.saving('{at}', '{all}')}
              />
              <div class="note warning" role="status" hidden data-part="missing">
                <p>{words.orders.missing}</p>
                <ul class="bulleted" />
              </div>
            </own-orders>
          </section>
          <address-list hidden>
            <section class="card">
              <h2>{words.orders.addresses}</h2>
              <p class="hint">{words.orders.addressesLine}</p>
              <ul class="rows" />
              <template>
                <li>
                  <bdi class="code" />
                  <button type="button" class="quiet">
                    {words.orders.forget}
                  </button>
                </li>
              </template>
            </section>
          </address-list>
          <p>
            <a href={`${base}/recover`}>{words.nav.recover}</a>
          </p>
        </div>
      ),
    };
  });
}
