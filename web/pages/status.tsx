import type { Token } from '../../sdk/src/index.ts';
import { type Instant, isoTime } from '../../src/kernel/clock.ts';
import { bridgeGate, swapGate } from '../server/desk.ts';
import type { Stopped } from '../server/settings.ts';
import type { Site } from '../server/site.ts';
import { plainName, showTime, type View } from '../server/view.ts';

/** Read from the same answers that the forms are made of, which ask the gates that creation asks. */
export function mountStatus(site: Site, stopped: () => Promise<readonly Stopped[]>): void {
  site.get('/status', async ({ view, desk }) => {
    const { words, book } = view;
    const [terms, stops] = await Promise.all([desk.readBridgeTerms(), stopped()]);
    return {
      title: words.status.title,
      page: (
        <div class="narrow">
          <h1>{words.status.title}</h1>
          <p class="lead">{words.status.lead}</p>
          <Parts view={view} stops={stops} />
          <section class="card">
            <table>
              <caption>{words.nav.swap}</caption>
              <thead>
                <tr>
                  <th scope="col">{words.status.asset}</th>
                  <th scope="col">{words.status.send}</th>
                  <th scope="col">{words.status.receive}</th>
                </tr>
              </thead>
              <tbody>
                {book.tokens.map((token) => (
                  <tr>
                    <th scope="row">
                      {plainName(token.symbol)} <small>{book.chain(token.chainId).name}</small>
                    </th>
                    {(['deposit', 'payout'] as const).map((direction) => (
                      <td>
                        <SwapGate view={view} token={token} direction={direction} stops={stops} />
                      </td>
                    ))}
                  </tr>
                ))}
              </tbody>
            </table>
          </section>
          <section class="card">
            <table>
              <caption>{words.status.bridges}</caption>
              <tbody>
                {terms.assets.flatMap((row) =>
                  (['deposit', 'withdraw'] as const).map((direction) => (
                    <tr>
                      <th scope="row">{words.bridge[direction](row.native, row.wrapped)}</th>
                      <td>
                        <Gate
                          view={view}
                          isOn={row[direction]}
                          reason={words.status.reasonGate}
                          since={book.since(bridgeGate(row.asset, direction))}
                        />
                      </td>
                    </tr>
                  )),
                )}
              </tbody>
            </table>
          </section>
          <p class="hint">{words.status.at(showTime(view, isoTime(view.now)))}</p>
        </div>
      ),
    };
  });
}

interface GateProps {
  readonly view: View;
  readonly isOn: boolean;
  readonly reason: string;
  readonly since: Instant;
}

const Gate = ({ view, isOn, reason, since }: GateProps) =>
  isOn ? (
    <span class="on">{view.words.status.on}</span>
  ) : (
    <span class="off">
      {view.words.status.off}
      <small>{`${reason}; ${view.words.status.since(showTime(view, isoTime(since)))}`}</small>
    </span>
  );

/** Nothing is quoted or made while one of these is stopped. */
const EVERYTHING = ['quotes', 'orders', 'refunds-only'];

/** A coin is off where no route has it, or where its chain or all of the desk is stopped. */
function SwapGate({
  view,
  token,
  direction,
  stops,
}: {
  readonly view: View;
  readonly token: Token;
  readonly direction: 'deposit' | 'payout';
  readonly stops: readonly Stopped[];
}) {
  const { words, book } = view;
  const scopes = [...EVERYTHING, `chain:${token.chainId}`];
  const stop = stops.find(({ scope }) => scopes.includes(scope));
  const since = stop && token[direction] ? stop.since : book.since(swapGate(token, direction));
  return (
    <Gate
      view={view}
      isOn={token[direction] && !stop}
      reason={token[direction] ? words.status.reasonGate : words.status.reasonRoute}
      since={since}
    />
  );
}

/** Parts that serve many pairs: who meets one is told when asking for a price. */
function Parts({ view, stops }: { readonly view: View; readonly stops: readonly Stopped[] }) {
  const { words, book } = view;
  const rows = stops.flatMap(({ scope, since }) => {
    const [kind = '', name = ''] = scope.split(':');
    const what = words.status.parts[kind];
    if (what === undefined) return [];
    const shown = kind === 'chain' ? book.chain(Number.parseInt(name, 10)).name : plainName(name);
    return [{ what: name === '' ? what : `${what}: ${shown}`, since }];
  });
  if (rows.length === 0) return null;
  return (
    <section class="card">
      <h2>{words.status.stopped}</h2>
      <ul class="rows">
        {rows.map(({ what, since }) => (
          <li>
            <span>{what}</span>
            <small>{words.status.stoppedSince(showTime(view, isoTime(since)))}</small>
          </li>
        ))}
      </ul>
    </section>
  );
}
