import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { COMMANDS } from '../../src/app/commands.ts';
import { present } from '../../src/kernel/assert.ts';
import { assetId, chainId } from '../../src/kernel/ids.ts';
import { SCOPES, stopsOf, TRIP_KINDS, type TripKind, type TripOf } from '../../src/life/trip/trip.ts';
import { BRIDGED, DIRECTIONS } from '../../src/operator/switch-calls.ts';
import { coinOf } from '../../src/world/chains/chain.ts';
import { EVM_NETWORKS } from '../../src/world/chains/evm/networks.ts';
import { FAMILIES } from '../../src/world/chains/index.ts';
import { VENUE } from '../../src/world/venues/index.ts';

const PAGE = readFileSync(new URL('../../docs/OPERATING.md', import.meta.url), 'utf8');
const EXAMPLE = JSON.parse(readFileSync(new URL('../../examples/desk.json', import.meta.url), 'utf8'));

const url = 'http://127.0.0.1:1';
const confirmations = { small: 1, large: 1 };
/** Every chain that the product knows, by the key that its settings have. */
const EVERY_CHAIN: Readonly<Record<string, unknown>> = {
  monero: {
    ...{ daemonUrl: url, spendWallet: { url, login: 'a:b', password: 'x' } },
    ...{ restoreHeight: 0, confirmations, outputPool: 1 },
  },
  evm: EVM_NETWORKS.map(({ facts }) => ({ chainId: facts.id, rpcUrl: url })),
  bitcoin: { network: 'mainnet', rpcUrl: url, confirmations },
  litecoin: { network: 'mainnet', rpcUrl: url, confirmations },
  solana: { rpcUrl: url },
  tron: { nodeUrl: url },
  zcash: {
    nodeUrl: url,
    viewWalletUrl: url,
    spendWalletUrl: url,
    walletLogin: 'a:b',
    accountUuid: 'x',
    confirmations: 1,
  },
};

const CHAINS = FAMILIES.flatMap((family) =>
  Object.keys(family.settings).flatMap((key) =>
    family
      .chains({ [key]: present(EVERY_CHAIN[key], `settings of ${key}`) })
      .map(({ rules: { facts } }) => ({ key, facts, coin: coinOf(facts) })),
  ),
);

const code = (text: string | number): string => `\`${text}\``;

/** A table as it stands on the page, each row as its cells. */
function tableAfter(heading: string): readonly (readonly string[])[] {
  const [, rows = ''] = new RegExp(`\\| ${heading} +\\|.*\\n\\|[-| ]+\\|\\n((?:\\|.*\\n)*)`).exec(PAGE) ?? [];
  return rows
    .trimEnd()
    .split('\n')
    .map((row) =>
      row
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );
}

/** As it ought to stand there. */
const shown = (rows: readonly (readonly string[])[]): string => rows.map((row) => `| ${row.join(' | ')} |`).join('\n');
const matches = (heading: string, rows: readonly (readonly string[])[], columns: number): void =>
  assert.equal(shown(tableAfter(heading).map((row) => row.slice(0, columns))), shown(rows));

test('the table of chains has every chain with its id, its coin and where it is configured', () => {
  const rows = CHAINS.map(({ key, facts, coin }) => [code(facts.id), facts.name, coin.symbol, code(`chains.${key}`)]);
  matches('Chain id', [...rows, [code(VENUE.chainId), 'the venue', VENUE.home.symbol, code('venue')]], 4);
});

test('the table of assets has every asset with its id and its decimals', () => {
  const rows = CHAINS.flatMap(({ facts }) =>
    facts.assets.map(({ id, symbol, decimals }) => [code(id), symbol, String(decimals), facts.name]),
  );
  const xmr1 = assetId(VENUE.chainId, EXAMPLE.venue.baseTokenId);
  const onVenue = [
    [code(VENUE.coin), VENUE.home.symbol, String(VENUE.decimals), 'the venue'],
    [code(xmr1), `${VENUE.baseSymbol}1`, String(VENUE.decimals), 'the venue'],
  ];
  matches('Asset id', [...rows, ...onVenue], 4);
});

test('the tables of switches name every breaker and every bridge', () => {
  matches(
    'Scope',
    [...SCOPES, 'chain:<id>', 'provider:<name>'].map((scope) => [code(scope)]),
    1,
  );
  matches(
    'Bridge',
    BRIDGED.flatMap((asset) => DIRECTIONS.map((way) => [code(`${asset}/${way}`)])),
    1,
  );
});

const figures = { level: 2n, most: 1n };
/** One of each, complete by type, with the settings that bound it. */
const TRIPS: { readonly [K in TripKind]: { readonly one: TripOf<K>; readonly settings: readonly string[] } } = {
  books_apart: { one: { trip: 'books_apart', assets: [], ...figures }, settings: ['breakers.driftUsd'] },
  money_lost: {
    one: { trip: 'money_lost', hours: 1, ...figures },
    settings: ['breakers.lossPerHourUsd', 'breakers.lossPerDayUsd'],
  },
  price_apart: {
    one: { trip: 'price_apart', symbol: 'XMR', isTraded: true, venue: '1', providers: '2', ...figures },
    settings: ['breakers.priceApartPercent'],
  },
  credit_orphaned: {
    one: { trip: 'credit_orphaned', chain: chainId(1), orders: 1, ...figures },
    settings: ['caution.orphanedUsd'],
  },
  round_failing: {
    one: { trip: 'round_failing', round: 'scan Ethereum', stops: 'chain:1', ...figures },
    settings: ['breakers.roundFailingMinutes'],
  },
  deliveries_short: {
    one: { trip: 'deliveries_short', provider: 'acme', last: 'x', ...figures },
    settings: ['serving.shortDeliveries'],
  },
  signer_refused: {
    one: { trip: 'signer_refused', refused: 'nonce_taken', intent: 'x', ...figures },
    settings: ['breakers.signerRefusals'],
  },
};

test('the table of trips names every kind, the breaker that it opens and the settings that bound it', () => {
  const scopes = (scope: string) =>
    code(scope.replace('chain:1', 'chain:<id>').replace('provider:acme', 'provider:<name>'));
  const said = tableAfter('Trip').map(([kind, opens, , settings]) => [kind, opens?.split(', or ')[0], settings]);
  assert.deepEqual(
    said,
    TRIP_KINDS.map((kind) => [code(kind), scopes(stopsOf(TRIPS[kind].one)), TRIPS[kind].settings.map(code).join(', ')]),
  );
});

test('the table of commands says of each what it says of itself', () => {
  matches(
    'Command',
    COMMANDS.map(({ name, summary }) => [code(`wherry ${name}`), summary]),
    2,
  );
});

test('every command and option on the page exists', () => {
  const known = new Map(COMMANDS.map((command) => [command.name, command]));
  const lines = [...PAGE.matchAll(/(?:^|[`(;]|sudo -u \S+ )\s*wherry ([a-z][^`\n|;)]*)/gm)].map(([, line = '']) =>
    line.trim(),
  );
  assert.ok(lines.length > 15);
  for (const line of lines) {
    const words = line.split(/\s+/);
    const command = known.get(words.slice(0, 2).join(' ')) ?? known.get(words[0] ?? '');
    assert.ok(command, line);
    for (const [, option = ''] of line.matchAll(/--([a-z-]+)/g)) {
      assert.ok(['json', 'help'].includes(option) || option in (command.options ?? {}), line);
    }
  }
});
