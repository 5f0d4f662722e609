import type { ComponentChildren, VNode } from 'preact';
import { Copy } from '../parts/amount.tsx';
import type { Site } from '../server/site.ts';
import { dollars, plainName, showDay, showSeconds, type View } from '../server/view.ts';
import { Chart } from './chart.tsx';
import { feeMoney } from './money.ts';
import type { Stats } from './partner-desk.ts';
import { roomPage, roomPath, roomsOn } from './room.tsx';

/** What a business asks first: how much, how often, what was earned. */
export function mountOverview(site: Site): void {
  roomsOn(site).get('', async (visit, room) => {
    const { view, partner } = visit;
    const { words, base } = view;
    const { integrationId } = room.integration;
    const { stats } = await partner.report(integrationId);
    return roomPage(visit, room, {
      name: 'overview',
      title: words.partners.room.overview,
      lead: words.figures.days(stats.windowDays),
      children: (
        <>
          <Figures view={view} stats={stats} />
          {stats.orders === 0 ? (
            <section class="card">
              <p>{words.figures.start}</p>
              <p class="buttons">
                <a class="button" href={`${base}${roomPath(room, 'keys')}`}>
                  {words.partnerKeys.make}
                </a>
                <a class="button quiet" href={`${base}${roomPath(room, 'links')}`}>
                  {words.links.make}
                </a>
              </p>
            </section>
          ) : (
            <Details view={view} stats={stats} />
          )}
          <p class="with-copy hint">
            {words.partners.publicId} <bdi class="code">{integrationId}</bdi>
            <Copy view={view} text={integrationId} label={words.partners.publicId} />
          </p>
        </>
      ),
    });
  });
}

const Figure = ({ name, value, line }: { readonly name: string; readonly value: string; readonly line?: string }) => (
  <div>
    <dt>{name}</dt>
    <dd>
      <bdi>{value}</bdi>
      {line && <small>{line}</small>}
    </dd>
  </div>
);

function Figures({ view, stats }: { readonly view: View; readonly stats: Stats }): VNode {
  const { figures } = view.words;
  const { completed, refunded, failed, expired, feesUsd } = stats;
  const ended = completed + refunded + failed + expired;
  return (
    <dl class="figures">
      <Figure name={figures.volume} value={dollars(view, stats.volumeUsd)} />
      <Figure name={figures.paid} value={dollars(view, feesUsd.paid)} />
      <Figure name={figures.projected} value={dollars(view, feesUsd.projected)} />
      <Figure name={figures.orders} value={`${stats.orders}`} line={`${figures.open}: ${stats.open}`} />
      <Figure
        name={figures.success}
        value={ended === 0 ? '–' : `${Math.round((completed * 100) / ended)} %`}
        line={`${figures.completed}: ${completed}`}
      />
      <Figure
        name={figures.median}
        value={stats.medianSeconds === null ? '–' : showSeconds(view, stats.medianSeconds)}
      />
    </dl>
  );
}

function Details({ view, stats }: { readonly view: View; readonly stats: Stats }): VNode {
  const { figures } = view.words;
  return (
    <>
      <section class="card">
        <h2>{figures.volume}</h2>
        <Chart view={view} days={stats.days} />
        <details>
          <summary>{figures.table}</summary>
          <Table
            name={figures.table}
            heads={[figures.day, figures.orders, figures.completed, figures.volume, figures.earned]}
          >
            {stats.days.toReversed().map(({ date, orders, completed, volumeUsd, feesUsd }) => (
              <tr>
                <th scope="row">{showDay(view, date)}</th>
                <td>{orders}</td>
                <td>{completed}</td>
                <td>{dollars(view, volumeUsd)}</td>
                <td>{dollars(view, feesUsd)}</td>
              </tr>
            ))}
          </Table>
        </details>
      </section>
      {stats.fees.length > 0 && (
        <section class="card">
          <h2>{figures.byCoin}</h2>
          <Table name={figures.byCoin} heads={[figures.coin, figures.paid, figures.projected]}>
            {stats.fees.map((fee) => (
              <tr>
                <th scope="row">
                  {plainName(fee.symbol)} <small>{view.book.chain(fee.chainId).name}</small>
                </th>
                <td>
                  <bdi>{feeMoney(view, fee, fee.paid)}</bdi>
                </td>
                <td>
                  <bdi>{feeMoney(view, fee, fee.projected)}</bdi>
                </td>
              </tr>
            ))}
          </Table>
          <p class="hint">{`${figures.skipped}: ${dollars(view, stats.feesUsd.skipped)}. ${figures.skippedLine}`}</p>
        </section>
      )}
      {stats.pairs.length > 0 && (
        <section class="card">
          <h2>{figures.pairs}</h2>
          <Table name={figures.pairs} heads={[figures.pair, figures.orders, figures.volume]}>
            {stats.pairs.map(({ fromSymbol, toSymbol, orders, volumeUsd }) => (
              <tr>
                <th scope="row">
                  <bdi>{`${plainName(fromSymbol)} → ${plainName(toSymbol)}`}</bdi>
                </th>
                <td>{orders}</td>
                <td>{dollars(view, volumeUsd)}</td>
              </tr>
            ))}
          </Table>
        </section>
      )}
    </>
  );
}

const Table = ({
  name,
  heads,
  children,
}: {
  readonly name: string;
  readonly heads: readonly string[];
  readonly children: ComponentChildren;
}) => (
  // What can be moved sideways can be moved by the keyboard, too.
  // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls is focusable.
  <section class="scroll" tabIndex={0} aria-label={name}>
    <table class="numbers">
      <thead>
        <tr>
          {heads.map((head) => (
            <th scope="col">{head}</th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </section>
);
