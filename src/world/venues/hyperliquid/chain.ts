import type { Account } from '../../../kernel/account.ts';
import { atoms } from '../../../kernel/amount.ts';
import { assert, present } from '../../../kernel/assert.ts';
import type { Clock } from '../../../kernel/clock.ts';
import type { Address } from '../../../kernel/ids.ts';
import { ADDRESSES_PER_CALL } from '../../../kernel/limits.ts';
import { remember } from '../../../kernel/remember.ts';
import type { Chain } from '../../chains/chain.ts';
import type { Outbound } from '../../outbound/http.ts';
import { STRANGER } from './address.ts';
import { asker, poster } from './ask.ts';
import { openStatus } from './attempts.ts';
import { openDesk } from './desk.ts';
import { paidBy } from './paid-by.ts';
import { venueRules } from './rules.ts';
import { openScan } from './scan.ts';
import { standingSightings } from './standing.ts';
import { transferTerms } from './terms.ts';
import { assetOf, pickTokens, readSpotMeta } from './tokens.ts';
import { bodyOf, venueDepositAddresses } from './transfer-codec.ts';
import type { ListAccounts } from './watch.ts';

export interface VenueChainConfig {
  /** Without a trailing slash: `https://api.hyperliquid.xyz`. */
  readonly url: string;
  /** The hot account: the one that trades. */
  readonly account: Address;
  /** Extended public key whose child i receives deposits under index i. */
  readonly xpub: string;
  /** Ids of the tokens that are taken and paid here, beside USDC. */
  readonly tokenIds: readonly string[];
  readonly accounts: ListAccounts;
  readonly pageMs?: number;
}

/** After an outage no page asks anybody twice. */
const PAGE_MS = 3_600_000;
/** The hot account is asked about one token after the other; what we send ourselves is seen at once. */
const HOLDINGS_KEEP_MS = 500;

/** The venue as one more chain: deposits come to accounts of their own, and whatever is sent there is final at once. */
export async function openVenueChain(config: VenueChainConfig, outbound: Outbound, clock: Clock): Promise<Chain> {
  const { url, account: hot, accounts, pageMs = PAGE_MS } = config;
  const ask = asker(url, outbound);
  const tokens = pickTokens((await readSpotMeta(ask)).tokens, config.tokenIds);
  const desk = openDesk(ask, clock, hot, tokens);
  const rules = venueRules(tokens.map(assetOf));
  const post = poster(url, outbound);
  const depositAddress = venueDepositAddresses(config.xpub);
  const addressOf = (account: Account): Address => (account === 'hot' ? hot : depositAddress(account.deposit));
  const askHot = () => remember(() => desk.holdings(hot), HOLDINGS_KEEP_MS, clock);
  let hotHoldings = askHot();

  return {
    ...rules,
    hotAddress: hot,
    stranger: STRANGER,

    async depositAddresses(first, count) {
      assert(count >= 0 && count <= ADDRESSES_PER_CALL, `${count} addresses in one call`);
      return Array.from({ length: count }, (_, i) => depositAddress(first + i));
    },

    scan: openScan({ desk, accounts, pageMs, isPayable: (address) => rules.refusesDestination(address) === undefined }),
    depositDepth: (height, { finalized }) => ({ have: height <= finalized ? 1 : 0, need: 1 }),
    standing: (sightings) => standingSightings(desk, sightings),
    terms: (transfer) => transferTerms(desk, ask, addressOf(transfer.from), transfer, rules.refusesDestination),
    async broadcast({ raw }) {
      await post(bodyOf(raw));
      hotHoldings = askHot();
      // Its answer is not even read: an error is no sign that nothing was done.
      return undefined;
    },
    status: openStatus(desk),
    paidBy: (transfer, named) => paidBy(desk, addressOf(transfer.from), transfer, named),

    async balance(account, asset) {
      const holdings = await (account === 'hot' ? hotHoldings() : desk.holdings(addressOf(account)));
      const { total, free } = present(
        holdings.find((one) => one.asset === asset),
        `venue token ${asset}`,
      );
      return { spendable: free, locked: atoms(total - free) };
    },

    close: async () => {},
  };
}
