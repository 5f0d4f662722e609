import { createHash, randomBytes } from 'node:crypto';
import { assert, present } from '../../../src/kernel/assert.ts';
import { Fault } from '../../../src/kernel/fault.ts';
import type { Address } from '../../../src/kernel/ids.ts';
import { parseTronAddress, tronAddressOfKey, tronHex } from '../../../src/world/chains/tron/codec.ts';
import { TRX_ASSET, tronRules, USDT_ASSET } from '../../../src/world/chains/tron/rules.ts';
import type { Keeping } from '../../keeping.ts';
import { type BoxChain, type Received, shortOf } from '../../place.ts';
import { balanceName, existsName } from './execution.ts';
import { BUSY, Invalid } from './invalid.ts';
import { Ledger, type LedgerState, type Mined, type Pace, type TronChange } from './ledger.ts';
import { addressWord, type Code, type Codes } from './machine.ts';
import { replies } from './replies.ts';
import { serve } from './server.ts';
import { Store } from './store.ts';
import { SUPPLY_NAME, TRANSFER_TOPIC, tetherCode, tokenBalanceName } from './token.ts';
import { SandboxWallet } from './wallet.ts';
import type { WireTx } from './wire-tx.ts';

export type TronSnapshot = LedgerState;

export interface TronSimulatorOptions extends Partial<Pace> {
  /** A network that goes on where it was. */
  readonly snapshot?: TronSnapshot;
  readonly keeping?: Keeping<TronChange>;
  readonly port?: number;
}

export interface TronWorld extends BoxChain {
  readonly customer: SandboxWallet;
  /** Holds the coins that nobody else has, and owns the token. */
  readonly issuer: SandboxWallet;
  readonly ledger: Ledger;
  /** New money for anyone, in a block when this resolves. */
  fund(address: string, token: string, amount: bigint): Promise<void>;
  /** Freezes an account of the token, or thaws it. */
  blacklist(address: string, isListed: boolean): Promise<void>;
  /** A contract, from the next call on; it is not kept. */
  deploy(address: Address, code: Code): void;
  send(tx: WireTx): string;
  snapshot(): TronSnapshot;
  close(): Promise<void>;
}

/** Play money, so anyone may know its keys. */
const keyOf = (name: string): Uint8Array => createHash('sha256').update(`sandbox ${name}`).digest();
const ISSUER_KEY = keyOf('tron issuer');
const CUSTOMER_KEY = keyOf('tron customer');

const FRESH_WALLETS = 4;
const TRX_SUN = 10n ** 6n;
const START = { issuer: 10n ** 9n * TRX_SUN, customer: 10n ** 8n * TRX_SUN, tokens: 10n ** 9n * 10n ** 6n };
const TETHER = tronHex(present(parseTronAddress(USDT_ASSET.token), 'USDT'));

/** A Tron network in memory behind the HTTP interface of a full node, with a customer that has money. */
export async function startTronSimulator(options: TronSimulatorOptions = {}): Promise<TronWorld> {
  const store = new Store();
  const codes: Codes = new Map();
  const { snapshot, keeping, port, ...pace } = options;
  firstMoney(store, codes);
  const ledger = new Ledger(store, codes, { now: Date.now, ...pace }, snapshot, keeping);
  const [issuer, customer] = [new SandboxWallet(ISSUER_KEY, ledger), new SandboxWallet(CUSTOMER_KEY, ledger)];
  const server = await serve(replies({ store, codes, ledger }), port);
  const { facts, parseAddress, parseToken } = tronRules();
  let rhythm: NodeJS.Timeout | undefined;

  const pay = (from: SandboxWallet, token: string, to: string, amount: bigint): Promise<WireTx> =>
    token === TRX_ASSET.token ? from.payCoin(to, amount) : from.payToken(token, to, amount);
  const send = (tx: WireTx): string => {
    ledger.accept(tx);
    return tx.id;
  };
  const setAutomine = async (intervalMs: number) => {
    clearInterval(rhythm);
    rhythm = intervalMs > 0 ? setInterval(() => ledger.mine(1), intervalMs).unref() : undefined;
  };

  return {
    ...{ chainId: facts.id, name: facts.name, kind: 'simulated', tokens: facts.assets },
    ...{ rpcUrl: server.url, parseAddress, parseToken, customer, issuer, ledger, send, setAutomine },
    customerAddress: customer.address,
    // Whoever pays out to an address of its own can tell one payout from the next.
    wallets: async () => [
      customer.address,
      ...Array.from({ length: FRESH_WALLETS }, () => tronAddressOfKey(randomBytes(32))),
    ],
    mine: async (blocks) => ledger.mine(blocks),
    reorg: async (depth, drop) => ledger.reorg(depth, drop),
    async pay({ token, to, atoms }) {
      const own = tronHex(present(parseTronAddress(customer.address), customer.address));
      const held = store.get(token === TRX_ASSET.token ? balanceName(own) : `${TETHER}/${tokenBalanceName(own)}`);
      if (held < atoms) throw shortOf(atoms, held);
      if (to === customer.address && token === TRX_ASSET.token) throw no('Cannot transfer TRX to yourself.');
      const tx = await pay(customer, token, to, atoms);
      try {
        return { txHash: send(tx), from: customer.address };
      } catch (error) {
        throw error instanceof Invalid && error.code !== BUSY ? no(error.message) : error;
      }
    },
    received: async (token, address) => receivedBy(ledger, token, address),
    async fund(address, token, amount) {
      send(await pay(issuer, token, address, amount));
      ledger.mine(1);
    },
    async blacklist(address, isListed) {
      const method = isListed ? 'addBlackList(address)' : 'removeBlackList(address)';
      send(await issuer.call(USDT_ASSET.token, method, [{ type: 'address', value: address }]));
      ledger.mine(1);
    },
    deploy: (address, code) => void codes.set(tronHex(address), code),
    snapshot: () => ledger.snapshot(),
    async close() {
      await setAutomine(0);
      await server.stop();
    },
  };
}

const no = (message: string): Fault => new Fault('permanent', 'sandbox', message);

/** What is there before the first block is the same in every network; all later money moves by transactions. */
function firstMoney(store: Store, codes: Codes): void {
  const [issuer, customer] = [tronAddressOfKey(ISSUER_KEY), tronAddressOfKey(CUSTOMER_KEY)].map(tronHex);
  assert(issuer && customer, 'two accounts');
  for (const [account, coins] of [
    [issuer, START.issuer],
    [customer, START.customer],
  ] as const) {
    store.set(existsName(account), 1n);
    store.set(balanceName(account), coins);
    store.set(`${TETHER}/${tokenBalanceName(account)}`, START.tokens);
  }
  store.set(`${TETHER}/${SUPPLY_NAME}`, 2n * START.tokens);
  codes.set(TETHER, tetherCode(issuer));
}

function receivedBy(ledger: Ledger, token: string, address: string): Received {
  const payee = tronHex(present(parseTronAddress(address), address));
  const contract = token === TRX_ASSET.token ? undefined : tronHex(present(parseTronAddress(token), token)).slice(2);
  const transfers = ledger.blocks.flatMap(({ height, mined }) =>
    mined.flatMap((one) => amountsTo(one, payee, contract).map((amount) => ({ txHash: one.tx.id, amount, height }))),
  );
  return { total: transfers.reduce((sum, { amount }) => sum + amount, 0n), transfers };
}

function amountsTo({ tx: { ask }, receipt }: Mined, payee: string, contract: string | undefined): readonly bigint[] {
  if (receipt.contractRet !== 'SUCCESS') return [];
  if (!contract) return ask.kind === 'TransferContract' && ask.to === payee ? [ask.amount] : [];
  return receipt.logs
    .filter(({ address, topics }) => address === contract && topics[0] === TRANSFER_TOPIC)
    .filter(({ topics }) => topics[2] === addressWord(payee))
    .map(({ data }) => BigInt(`0x${data}`));
}
