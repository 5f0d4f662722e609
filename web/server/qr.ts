import { crc32, deflateSync } from 'node:zlib';
import encodeQR from 'qr';

/** PNG, third edition: https://www.w3.org/TR/png-3/ */
const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const GREY = 0;
const COLOURS_WITH_ALPHA = 6;

/** Light modules around the code, which readers need to find it. */
const QUIET_ZONE = 2;

/** One pixel a module, black on white, to be enlarged by the style sheet: neither SVG nor canvas is needed. */
export function qrImage(text: string): string {
  const modules = encodeQR(text, 'raw', { ecc: 'medium', border: QUIET_ZONE });
  const rows = modules.map((row) => {
    const bytes = Buffer.alloc(1 + Math.ceil(row.length / 8));
    for (const [at, isDark] of row.entries())
      if (!isDark) bytes[1 + (at >> 3)] = (bytes[1 + (at >> 3)] ?? 0) | (0x80 >> (at & 7));
    return bytes;
  });
  return png(modules.length, 1, GREY, Buffer.concat(rows));
}

export type Mood = 'idle' | 'waiting' | 'working' | 'done' | 'attention';
const MOODS: Readonly<Record<Mood, readonly [number, number, number]>> = {
  idle: [15, 92, 92],
  waiting: [38, 99, 168],
  working: [178, 117, 0],
  done: [30, 125, 70],
  attention: [185, 44, 40],
};
const ICON = 16;

const icons = new Map<Mood, string>();

/** A disc in the colour of what the order needs, for the tab of the browser. */
export function moodIcon(mood: Mood): string {
  const known = icons.get(mood);
  if (known) return known;
  const [red, green, blue] = MOODS[mood];
  const bytes: number[] = [];
  for (let y = 0; y < ICON; y += 1) {
    bytes.push(0);
    for (let x = 0; x < ICON; x += 1) {
      const isInside = (2 * x + 1 - ICON) ** 2 + (2 * y + 1 - ICON) ** 2 <= (ICON - 1) ** 2;
      bytes.push(red, green, blue, isInside ? 255 : 0);
    }
  }
  const made = png(ICON, 8, COLOURS_WITH_ALPHA, Buffer.from(bytes));
  icons.set(mood, made);
  return made;
}

function png(size: number, depth: number, colours: number, rows: Buffer): string {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  header[8] = depth;
  header[9] = colours;
  const bytes = Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
  return `data:image/png;base64,${bytes.toString('base64')}`;
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const frame = Buffer.alloc(8 + body.length);
  frame.writeUInt32BE(data.length, 0);
  body.copy(frame, 4);
  frame.writeUInt32BE(crc32(body), 4 + body.length);
  return frame;
}
