import { isoTime } from '../../src/kernel/clock.ts';
import type { Site } from '../server/site.ts';
import { plainName, showTime, type View } from '../server/view.ts';

/** Read from the same answers that the forms are made of, which ask the gates that creation asks. */
export function mountStatus(site: Site): void {
  site.get('/status', async ({ view, desk }) => {
    const { words, book } = view;
    const terms = await desk.readBridgeTerms();
    return {
      title: words.status.title,
      page: (
        <div class="narrow">
          <h1>{words.status.title}</h1>
          <p class="lead">{words.status.lead}</p>
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
                        <Gate
                          view={view}
                          isOn={token[direction]}
                          reason={words.status.reasonRoute}
                          since={showTime(view, isoTime(book.since(token, direction)))}
                        />
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
                        <Gate view={view} isOn={row[direction]} reason={words.status.reasonGate} since={undefined} />
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
  readonly since: string | undefined;
}

const Gate = ({ view: { words }, isOn, reason, since }: GateProps) =>
  isOn ? (
    <span class="on">{words.status.on}</span>
  ) : (
    <span class="off">
      {words.status.off}
      <small>{`${reason}${since === undefined ? '' : `; ${words.status.since(since)}`}`}</small>
    </span>
  );
