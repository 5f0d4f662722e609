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
const TRIP = 'src/life/trip/**';
const CATALOG = 'src/catalog/**';
const SIGNER_PORT = 'src/signer/request.ts';
const PORTS = {
  chains: 'src/world/chains/chain.ts',
  venues: 'src/world/venues/venue.ts',
  providers: 'src/world/providers/provider.ts',
  screening: 'src/world/screening/screen.ts',
};
/** What a whole family of chains, and the venue, is to the rest of the house. */
const FAMILY_PORTS = ['src/world/chains/family.ts', 'src/world/venues/family.ts'];
const SETTINGS_SHAPES = 'src/world/settings-shapes.ts';
/** What members of one family of counterparties share beside the port. */
const SHELF = ['bundled.ts', 'following.ts', 'signed-for.ts'];
/** Who the counterparties are: nothing but these names one. */
const LISTS = ['src/world/chains/index.ts', 'src/world/venues/index.ts'];
const EVERY_PORT = [...Object.values(PORTS), ...FAMILY_PORTS];
/** What counterparties speak of, without the means to speak to them. */
const PORT_TYPES = [PORTS.chains, PORTS.venues, PORTS.providers, ...FAMILY_PORTS].map((port) => `type ${port}`);
/** What a quote promises and an order takes is reckoned by the same lines. */
const SHARED_SUMS = ['src/life/quote/fees-on.ts', 'src/life/quote/chunk-plan.ts'];
const CORE = [KERNEL, CATALOG, QUOTE, ORDER, PAYMENT, CASE, TRIP, 'src/partners/**', 'src/engine/**', 'src/store/**'];

/** The pure parts of counterparties: what they call things and how they spell them. */
const SIGNER_MAY = [
  KERNEL,
  OUTBOUND,
  ...PORT_TYPES,
  'src/world/**/codec.ts',
  'src/world/**/*-codec.ts',
  'src/world/**/rules.ts',
  'src/world/**/networks.ts',
];

const familyRooms = ([family, port]: [string, string]): Room[] => {
  const at = `src/world/${family}`;
  const shared = [
    KERNEL,
    OUTBOUND,
    SETTINGS_SHAPES,
    ...EVERY_PORT,
    `${at}/codec.ts`,
    ...SHELF.map((name) => `${at}/${name}`),
  ];
  return [
    { at: port, may: [KERNEL, ...EVERY_PORT] },
    { at: `${at}/family.ts`, may: [KERNEL, ...EVERY_PORT, `type ${OUTBOUND}`] },
    { at: `${at}/index.ts`, may: [...shared, `${at}/**`] },
    { at: `${at}/codec.ts`, may: [KERNEL, OUTBOUND, ...EVERY_PORT] },
    ...SHELF.map((name) => ({ at: `${at}/${name}`, may: [KERNEL, ...EVERY_PORT] })),
    { at: `${at}/second-opinion.ts`, may: [KERNEL, ...EVERY_PORT] },
    { at: `${at}/conformance.ts`, may: [...shared, `${at}/conformance/**`] },
    { at: `${at}/conformance/**`, may: shared },
    { at: `${at}/:member/**`, may: shared },
  ];
};

const stage = (name: string): Room => ({
  at: `src/life/${name}/**`,
  may: [KERNEL, QUOTE, ORDER, PAYMENT, CASE, SIGNER_PORT, ...EVERY_PORT],
});

const WIRING = 'src/app/wiring/**';
/** What a family's part in the sandbox may use of it. */
const BOX_PORTS = ['family', 'prices', 'journal', 'start-money', 'venue-tokens'].map((name) => `sandbox/${name}.ts`);
const BOX_SHELF = [
  'command-lines',
  'exact-json',
  'keeping',
  'kept-process',
  'place',
  'patience',
  'probe',
  'process',
  'root',
].map((name) => `sandbox/${name}.ts`);

/** The sandbox: simulators and nodes below, each family's part on them, and only their list knows all of the parts. */
function boxRooms(): Room[] {
  const below = [KERNEL, 'src/world/**', ...BOX_SHELF, 'sandbox/simulators/rpc-server.ts', 'sandbox/nodes/**'];
  const part = [...below, 'src/signer/**', 'sandbox/simulators/**', 'sandbox/control/*.ts', ...BOX_PORTS];
  const anywhere = ['src/**', 'sandbox/*.ts', 'sandbox/control/**', 'sandbox/nodes/**', 'sandbox/simulators/**'];
  return [
    { at: 'sandbox/simulators/rpc-server.ts', may: [KERNEL] },
    { at: 'sandbox/simulators/:member/**', may: below },
    { at: 'sandbox/nodes/**', may: [...below, 'sandbox/simulators/**'] },
    { at: 'sandbox/families/:member-wire.ts', may: part },
    { at: 'sandbox/families/:member-place.ts', may: part },
    {
      at: 'sandbox/families/:member.ts',
      may: [...part, 'sandbox/families/:member-wire.ts', 'sandbox/families/:member-place.ts'],
    },
    { at: 'sandbox/families.ts', may: ['sandbox/families/*.ts', 'sandbox/family.ts'] },
    { at: 'sandbox/control/**', may: anywhere },
    { at: 'sandbox/*.ts', may: [...anywhere, 'scripts/build.ts', 'scripts/build-once.ts'] },
  ];
}

/** The first room that fits a file is its room. */
export const ROOMS: readonly Room[] = [
  { at: KERNEL, may: [], packages: ['node:crypto'] },
  { at: OUTBOUND, may: [KERNEL] },
  { at: SETTINGS_SHAPES, may: [], packages: ['@sinclair/typebox'] },
  ...Object.entries(PORTS).flatMap(familyRooms),
  { at: CATALOG, may: [KERNEL, ...PORT_TYPES], packages: [] },
  { at: QUOTE, may: [KERNEL, CATALOG, ...EVERY_PORT], packages: [] },
  { at: CASE, may: [KERNEL], packages: [] },
  { at: TRIP, may: [KERNEL], packages: [] },
  { at: PAYMENT, may: [KERNEL, CASE, `type ${SIGNER_PORT}`, ...PORT_TYPES], packages: [] },
  {
    at: ORDER,
    may: [KERNEL, CASE, PAYMENT, 'type src/life/quote/quote.ts', ...SHARED_SUMS, ...PORT_TYPES],
    packages: [],
  },
  ...['deposit', 'execution', 'transfer', 'recovery'].map(stage),
  { at: 'src/partners/**', may: [KERNEL] },
  { at: 'src/store/**', may: [KERNEL, ORDER, PAYMENT, CASE, TRIP, 'src/partners/**', ...PORT_TYPES] },
  { at: 'src/engine/**', may: [KERNEL, ORDER, PAYMENT, CASE, TRIP, 'src/store/**', ...PORT_TYPES] },
  { at: SIGNER_PORT, may: [KERNEL, ...PORT_TYPES] },
  // The spend key lives in a wallet of its own, which only this file speaks to.
  { at: 'src/signer/rails/monero-device.ts', may: [...SIGNER_MAY, 'src/signer/**', 'src/world/chains/monero/**'] },
  // The venue itself is asked what we traded there.
  {
    at: 'src/signer/rails/hyperliquid.ts',
    may: [
      ...[...SIGNER_MAY, 'src/signer/*.ts', 'src/signer/rails/*.ts'],
      ...['src/world/venues/hyperliquid/ask.ts', 'src/world/venues/hyperliquid/own-trades.ts'],
    ],
  },
  // A rail knows its own family; the rest of the signer knows their list alone.
  { at: 'src/signer/rails/index.ts', may: ['src/signer/rails/*.ts', 'src/signer/family.ts'] },
  { at: 'src/signer/rails/*.ts', may: [...SIGNER_MAY, 'src/signer/*.ts'] },
  { at: 'src/signer/*.ts', may: [...SIGNER_MAY, 'src/signer/rails/index.ts'] },
  { at: 'src/api/**', may: CORE },
  { at: 'src/operator/**', may: CORE },
  { at: 'src/app/wiring/**', may: ['src/**'] },
  { at: 'src/app/config.ts', may: [KERNEL, SETTINGS_SHAPES, ...FAMILY_PORTS, ...LISTS] },
  // The rest of the application takes counterparties as values; only the wiring names them.
  {
    at: 'src/app/**',
    may: [
      ...[...CORE, OUTBOUND, SETTINGS_SHAPES, ...EVERY_PORT, WIRING, 'src/world/chains/second-opinion.ts'],
      ...['src/life/**', 'src/signer/*.ts', 'src/api/**', 'src/operator/**', 'web/server/**'],
    ],
  },
  ...boxRooms(),
  // Scripts of the pages run in browsers: they bring nothing along, and no text of their own.
  { at: 'web/client/**', may: [], packages: [] },
  { at: 'web/words/**', may: [], packages: [] },
  // The pages know the desk as every other caller does: by the contract, through the client made from it.
  { at: 'web/**', may: [KERNEL, 'sdk/src/**', 'web/words/**'] },
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
