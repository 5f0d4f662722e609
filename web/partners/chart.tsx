import type { VNode } from 'preact';
import { dollars, showDay, type View } from '../server/view.ts';
import type { Day } from './partner-desk.ts';

const STEP = 10;
const BAR = 7;
const HEIGHT = 84n;

/** Always written with two decimals. */
const centsOf = (usd: string): bigint => BigInt(usd.replace('.', ''));

/** A bar a day. The same figures are in a table below it, so nobody needs to see this. */
export function Chart({ view, days }: { readonly view: View; readonly days: readonly Day[] }): VNode | null {
  const { figures } = view.words;
  const [first, last] = [days[0], days.at(-1)];
  const highest = days.reduce((most, day) => (centsOf(day.volumeUsd) > centsOf(most) ? day.volumeUsd : most), '0.00');
  const most = centsOf(highest);
  if (most === 0n || !first || !last) return null;
  return (
    <figure class="chart" dir="ltr">
      <svg
        viewBox={`0 0 ${days.length * STEP} ${HEIGHT}`}
        role="img"
        aria-label={figures.chart(dollars(view, highest))}
        preserveAspectRatio="none"
      >
        {days.map(({ date, volumeUsd }, at) => {
          const cents = centsOf(volumeUsd);
          const tall = cents === 0n ? 1n : (cents * (HEIGHT - 2n)) / most + 2n;
          return (
            <rect
              class={cents === 0n ? 'none' : undefined}
              x={at * STEP + (STEP - BAR) / 2}
              y={`${HEIGHT - tall}`}
              width={BAR}
              height={`${tall}`}
            >
              <title>{`${date}: ${dollars(view, volumeUsd)}`}</title>
            </rect>
          );
        })}
      </svg>
      <figcaption>
        <span>{showDay(view, first.date)}</span>
        <span>
          {figures.upTo} <bdi>{dollars(view, highest)}</bdi>
        </span>
        <span>{showDay(view, last.date)}</span>
      </figcaption>
    </figure>
  );
}
