/** What may not be written, and where, as data. `test/tidy/rules.ts` reads it. */

export interface Ban {
  readonly says: string;
  readonly pattern: RegExp;
  /** `code`: comments, strings and patterns do not count. `text`: everything does. */
  readonly looksAt: 'code' | 'text';
  readonly where: readonly string[];
  readonly except?: readonly string[];
}

const CODE = ['src/**', 'sandbox/**', 'sdk/**', 'web/**', 'test/**', 'bench/**', 'scripts/**'];
const EVERYTHING = ['**'];
const TESTS = ['test/**'];
/** This folder names what it bans. */
const THE_RULES = ['test/tidy/**', 'test/tidy.test.ts'];

/** Dollars are not among them: they are for display and thresholds, and no way leads from them to atoms. */
const MONEY = String.raw`\w*(?:atoms|amount|balance|price|fee|wei|sats|lamports|piconero)\w*\b(?!\.length)`;
/** Up to the parenthesis that ends the call. */
const IN_CALL = String.raw`(?:[^()\n]|\([^()\n]*\)|\([^()\n]*(?=${MONEY}))*?\b`;

/** Files that may call `Number(…)`, each with what it is that is no money. */
export const NUMBERS: Readonly<Record<string, string>> = {
  'src/app/clock.ts': 'milliseconds',
  'src/app/command/restore.ts': 'how many addresses',
  'src/app/check-config.ts': 'the bits of a network',
  'src/api/endpoint.ts': 'whole numbers of a query string',
  'src/api/fill.ts': 'the place in a list where a page begins',
  'src/api/v2/orders.ts': 'a time',
  'src/engine/feed.ts': 'the version of an order',
  'src/kernel/byte-reader.ts': 'a count that the bytes can hold',
  'src/kernel/ids.ts': 'the number of a chain, and of a payment',
  'src/kernel/usd.ts': 'what the interface shows as a number',
  'src/kernel/ratio.ts': 'the exponent of a decimal, at most three digits',
  'src/life/quote/chunk-plan.ts': 'how many chunks',
  'src/signer/journal.ts': 'the number and the time of a line',
  'src/signer/rails/monero-device.ts': 'a priority and how many outputs',
  'src/signer/rails/monero.ts': 'how many outputs',
  'src/signer/rails/hyperliquid.ts': 'the number of a market',
  'src/store/**': 'counts, versions, heights and times, which PostgreSQL answers as text',
  'src/world/chains/evm/codec.ts': 'chain ids and nonces',
  'src/world/chains/evm/signature-codec.ts': 'the parity of a signature',
  'src/world/chains/evm/node.ts': 'heights and nonces',
  'src/world/chains/evm/execution-failure.ts': 'a length in bytes',
  'src/world/chains/monero/codec.ts': 'a digit in base 58',
  'src/world/chains/monero/point-codec.ts': 'the lowest bits of a number',
  'src/world/chains/bitcoin/codec.ts': 'the place of an output and the index of a deposit address',
  'src/world/chains/tron/protobuf.ts': 'field numbers and single bytes',
  'src/world/chains/tron/node-shapes.ts': 'a length in bytes',
  'src/world/venues/hyperliquid/codec.ts': 'chain ids and market numbers',
  'src/world/venues/hyperliquid/msgpack.ts': 'one byte',
  'src/world/venues/hyperliquid/typed-data.ts': 'whole numbers of a typed message, checked to be safe',
  'web/client/orders.ts': 'seconds to wait',
};

export const BANS = {
  'the environment is read in one place': {
    says: 'process.env is read by src/app/config.ts alone',
    pattern: /\bprocess\s*(?:\.\s*env\b|\[)|\benv\b[^;=]*\}\s*=\s*process\b/g,
    looksAt: 'code',
    where: CODE,
    // The sandbox and the tests start other programs, which inherit it.
    except: [
      'src/app/config.ts',
      'sandbox/**',
      'test/run.ts',
      'test/run/**',
      'test/e2e/**',
      'test/crash/**',
      'test/browser/**',
      'scripts/**',
    ],
  },
  'time is a parameter': {
    says: 'no clock outside src/app: take a Clock or bring the time in the event',
    pattern:
      /\bDate\.now\b|\bnew Date\s*\(\s*\)|\bnew Date\b(?!\s*\()|\bperformance\.now\b|\bprocess\.(?:hrtime|uptime)\b/g,
    looksAt: 'code',
    where: ['src/**', 'web/**'],
    // A conformance suite is a test, and some of it is about speed; a script in a browser has only the browser's clock.
    except: ['src/app/**', 'src/world/*/conformance/**', 'web/client/**'],
  },
  'chance is a parameter': {
    says: 'no randomness outside src/app',
    pattern:
      /\bMath\.random\b|\bgetRandomValues\b|\bcrypto\.random|\bimport\b[^;]*\brandom(?:Bytes|UUID|Int|Fill|FillSync)\b/g,
    looksAt: 'code',
    where: ['src/**', 'web/**'],
    except: ['src/app/**'],
  },
  'only those who wait have timers': {
    says: 'timers belong to the engine, the outbound door and the API',
    pattern: /\bset(?:Timeout|Immediate)\b/g,
    looksAt: 'code',
    where: ['src/**'],
    // The signer's door waits for what it was sent already.
    except: ['src/app/**', 'src/engine/**', 'src/world/outbound/**', 'src/api/**', 'src/signer/server.ts'],
  },
  'no interval is a clock': {
    says: 'setInterval drifts, piles up and cannot be simulated: set the next timeout when the work is done',
    pattern: /\bsetInterval\b/g,
    looksAt: 'code',
    where: ['src/**'],
    // A heartbeat on a socket is no clock.
    except: ['src/app/**', 'src/api/**'],
  },
  'no other room names a chain': {
    says: 'a chain states what it is in its facts; ask those instead of its name, family or number',
    pattern:
      /(['"`])(?:evm|monero|bitcoin|solana|tron|zcash|Ethereum|Arbitrum|Optimism|Polygon|Base|BNB Chain|Bitcoin|Solana|Tron|Zcash|Monero)\1|\b(?:42_?161|8_?453|728_?126_?428|20_?000_?000_?000_?001|20_?000_?000_?000_?133|1_?151_?111_?081_?099_?710)\b/g,
    looksAt: 'text',
    where: [
      'src/kernel/**',
      'src/catalog/**',
      'src/life/**',
      'src/store/**',
      'src/engine/**',
      'src/api/**',
      'src/operator/**',
      'src/partners/**',
    ],
    // The interface itself names one chain in an example and in a feed.
    except: ['src/api/wire-schemas.ts', 'src/api/rates-xml.ts', 'src/api/generated/**'],
  },
  'no float comes near money': {
    says: 'money is bigint: no parseFloat, toFixed, Number, Math or fraction near it',
    pattern: new RegExp(
      [
        String.raw`\bparseFloat\b|\.to(?:Fixed|Precision|Exponential)\s*\(`,
        String.raw`(?<![\w.])Number\s*\((?!showUsd\()${IN_CALL}${MONEY}`,
        String.raw`\bMath\.\w+\s*\(${IN_CALL}${MONEY}`,
        String.raw`\b${MONEY}[^;\n'"]*[*/]\s*\d+\.\d|\b\d+\.\d+\s*[*/]\s*${MONEY}`,
        String.raw`[*/]\s*1e-?\d+\b`,
      ].join('|'),
      'gi',
    ),
    looksAt: 'code',
    where: ['src/**', 'web/**'],
    // The one door from dollars as people write them in rules and tests to UsdMicros, from which no way leads to atoms.
    except: ['src/kernel/usd.ts'],
  },
  'every Number( has its reason': {
    says: 'Number(…) only in the files of NUMBERS in test/tidy/bans.ts, each with its reason',
    pattern: /(?<![\w.])Number\s*\((?!showUsd\()/g,
    looksAt: 'code',
    where: ['src/**', 'web/**'],
    except: Object.keys(NUMBERS),
  },
  'no any': {
    says: 'say what it is, or unknown',
    pattern: /(?:[:<|&,=(]|\bas\b|\bkeyof\b)\s*any\b(?!\s*[:(.=])|\bany\s*\[\]/g,
    looksAt: 'code',
    where: CODE,
  },
  'the compiler is not silenced': {
    says: 'no ts-ignore, ts-expect-error or ts-nocheck',
    pattern: /@ts-(?:ignore|expect-error|nocheck)/g,
    looksAt: 'text',
    where: CODE,
    except: THE_RULES,
  },
  'no leftovers': {
    says: 'finish it, or write it down where work is planned',
    pattern: /\b(?:todo|fixme|xxx|hack|stub(?:bed)?|not implemented)\b|(?<!::)\bplaceholder\b(?!\s*=)/gi,
    looksAt: 'text',
    where: EVERYTHING,
    except: [...THE_RULES, 'package-lock.json', 'LICENSE'],
  },
  'exports have names': {
    says: 'no default exports and no barrels',
    pattern: /\bexport\s+default\b|\bas\s+default\b|\bexport\s*\*/g,
    looksAt: 'code',
    where: CODE,
    // node:test loads a reporter by its default export.
    except: ['**/*.config.ts', 'test/run/reporter.ts'],
  },
  'no test runs alone or sits out without a reason': {
    says: "no .only and no .skip; leave a test out with { skip: 'why' }",
    pattern:
      /\b(?:test|it|describe|suite)\s*\.\s*(?:only|skip|todo)\b|\b(?:only|skip|todo)\s*:\s*true\b|\.skip\s*\(\s*\)/g,
    looksAt: 'code',
    where: TESTS,
  },
  'no test is tried again': {
    says: 'a test that fails sometimes is a bug',
    pattern: /(?<!\.)\bretry\s*\(|\bretr(?:y|ies)\s*:/gi,
    looksAt: 'code',
    where: TESTS,
  },
  'the repository runs anywhere': {
    says: 'no path of one machine',
    pattern: /(?<![\w.@-])\/(?:work|root|home\/\w+|Users\/\w+)\/[\w.-]/g,
    looksAt: 'text',
    where: EVERYTHING,
    except: THE_RULES,
  },
  'the two views of an order know nothing of each other': {
    says: 'what both show is in a file of its own',
    pattern: /from '\.\/v[12]-[a-z]+\.ts'/g,
    looksAt: 'text',
    where: ['src/life/order/view/v1-status.ts', 'src/life/order/view/v2-customer.ts'],
  },
  'HTML is put into a page in one place': {
    says: 'through the policy of web/client/live.ts alone',
    pattern:
      /\b(?:innerHTML|outerHTML|insertAdjacentHTML|createContextualFragment|setHTMLUnsafe|dangerouslySetInnerHTML|parseFromString)\b|\bdocument\s*\.\s*write/g,
    looksAt: 'code',
    where: ['web/**'],
    except: ['web/client/live.ts'],
  },
  'pages have no inline style and no inline handler': {
    says: 'the policy of the pages forbids them: use a class, and a script of web/client',
    pattern: /(?<=\s)style=|(?<=\s)on[A-Za-z]+=(?=["'{`])/g,
    looksAt: 'code',
    where: ['web/**/*.tsx'],
  },
  'the lock file names no host': {
    says: 'installs resolve where the reader resolves, not where we did; a package of our own lies where it lies',
    pattern: /"resolved": (?!"[a-z/]+",\s+"link": true)/g,
    looksAt: 'text',
    where: ['package-lock.json'],
  },
} as const satisfies Record<string, Ban>;
