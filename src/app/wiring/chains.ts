import { present } from '../../kernel/assert.ts';
import { FEE_FIELDS, type FeeField } from '../../kernel/fee-field.ts';
import type { Address, ChainId } from '../../kernel/ids.ts';
import { MAX_ADDRESS_CHARS } from '../../kernel/limits.ts';
import { refuse } from '../../kernel/refusal.ts';
import type { FeeAddressParser, FeeAddressParsers } from '../../partners/fee-address.ts';
import type { SignerClient } from '../../signer/client.ts';
import type { PublicKeys } from '../../signer/request.ts';
import type { Asset, Chain, ChainRules } from '../../world/chains/chain.ts';
import type {
  Busy,
  ConfiguredChain,
  DepositBook,
  OutputPool,
  Placing,
  Surroundings,
} from '../../world/chains/family.ts';
import { FAMILIES } from '../../world/chains/index.ts';
import { type Opinions, withSecond } from '../../world/chains/second-opinion.ts';
import type { Outbound } from '../../world/outbound/http.ts';
import { VENUE } from '../../world/venues/index.ts';
import type { Config } from '../config.ts';
import { type ChainLater, openChainLater, openWitnessLater } from './open-later.ts';

/** Every chain of the settings but the venue. */
export const chainsOf = ({ chains }: Config): readonly ConfiguredChain[] =>
  FAMILIES.flatMap((family) => family.chains(chains));

/** The pure half of every chain but the venue. */
export const rulesOf = (config: Config): readonly ChainRules[] => chainsOf(config).map(({ rules }) => rules);

export const assetsOf = (config: Config): readonly Asset[] => rulesOf(config).flatMap(({ facts }) => facts.assets);

/** The account that pays out on each chain, the venue included. */
export const hotAddresses = (config: Config, keys: PublicKeys): ReadonlyMap<ChainId, Address> =>
  new Map([
    ...rulesOf(config).map(({ facts }) => [facts.id, keysOf(keys, facts.family).hot] as const),
    [VENUE.chainId, keysOf(keys, VENUE.family).hot],
  ]);

export const keysOf = (keys: PublicKeys, family: string) => present(keys[family], `the signer's keys of ${family}`);

/** What chains must know of our own books. */
export interface ChainBooks {
  deposits(family: string): DepositBook;
  readonly busy: Busy;
}

export interface OpenChain {
  readonly chain: Chain;
  readonly scanFrom: number | undefined;
  readonly outputPool: OutputPool | undefined;
}

/** Whom chains talk to, and what they must know of us. */
export interface ChainParts {
  readonly keys: PublicKeys;
  readonly signer: SignerClient;
  readonly books: ChainBooks;
  readonly outbound: Outbound;
  /** Who is asked where a chain has two nodes. */
  opinions?(chain: ChainId): Opinions;
}

const opening = <Opened>(
  { rules, open }: Pick<ConfiguredChain, 'rules'> & { open(around: Surroundings): Promise<Opened> },
  { keys, signer, books, outbound }: ChainParts,
) => {
  const { family, id } = rules.facts;
  return () =>
    open({
      keys: keysOf(keys, family),
      spendSide: {
        depositAddresses: (first, count) => signer.depositAddresses(family, first, count),
        balance: () => signer.balance(family),
        signedFor: (hash) => signer.signedFor(id, hash),
      },
      deposits: books.deposits(family),
      busy: books.busy,
      outbound,
    });
};

/** Every configured chain but the venue. Opens ready or not at all. */
export function openChains(config: Config, parts: ChainParts): Promise<readonly OpenChain[]> {
  return Promise.all(
    chainsOf(config).map(async (one) => {
      const { scanFrom, outputPool } = one;
      return { chain: await opening(one, parts)(), scanFrom, outputPool };
    }),
  );
}

/** Every configured chain but the venue, each open as soon as its node answers. */
export const openChainsLater = (config: Config, parts: ChainParts): readonly (OpenChain & ChainLater)[] =>
  chainsOf(config).map((one) => {
    const { rules, scanFrom, outputPool, second: other } = one;
    const { hot } = keysOf(parts.keys, rules.facts.family);
    const opinions = other && parts.opinions?.(rules.facts.id);
    if (!opinions) return { ...openChainLater(rules, hot, opening(one, parts)), scanFrom, outputPool };
    const second = openWitnessLater(rules.facts.id, opening({ rules, open: other.open }, parts));
    const open = async () => withSecond(await opening(one, parts)(), second.witness, opinions);
    return { ...openChainLater(rules, hot, open, { beside: second }), scanFrom, outputPool };
  });

/** Where contract accounts that sign in are asked. */
const ETHEREUM = 1;
export const ethereumUrl = ({ chains }: Config): string | undefined =>
  FAMILIES.flatMap((family) => family.rpcUrl?.(chains, ETHEREUM) ?? []).at(0);

/**
 * Each family knows best what is an address of its own, whether or not the desk has a chain of it. Addresses of a family are paid on the
 * venue, too, which refuses some of its own.
 */
export function feeAddressParsers(
  { chains }: Config,
  venue: Pick<ChainRules, 'facts' | 'refusesDestination'>,
): FeeAddressParsers {
  const known = FAMILIES.flatMap((family) => family.feeAddress?.(chains) ?? []);
  const parser = (field: FeeField): FeeAddressParser => {
    const { parse, refuses } = present(
      known.find((one) => one.field === field),
      `a family for ${field}`,
    );
    return (text) => {
      const address = text.length > MAX_ADDRESS_CHARS ? undefined : parse(text);
      const reason =
        address &&
        (refuses(address) ?? (venue.facts.feeField === field ? venue.refusesDestination(address) : undefined));
      return reason === undefined ? address : refuse('address_refused', `${field} cannot be paid: ${reason}.`);
    };
  };
  return Object.fromEntries(FEE_FIELDS.map((field) => [field, parser(field)])) as FeeAddressParsers;
}

/** The transaction after which this hot account collects tokens by itself; undefined where no family has one for it. */
export const placingOf = (hot: string): Placing | undefined =>
  FAMILIES.flatMap((family) => family.placing?.(hot) ?? []).at(0);
