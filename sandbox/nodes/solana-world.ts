import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { base58 } from '@scure/base';
import { atoms } from '../../src/kernel/amount.ts';
import { Fault } from '../../src/kernel/fault.ts';
import { type Address, assetId, type TokenId } from '../../src/kernel/ids.ts';
import { solanaAddressOfKey, TOKEN_PROGRAM, tokenAccountOf } from '../../src/world/chains/solana/address-codec.ts';
import {
  mintOf,
  SOLANA_ID,
  STABLE_DECIMALS,
  signSolana,
  solanaUnsigned,
  USDC_MINT,
  USDT_MINT,
} from '../../src/world/chains/solana/codec.ts';
import { solanaRules } from '../../src/world/chains/solana/rules.ts';
import { httpOutbound } from '../../src/world/outbound/http.ts';
import { jsonRpc, type Rpc } from '../../src/world/outbound/json-rpc.ts';
import type { BoxChain, Payment } from '../place.ts';
import { solanaReceived } from './solana-received.ts';

/** A node with Surfpool's commands: `surfnet_setAccount` and `surfnet_timeTravel`. */
export interface SolanaBox {
  readonly kind: 'real' | 'simulated';
  readonly rpcUrl: string;
  stop(): Promise<void>;
}

export interface SolanaWorld extends BoxChain {
  readonly rpc: Rpc;
  readonly genesisHash: string;
  readonly customerAddress: Address;
  /** New money for anyone, final when this resolves. */
  fund(address: Address, token: TokenId, amount: bigint): Promise<void>;
  /** Single slots; `mine` makes as many as it takes for blocks to be final. */
  tick(slots: number): Promise<void>;
  /** Puts an account as it is said to be. */
  setAccount(address: Address, account: PutAccount): Promise<void>;
  close(): Promise<void>;
}

export interface PutAccount {
  readonly lamports: bigint;
  readonly program?: Address;
  readonly data?: Uint8Array;
}

/** A block is final under this many others. */
export const FINALITY_SLOTS = 31;
/** The fewest with which a payment is final after three beats. More would only shorten the life of blockhashes. */
const SLOTS_PER_BEAT = 11;
const FRESH_WALLETS = 4;
const CUSTOMER_KEY = new Uint8Array(32).fill(0xc5);
const START_COINS = 1_000_000n * 10n ** 9n;
const START_TOKENS = 1_000_000_000n * 10n ** 6n;
export const TOKEN_RENT = 2_039_280n;
const MINT_RENT = 1_461_600n;
const MINTS = [USDC_MINT, USDT_MINT];

/** Solana in the box: the two mints at their real addresses, a customer with money, and a hand on the blocks. */
export async function commandSolana(box: SolanaBox): Promise<SolanaWorld> {
  const rpc = jsonRpc({ at: 'solana box', url: box.rpcUrl }, httpOutbound);
  const hand = new Hand(rpc);
  const customer = solanaAddressOfKey(CUSTOMER_KEY);
  const setAccount = (address: Address, account: PutAccount) => putAccount(rpc, address, account);
  if (await isFresh(rpc, customer)) {
    await firstMoney(setAccount, customer);
    // Until the first block is final the node has none to show.
    await hand.tick(FINALITY_SLOTS);
  }

  let payments = 0n;
  const pay = (payment: Payment) =>
    hand.lane(() => {
      payments += 1n;
      return sendPayment(rpc, payment, payments);
    });
  const mine = (blocks: number) => hand.tick(blocks > 0 ? blocks - 1 + FINALITY_SLOTS : 0);
  const { facts, parseAddress, parseToken } = solanaRules;
  return {
    ...{ kind: box.kind, rpcUrl: box.rpcUrl, chainId: facts.id, name: facts.name, tokens: facts.assets },
    ...{ rpc, parseAddress, parseToken, setAccount, mine },
    genesisHash: (await rpc('getGenesisHash')) as string,
    customerAddress: customer,
    // Whoever pays out to an address of its own can tell one payout from the next.
    wallets: async () => [
      customer,
      ...Array.from({ length: FRESH_WALLETS }, () => solanaAddressOfKey(randomBytes(32))),
    ],
    tick: (slots) => hand.tick(slots),
    setAutomine: async (intervalMs) => hand.setRhythm(intervalMs),
    pay: async (payment) => ({ txHash: await pay(payment), from: customer }),
    received: (token, address) => solanaReceived(rpc, accountOf(token, address as Address), token),

    async reorg() {
      throw new Fault('permanent', 'sandbox', 'only final blocks are shown here, and those are never replaced');
    },

    async fund(address, token, amount) {
      await pay({ token, to: address, atoms: amount });
      await mine(1);
    },

    async close() {
      hand.setRhythm(0);
      await hand.lane(() => box.stop());
    },
  };
}

async function isFresh(rpc: Rpc, customer: Address): Promise<boolean> {
  const found = (await rpc('getMultipleAccounts', [[customer], { encoding: 'base64' }])) as { value: unknown[] };
  return found.value[0] === null;
}

async function firstMoney(setAccount: SolanaWorld['setAccount'], customer: Address): Promise<void> {
  await setAccount(customer, { lamports: START_COINS });
  for (const mint of MINTS) {
    await setAccount(mint, { lamports: MINT_RENT, program: TOKEN_PROGRAM, data: mintData(customer) });
    const data = tokenAccountData(mint, customer, START_TOKENS);
    await setAccount(tokenAccountOf(customer, mint), { lamports: TOKEN_RENT, program: TOKEN_PROGRAM, data });
  }
}

const accountOf = (token: string, wallet: Address): Address => {
  const mint = mintOf(assetId(SOLANA_ID, token as TokenId));
  return mint ? tokenAccountOf(wallet, mint) : wallet;
};

async function putAccount(rpc: Rpc, address: Address, { lamports, program, data }: PutAccount): Promise<void> {
  // Exact: nobody in the box owns nine million coins.
  const fields = { lamports: Number(lamports), ...(program ? { owner: program } : {}) };
  const hex = data ? { data: Buffer.from(data).toString('hex') } : {};
  await rpc('surfnet_setAccount', [address, { ...fields, ...hex }]);
}

/** Equal payments on one blockhash would be one and the same transaction: each offers a little more for its units. */
async function sendPayment(rpc: Rpc, { token, to, atoms: amount }: Payment, unitPrice: bigint): Promise<string> {
  const customer = solanaAddressOfKey(CUSTOMER_KEY);
  const latest = (await rpc('getLatestBlockhash', [{ commitment: 'finalized' }])) as { value: { blockhash: string } };
  const payment = { asset: assetId(SOLANA_ID, token as TokenId), atoms: atoms(amount), to: to as Address };
  const fee = {
    blockhash: latest.value.blockhash,
    lastValidBlockHeight: '0',
    unitLimit: '100000',
    unitPrice: unitPrice.toString(),
    accountRent: TOKEN_RENT.toString(),
  };
  const { raw } = signSolana(solanaUnsigned({ ...payment, fee }, customer, customer), [CUSTOMER_KEY]);
  const bytes = Buffer.from(raw, 'hex').toString('base64');
  return (await rpc('sendTransaction', [bytes, { encoding: 'base64' }])) as string;
}

/** A mint whose issuer may also freeze. */
function mintData(issuer: Address): Uint8Array {
  const data = Buffer.alloc(82);
  data.writeUInt32LE(1, 0);
  data.set(base58.decode(issuer), 4);
  data.writeBigUInt64LE(START_TOKENS, 36);
  data.set([STABLE_DECIMALS, 1], 44);
  data.writeUInt32LE(1, 46);
  data.set(base58.decode(issuer), 50);
  return data;
}

export function tokenAccountData(mint: Address, owner: Address, amount: bigint, state: 'open' | 'frozen' = 'open') {
  const data = Buffer.alloc(165);
  data.set(base58.decode(mint), 0);
  data.set(base58.decode(owner), 32);
  data.writeBigUInt64LE(amount, 64);
  data[108] = state === 'open' ? 1 : 2;
  return data;
}

/** Whatever changes the node goes through its lane, one thing after the other. */
class Hand {
  readonly #rpc: Rpc;
  #last: Promise<unknown> = Promise.resolve();
  #rhythm = 0;

  constructor(rpc: Rpc) {
    this.#rpc = rpc;
  }

  lane<T>(work: () => Promise<T>): Promise<T> {
    const next = this.#last.then(work, work);
    this.#last = next.catch(() => undefined);
    return next;
  }

  /** One slot at a time: a longer journey would make one block of many slots. */
  tick(slots: number): Promise<void> {
    return this.lane(async () => {
      const now = (await this.#rpc('getSlot', [{ commitment: 'processed' }])) as number;
      for (let slot = now + 1; slot <= now + slots; slot += 1) {
        await this.#rpc('surfnet_timeTravel', [{ absoluteSlot: slot }]);
      }
    });
  }

  /** Some slots every so many milliseconds; 0: none by themselves. */
  setRhythm(intervalMs: number): void {
    this.#rhythm += 1;
    if (intervalMs > 0) void this.#beat(this.#rhythm, intervalMs);
  }

  async #beat(rhythm: number, intervalMs: number): Promise<void> {
    for (;;) {
      await pause(intervalMs, undefined, { ref: false });
      if (rhythm !== this.#rhythm) return;
      // What fails (a node that is being stopped) is only late: the next beat tries again.
      await this.tick(SLOTS_PER_BEAT).catch(() => undefined);
    }
  }
}
