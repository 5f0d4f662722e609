import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MAX_ADDRESS_CHARS } from '../../src/kernel/limits.ts';
import { BITCOIN, LITECOIN } from '../../src/world/chains/bitcoin/networks.ts';
import { BITCOIN_DEFAULTS, bitcoinRules } from '../../src/world/chains/bitcoin/rules.ts';
import type { ChainRules } from '../../src/world/chains/chain.ts';
import { EVM_NETWORKS } from '../../src/world/chains/evm/networks.ts';
import { evmRules } from '../../src/world/chains/evm/rules.ts';
import { MONERO_DEFAULTS, moneroRules } from '../../src/world/chains/monero/rules.ts';
import { solanaRules } from '../../src/world/chains/solana/rules.ts';
import { tronRules } from '../../src/world/chains/tron/rules.ts';
import { ZCASH_DEFAULTS, zcashRules } from '../../src/world/chains/zcash/rules.ts';
import { parseVenueAddress } from '../../src/world/venues/hyperliquid/address.ts';

const RULES: readonly ChainRules[] = [
  ...EVM_NETWORKS.map(evmRules),
  bitcoinRules({ ...BITCOIN_DEFAULTS, network: BITCOIN }),
  bitcoinRules({ ...BITCOIN_DEFAULTS, network: LITECOIN }),
  moneroRules(MONERO_DEFAULTS),
  solanaRules,
  tronRules(),
  zcashRules(ZCASH_DEFAULTS),
];

const MEGABYTE = 1_000_000;
const DECIDES_WITHIN_MS = 5;
/** Beginnings that lead a parser into its longest work, and letters of every alphabet in use. */
const BAITS = [
  'a',
  '1',
  '0x',
  'f',
  'z',
  '4',
  '8',
  'T',
  't1',
  't3',
  'u1',
  'zs1',
  'bc1q',
  'bc1p',
  'BC1',
  ' ',
  '\u0000',
  '💸',
];

/** The best of a few runs: a busy machine slows some of them, a slow parser all. */
function fastestMs(work: () => void): number {
  const runs = Array.from({ length: 5 }, () => {
    const start = performance.now();
    work();
    return performance.now() - start;
  });
  return Math.min(...runs);
}

function decidesAtOnce(name: string, parse: (text: string) => unknown, example: string): void {
  for (const bait of [...BAITS, example, example.slice(0, -1)]) {
    for (const length of [MAX_ADDRESS_CHARS, MEGABYTE]) {
      const filled = bait.repeat(Math.ceil(length / bait.length));
      const endless = `${bait}${(bait.at(-1) ?? '').repeat(length)}`;
      for (const text of [filled, endless]) {
        const ms = fastestMs(() => assert.equal(parse(text), undefined, name));
        assert.ok(ms < DECIDES_WITHIN_MS, `${name}: ${ms} ms for ${length} characters like ${JSON.stringify(bait)}`);
      }
    }
  }
}

for (const rules of RULES) {
  const { name, addressExample } = rules.facts;
  test(`${name} decides about any text at once`, () => {
    assert.ok(rules.parseAddress(addressExample));
    decidesAtOnce(`an address of ${name}`, rules.parseAddress, addressExample);
    decidesAtOnce(`a token of ${name}`, rules.parseToken, addressExample);
  });
}

test('the venue decides about any text at once', () => {
  decidesAtOnce('an address of the venue', parseVenueAddress, '0x52908400098527886E0F7030069857D2E4169EE7');
});
