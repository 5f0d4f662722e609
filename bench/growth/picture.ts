import { GOAL, type Growth } from './compare.ts';

const [WIDTH, HEIGHT, LEFT, TOP] = [760, 420, 60, 40];
const COLOURS = ['#b91c1c', '#c2410c', '#a16207', '#15803d', '#0e7490', '#1d4ed8', '#7e22ce', '#be185d'];

/** Pages that each statement reads, over how many orders are open; both by powers of ten. Those that grow most have names. */
export function picture(sizes: readonly number[], all: readonly Growth[]): string {
  const most = Math.max(10, ...all.flatMap(({ buffers }) => buffers));
  const [low, high] = [Math.log10(sizes[0] ?? 1), Math.log10(sizes.at(-1) ?? 10)];
  const x = (size: number) => LEFT + ((Math.log10(size) - low) / Math.max(high - low, 1e-9)) * (WIDTH - LEFT - 200);
  const y = (pages: number) => HEIGHT - TOP - (Math.log10(Math.max(pages, 1)) / Math.log10(most)) * (HEIGHT - 2 * TOP);
  const line = ({ buffers }: Growth, colour: string, width: number) => {
    const points = buffers.map((pages, at) => `${x(sizes[at] ?? 1).toFixed(1)},${y(pages).toFixed(1)}`).join(' ');
    return `<polyline points="${points}" fill="none" stroke="${colour}" stroke-width="${width}"/>`;
  };
  const named = all.filter(({ ratio }) => ratio > GOAL).slice(0, COLOURS.length);
  const powers = Array.from({ length: Math.floor(Math.log10(most)) + 1 }, (_, power) => 10 ** power);
  const title = `Pages that each of ${all.length} statements reads, by open orders`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="11">`,
    `<title>${title}</title>`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#fff"/>`,
    `<text x="${LEFT}" y="20" font-size="13">${title}</text>`,
    ...powers.map(
      (pages) =>
        `<path d="M${LEFT} ${y(pages).toFixed(1)}H${WIDTH - 200}" stroke="#e5e7eb"/><text x="8" y="${(y(pages) + 4).toFixed(1)}">${pages.toLocaleString('en')}</text>`,
    ),
    ...sizes.map(
      (size) =>
        `<text x="${x(size).toFixed(1)}" y="${HEIGHT - 14}" text-anchor="middle">${size.toLocaleString('en')}</text>`,
    ),
    ...all.filter((one) => !named.includes(one)).map((one) => line(one, '#9ca3af', 0.8)),
    ...named.map((one, at) => line(one, COLOURS[at] ?? '#000', 2)),
    ...named.map(
      ({ name, ratio }, at) =>
        `<text x="${WIDTH - 190}" y="${TOP + 12 + at * 16}" fill="${COLOURS[at]}">${name} × ${ratio.toFixed(2)}</text>`,
    ),
    '</svg>',
    '',
  ].join('\n');
}
