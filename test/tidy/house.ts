/** The house as data: which rooms there are, and which others each may import. `test/tidy/imports.ts` reads it. */

export interface Room {
  /** A file or a folder (`/**`). `:member` stands for one name, and one member never sees another. */
  readonly at: string;
  /** Its own room is always allowed. `type …`: only types may be imported from there. */
  readonly may: readonly string[];
  /** Packages that it may import; any, if this is not said. */
  readonly packages?: readonly string[];
}

const KERNEL = 'src/kernel/**';
const OUTBOUND = 'src/world/outbound/**';
const ORDER = 'src/life/order/**';
const QUOTE = 'src/life/quote/**';
const PAYMENT = 'src/life/payment/**';
const CASE = 'src/life/case/**';
const CATALOG = 'src/catalog/**';
const SIGNER_PORT = 'src/signer/request.ts';
const PORTS = {
  chains: 'src/world/chains/chain.ts',
  venues: 'src/world/venues/venue.ts',
  providers: 'src/world/providers/provider.ts',
  screening: 'src/world/screening/screen.ts',
};
const EVERY_PORT = Object.values(PORTS);
/** What counterparties speak of, without the means to speak to them. */
const PORT_TYPES = [`type ${PORTS.chains}`, `type ${PORTS.venues}`, `type ${PORTS.providers}`];
/** What a quote promises and an order takes is reckoned by the same lines. */
const SHARED_SUMS = ['src/life/quote/fees-on.ts', 'src/life/quote/chunk-plan.ts'];
const CORE = [KERNEL, CATALOG, QUOTE, ORDER, PAYMENT, CASE, 'src/partners/**', 'src/engine/**', 'src/store/**'];

/** The pure parts of counterparties: what they call things and how they spell them. */
const SIGNER_MAY = [
  KERNEL,
  OUTBOUND,
  ...PORT_TYPES,
  'src/world/**/codec.ts',
  'src/world/**/*-codec.ts',
  'src/world/**/rules.ts',
];

const familyRooms = ([family, port]: [string, string]): Room[] => {
  const at = `src/world/${family}`;
  const shared = [KERNEL, OUTBOUND, ...EVERY_PORT, `${at}/codec.ts`, `${at}/following.ts`];
  return [
    { at: port, may: [KERNEL, ...EVERY_PORT] },
    { at: `${at}/index.ts`, may: [...shared, `${at}/**`] },
    { at: `${at}/codec.ts`, may: [KERNEL, OUTBOUND, ...EVERY_PORT] },
    { at: `${at}/following.ts`, may: [KERNEL, ...EVERY_PORT] },
    { at: `${at}/conformance.ts`, may: [...shared, `${at}/conformance/**`] },
    { at: `${at}/conformance/**`, may: shared },
    { at: `${at}/:member/**`, may: shared },
  ];
};

const stage = (name: string): Room => ({
  at: `src/life/${name}/**`,
  may: [KERNEL, QUOTE, ORDER, PAYMENT, CASE, SIGNER_PORT, ...EVERY_PORT],
});

/** The first room that fits a file is its room. */
export const ROOMS: readonly Room[] = [
  { at: KERNEL, may: [], packages: ['node:crypto'] },
  { at: OUTBOUND, may: [KERNEL] },
  ...Object.entries(PORTS).flatMap(familyRooms),
  { at: CATALOG, may: [KERNEL, ...PORT_TYPES], packages: [] },
  { at: QUOTE, may: [KERNEL, CATALOG, ...EVERY_PORT], packages: [] },
  { at: CASE, may: [KERNEL], packages: [] },
  { at: PAYMENT, may: [KERNEL, CASE, `type ${SIGNER_PORT}`, ...PORT_TYPES], packages: [] },
  {
    at: ORDER,
    may: [KERNEL, CASE, PAYMENT, 'type src/life/quote/quote.ts', ...SHARED_SUMS, ...PORT_TYPES],
    packages: [],
  },
  ...['deposit', 'execution', 'transfer', 'recovery'].map(stage),
  { at: 'src/partners/**', may: [KERNEL] },
  { at: 'src/store/**', may: [KERNEL, ORDER, PAYMENT, CASE, 'src/partners/**', ...PORT_TYPES] },
  { at: 'src/engine/**', may: [KERNEL, ORDER, PAYMENT, CASE, 'src/store/**', ...PORT_TYPES] },
  { at: SIGNER_PORT, may: [KERNEL, ...PORT_TYPES] },
  // The spend key lives in a wallet of its own, which only this file speaks to.
  { at: 'src/signer/monero-device.ts', may: [...SIGNER_MAY, 'src/signer/**', 'src/world/chains/monero/**'] },
  { at: 'src/signer/**', may: SIGNER_MAY },
  { at: 'src/api/**', may: CORE },
  { at: 'src/operator/**', may: CORE },
  ...['src/app/wiring.ts', 'src/app/wiring/**'].map((at) => ({ at, may: ['src/**'] })),
  // The rest of the application takes counterparties as values; only the wiring names them.
  {
    at: 'src/app/**',
    may: [...CORE, OUTBOUND, ...EVERY_PORT, 'src/life/**', 'src/signer/**', 'src/api/**', 'src/operator/**'],
  },
];

const WILD: Readonly<Record<string, string>> = { '**/': '(?:.+/)?', '**': '.+', '*': '[^/]*' };
const patterns = new Map<string, RegExp>();

function patternOf(at: string): RegExp {
  const known = patterns.get(at);
  if (known) return known;
  const text = at.replaceAll('.', '\\.').replace(/\*\*\/|\*\*|\*|:\w+/g, (part) => WILD[part] ?? '([^/]+)');
  const made = new RegExp(`^${text}$`);
  patterns.set(at, made);
  return made;
}

/** Whether a path lies in a room; gives what its `:member` stands for, if it has one. */
export function within(path: string, at: string): { readonly member: string | undefined } | undefined {
  const found = patternOf(at).exec(path);
  return found ? { member: found[1] } : undefined;
}

export const isWithin = (path: string, rooms: readonly string[]): boolean =>
  rooms.some((at) => within(path, at) !== undefined);
