import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { type Static, type TProperties, Type } from '@sinclair/typebox';
import { percent, ratio } from '../kernel/ratio.ts';
import type { ChainSettings } from '../world/chains/family.ts';
import { FAMILIES } from '../world/chains/index.ts';
import { Atomic, Decimal, exact, PriceBand, TreasuryShape, Url } from '../world/settings-shapes.ts';
import type { VenueSettings } from '../world/venues/family.ts';
import { VENUE } from '../world/venues/index.ts';

const Port = Type.Integer({ minimum: 1, maximum: 65_535 });
const Hex32 = Type.String({ pattern: '^[0-9a-f]{64}$' });
/** Octal digits; everybody else on the computer stays outside. */
const SocketMode = Type.String({ pattern: '^0[0-7][0-7]0$' });
/** A group of this computer, by its number or its name. */
const Group = Type.Union([Type.Integer({ minimum: 0 }), Type.String({ pattern: '^[a-z_][a-z0-9_-]{0,31}$' })]);
/** By the names that the bridge calls have for coins. */
const PerCoin = exact({ xmr: Decimal, trx: Decimal, zec: Decimal });
/** Each family of chains says what its own settings are. */
const Chains = exact(Object.assign({}, ...FAMILIES.map(({ settings }) => settings)) as TProperties);

const PagesSchema = exact({
  /** Where people find the pages from outside, without a slash at the end; a path behind the host is served, too. */
  publicUrl: Type.Optional(Type.String({ pattern: '^https?://[^/?#]+(/[^?#]*[^/?#])?$' })),
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 40 })),
  /** How a person is reached: an address of a web page or of a mailbox (`mailto:`). */
  contact: Type.Optional(Type.String({ pattern: '^(https?://|mailto:)' })),
  banner: Type.Optional(
    exact({
      text: Type.String({ minLength: 1, maxLength: 200 }),
      link: Type.Optional(Url),
      level: Type.Union([Type.Literal('info'), Type.Literal('warning')]),
    }),
  ),
  /** By chain id: where a transaction is looked up; `{tx}` stands for its hash. */
  explorers: Type.Optional(
    Type.Record(Type.String({ pattern: '^\\d+$' }), Type.String({ pattern: '^https?://.*\\{tx\\}' })),
  ),
  languages: Type.Optional(
    Type.Array(
      Type.Union([Type.Literal('en'), Type.Literal('de'), Type.Literal('es'), Type.Literal('zh'), Type.Literal('ar')]),
      { minItems: 1, uniqueItems: true },
    ),
  ),
});

export const ConfigSchema = exact({
  database: Type.String({ pattern: '^postgres(ql)?://' }),
  /** A replica that orders are read from; what it does not have yet is read from the database itself. */
  databaseReplica: Type.Optional(Type.String({ pattern: '^postgres(ql)?://' })),
  /** The server itself, where `database` is a pooler: for what needs a session of its own. */
  databaseSession: Type.Optional(Type.String({ pattern: '^postgres(ql)?://' })),
  /** Of each process that uses it. */
  databaseConnections: Type.Optional(Type.Integer({ minimum: 3, maximum: 100 })),
  api: exact({
    host: Type.String(),
    port: Port,
    /** Addresses or networks whose X-Forwarded-For or PROXY line is believed; nobody's without it. */
    trustedProxies: Type.Optional(Type.Array(Type.String({ pattern: '^[0-9a-fA-F.:]+(/\\d{1,3})?$' }))),
    /** A second door for an onion service: tor announces each circuit there by a PROXY line. */
    onion: Type.Optional(
      exact({ host: Type.String(), port: Port, address: Type.String({ pattern: '^[a-z2-7]{56}\\.onion$' }) }),
    ),
  }),
  /** The pages for people, at the root of the API's port. */
  pages: Type.Optional(PagesSchema),
  /** What partners may do for themselves. */
  partners: Type.Optional(
    exact({
      /** New integrations wait for an operator's word. */
      approval: Type.Optional(Type.Boolean()),
      /** An address that fees go to changes so much later than it is asked for; 24 without it. */
      addressDelayHours: Type.Optional(Type.Integer({ minimum: 0, maximum: 24 * 30 })),
      /** An origin on this computer that webhooks may be sent to; for rehearsals, and refused elsewhere. */
      localReceiver: Type.Optional(Type.String({ pattern: '^http://(127\\.0\\.0\\.1|localhost):\\d+$' })),
    }),
  ),
  operator: exact({
    host: Type.String(),
    port: Port,
    /** One token for everybody, which does not say who acts. */
    token: Type.Optional(Type.String({ minLength: 24 })),
    people: Type.Optional(
      Type.Array(
        exact({
          name: Type.String({ pattern: '^[a-z0-9][a-z0-9._-]{0,31}$' }),
          /** SHA-256 of each token in hex; two while an old one gives way to a new one. */
          tokenHashes: Type.Array(Hex32, { minItems: 1, maxItems: 4 }),
          /** May look at everything and change nothing. */
          readOnly: Type.Optional(Type.Boolean()),
        }),
        { maxItems: 100 },
      ),
    ),
  }),
  /**
   * `api` and `engine` are private keys, each for its own process alone: one says where customers are paid and what their orders
   * are for, the other where providers and senders are. `hash` hides session ids and keys at rest; what was made under
   * `oldHashes`, which it replaced, still proves. So do deposits that an engine sealed with one of `oldEngines`.
   */
  keys: exact({
    ...{ api: Hex32, engine: Hex32, hash: Hex32 },
    oldHashes: Type.Optional(Type.Array(Hex32, { maxItems: 4 })),
    oldEngines: Type.Optional(Type.Array(Hex32, { maxItems: 4 })),
  }),
  signer: exact({
    /** Where the engine calls. */
    socket: Type.String(),
    socketMode: Type.Optional(SocketMode),
    /** By number or by name; the signer's own group without it. */
    socketGroup: Type.Optional(Group),
    /** Where the API calls; nothing is signed there. */
    apiSocket: Type.String(),
    apiSocketMode: Type.Optional(SocketMode),
    apiSocketGroup: Type.Optional(Group),
    /** Public halves of `keys.api` and `keys.engine`; several while one takes another's place. */
    binders: exact({ api: Type.Array(Hex32, { minItems: 1 }), engine: Type.Array(Hex32, { minItems: 1 }) }),
    /** Payments that bring an order above this value, by floor prices, need a signature by one of these public keys, too. */
    approval: Type.Optional(exact({ aboveUsd: Decimal, approvers: Type.Array(Hex32, { minItems: 1 }) })),
    /** Where alone goes what the hot accounts need not hold, and how much in any 24 hours: by names of assets, in whole coins. */
    cold: Type.Optional(Type.Record(Type.String(), exact({ address: Type.String({ minLength: 1 }), perDay: Decimal }))),
    /** Dollars that the desk may spend on stock of its own in any 24 hours, within `limits.engine`; nothing without it. */
    fillsUsdPerDay: Type.Optional(Decimal),
    seedFile: Type.String(),
    passphrase: Type.String({ minLength: 12 }),
    journal: Type.String(),
    /** All in atoms. What is not named here cannot leave. */
    limits: exact({
      /** By asset id: the most that may leave per transfer and in any 24 hours, and what a whole coin is worth at least. */
      assets: Type.Record(Type.String(), exact({ perTransfer: Atomic, perDay: Atomic, floorUsd: Decimal })),
      /** What may leave of all assets together in any 24 hours, in whole dollars, by their floors. */
      usdPerDay: Decimal,
      /** What of that may leave on the engine's word alone: to providers, to senders, and beyond what an order was made for. */
      engine: exact({ usdPerTransfer: Decimal, usdPerDay: Decimal }),
      /** By chain id: the most gas sent to one deposit address, the most one transfer may cost, and all in any 24 hours. */
      chains: Type.Record(Type.String(), exact({ gas: Atomic, gasPerDay: Atomic, cost: Atomic, costPerDay: Atomic })),
      /** On the venue's book: base in one order and sold in 24 hours, quote in one order and spent in 24 hours, limit prices. */
      trades: exact({
        size: Atomic,
        sellPerDay: Atomic,
        notional: Atomic,
        notionalPerDay: Atomic,
        price: PriceBand,
      }),
    }),
  }),
  chains: Type.Unsafe<ChainSettings>(Chains),
  /** Who swaps what is not traded on the venue. */
  providers: exact({
    oneclick: Type.Optional(exact({ url: Url, jwt: Type.Optional(Type.String()) })),
    relay: Type.Optional(exact({ url: Url, apiKey: Type.Optional(Type.String()) })),
    /** Another desk, which exchanges our own coins and their wrapped forms; customers' orders do not go there. */
    bridge: Type.Optional(exact({ url: Url, key: Type.Optional(Type.String()) })),
  }),
  venue: Type.Unsafe<VenueSettings>(VENUE.settings),
  fees: exact({ servicePercent: Decimal }),
  /** What the desk pays on networks for others. */
  costs: Type.Optional(
    exact({
      /** Where networks take more of a deposit than this, in percent, it is below the minimum or goes back; 20 without it. */
      mostSharePercent: Type.Optional(Decimal),
      /** A claim is given back by itself when it is worth so many times what that costs; 3 without it. */
      refundMultiple: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
    }),
  ),
  /** What is kept of what is bridged, and the least that is; in whole coins where it is not a percentage. */
  bridges: exact({
    depositPercent: Decimal,
    withdrawalPercent: Decimal,
    withdrawalFlat: Type.Unsafe<Readonly<Record<string, string>>>(PerCoin),
    minimums: Type.Unsafe<Readonly<Record<string, string>>>(PerCoin),
  }),
  /** The whole way from the deposit to the payout, and each provider's part of it; 3 and 1 without it. */
  slippage: Type.Optional(exact({ endToEndPercent: Decimal, perLegPercent: Decimal })),
  /** What is promised against what the desk has, and for how long somebody waits for it. */
  serving: Type.Optional(
    exact({
      /** A provider's breaker opens when so many of its deals brought another amount than was agreed; 2 without it. */
      shortDeliveries: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
      /** The most of the free stock that one order may take; 50 without it. */
      stockSharePercent: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
      /** An order that waits for stock may be taken back after so long; 30 without it. */
      stockPatienceMinutes: Type.Optional(Type.Integer({ minimum: 1, maximum: 24 * 60 })),
    }),
  ),
  /** Swaps by providers have no book whose depth would bound them. */
  largestOrderUsd: Type.Integer({ minimum: 100 }),
  treasury: TreasuryShape,
  /** What bounds the harm that strangers can do; each has a safe default. */
  caution: Type.Optional(
    exact({
      /** Claims of one order, and accounts whose deposits to one order are screened. */
      claimsPerOrder: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })),
      sendersPerOrder: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })),
      /** Tokens outside the catalog that one order may have on one chain, and atoms that one of them may claim. */
      unlistedTokensPerOrder: Type.Optional(Type.Integer({ minimum: 0, maximum: 100 })),
      unlistedAtoms: Type.Optional(Atomic),
      /** Dollars that may be at stake on one chain, in blocks and not final yet, before every deposit there waits for the deeper finality. */
      stakeUsd: Type.Optional(Type.Integer({ minimum: 0 })),
      /** Dollars of credited deposits that may have left one chain before its breaker opens by itself. */
      orphanedUsd: Type.Optional(Type.Integer({ minimum: 0 })),
      /** Nobody is quoted from a book that is wider than this, or offers fewer dollars on one of its sides. */
      bookSpreadPercent: Type.Optional(Decimal),
      bookDepthUsd: Type.Optional(Type.Integer({ minimum: 0 })),
      /** Dollars that may wait to be traded in one direction before nobody is quoted there; four of the largest orders. */
      untradedUsd: Type.Optional(Type.Integer({ minimum: 0 })),
    }),
  ),
  /** Where a chain has a second node: dollars that may be credited on the word of the first alone; 1000 without it. */
  second: Type.Optional(exact({ aboveUsd: Type.Integer({ minimum: 0 }) })),
  /** What opens a breaker by itself; each has a safe default. */
  breakers: Type.Optional(
    exact({
      /** Dollars that the chains may hold less than the ledger says. */
      driftUsd: Type.Optional(Type.Integer({ minimum: 0 })),
      /** Dollars that orders may cost the desk more than they bring. */
      lossPerHourUsd: Type.Optional(Type.Integer({ minimum: 0 })),
      lossPerDayUsd: Type.Optional(Type.Integer({ minimum: 0 })),
      /** By which the venue's price of a coin may differ from every provider's, and a provider's promise exceed the market's. */
      priceApartPercent: Type.Optional(Decimal),
      /** For which a scanner, or the treasury's round, may fail. */
      roundFailingMinutes: Type.Optional(Type.Integer({ minimum: 1, maximum: 24 * 60 })),
      /** So many requests that contradict the signer's journal. */
      signerRefusals: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
    }),
  ),
  screening: exact({ denyListFile: Type.String() }),
  addressPool: Type.Integer({ minimum: 1, maximum: 100_000 }),
  /** A file holding milliseconds to add to the clock; for rehearsals. Absent in production. */
  clockOffsetFile: Type.Optional(Type.String()),
  logLevel: Type.Union([Type.Literal('debug'), Type.Literal('info'), Type.Literal('warn'), Type.Literal('error')]),
});

export type Config = Static<typeof ConfigSchema>;

/** What may be lost on the way, as the settings say or as is usual (D69). */
export function slippageOf({ slippage }: Config) {
  return { full: percent(slippage?.endToEndPercent ?? '3'), perLeg: percent(slippage?.perLegPercent ?? '1') };
}

export const servingOf = ({ serving }: Pick<Config, 'serving'>) => ({
  shortDeliveries: serving?.shortDeliveries ?? 2,
  stockShare: ratio(BigInt(serving?.stockSharePercent ?? 50), 100n),
  stockPatienceMs: (serving?.stockPatienceMinutes ?? 30) * 60_000,
});

/** What the settings say of the book that quotes are made from; the rest is as usual. */
export function soundBookOf({ caution = {} }: Pick<Config, 'caution'>) {
  const { bookSpreadPercent, bookDepthUsd } = caution;
  return {
    ...(bookSpreadPercent === undefined ? {} : { widestSpread: percent(bookSpreadPercent) }),
    ...(bookDepthUsd === undefined ? {} : { leastDepthUsd: bookDepthUsd }),
  };
}

/** Where settings, and whatever else they do not hold, may come from. */
export type Environment = Readonly<Record<string, string | undefined>>;
export const environment = (): Environment => process.env;

const OTHERS_MAY = 0o007;
const OTHERS_WRITE = 0o022;

/** The file holds tokens and keys: what any user of the computer may read is no secret any more. */
export function readPrivately(path: string): string {
  const file = openThere(path);
  try {
    const { mode } = fstatSync(file);
    // Windows has no such modes and shows every file as everybody's.
    if (process.platform !== 'win32' && (mode & (OTHERS_MAY | OTHERS_WRITE)) !== 0) {
      const now = (mode & 0o777).toString(8).padStart(4, '0');
      throw new Error(
        `configuration: ${path} holds secrets and has mode ${now}; others may not read it, nor may anybody but its owner write it: chmod 600 ${path}`,
      );
    }
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}

function openThere(path: string): number {
  try {
    return openSync(path, 'r');
  } catch (error) {
    throw new Error(`configuration: ${path} cannot be read: ${(error as NodeJS.ErrnoException).code}`);
  }
}
