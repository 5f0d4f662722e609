import { createHash } from 'node:crypto';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { Transaction } from '@scure/btc-signer';
import { Fault } from '../../src/kernel/fault.ts';
import type { Address } from '../../src/kernel/ids.ts';
import { lesser, ratioFromDecimal, scaleInt } from '../../src/kernel/ratio.ts';
import { addressOfPublicKey, scriptOfAddress } from '../../src/world/chains/bitcoin/address-codec.ts';
import type { BitcoinNetwork } from '../../src/world/chains/bitcoin/networks.ts';
import {
  COINBASE_DEPTH,
  outPointText,
  parseTransaction,
  type TxOutput,
} from '../../src/world/chains/bitcoin/tx-codec.ts';
import type { Rpc } from '../../src/world/outbound/json-rpc.ts';
import { shortOf } from '../place.ts';

interface WalletOutput {
  readonly txid: string;
  readonly vout: number;
  readonly atoms: bigint;
}

const REPLACEABLE = 0xffff_fffd;
/** For a virtual byte, a little above the least that a node of Litecoin passes on. Nodes estimate fees from what is paid, and a desk pays what they say. */
const FEE_RATE = 12n;
/** No less than what these take: the rest of a transaction, an input that pays to a key's hash, an output of any usual kind. */
const BYTES = { rest: 11n, input: 69n, output: 43n };
/** What a rival pays, so that it takes the place of several payments at once. */
const RIVAL_FEE = 500_000n;
/** Smaller change is left to the miner: above every limit of dust. */
const LEAST_CHANGE = 10_000n;

const feeOf = (inputs: number, outputs: number): bigint =>
  FEE_RATE * (BYTES.rest + BYTES.input * BigInt(inputs) + BYTES.output * BigInt(outputs));

/** A JSON number of coins in atoms, exactly. */
export const atomsOf = (coins: number): bigint => scaleInt(10n ** 8n, ratioFromDecimal(String(coins)), 'down');

/** One key with play money; it signs by another implementation than the service does. */
export class BitcoinWallet {
  readonly #network: BitcoinNetwork;
  readonly #rpc: Rpc;
  readonly #key: Uint8Array;
  readonly address: Address;
  readonly #script: string;

  constructor(network: BitcoinNetwork, rpc: Rpc, name: string) {
    this.#network = network;
    this.#rpc = rpc;
    this.#key = createHash('sha256').update(`sandbox ${name}`).digest();
    this.address = addressOfPublicKey(network, secp256k1.getPublicKey(this.#key));
    this.#script = scriptOfAddress(network, this.address);
  }

  /** All in one transaction, which waits in the pool. */
  async pay(...payments: readonly { readonly to: string; readonly atoms: bigint }[]): Promise<string> {
    const outputs = payments.map(({ to, atoms }) => ({ script: scriptOfAddress(this.#network, to as Address), atoms }));
    const due = outputs.reduce((sum, { atoms }) => sum + atoms, 0n);
    const needed = (inputs: number) => due + feeOf(inputs, outputs.length + 1);
    const coins = await this.#coinsFor(needed);
    const change = coins.reduce((sum, { atoms }) => sum + atoms, 0n) - needed(coins.length);
    if (change >= LEAST_CHANGE) outputs.push({ script: this.#script, atoms: change });
    return this.#send(coins, outputs);
  }

  /** Takes the place of a payment of this wallet that is in no block, whether it waits for one or not; false for anybody else's. */
  async outdo(raw: string): Promise<boolean> {
    const { inputs } = parseTransaction(raw);
    const coins: WalletOutput[] = [];
    for (const { txid: from, vout } of inputs) {
      const spent = parseTransaction((await this.#rpc('getrawtransaction', [from])) as string).outputs[vout];
      if (spent?.script !== this.#script) return false;
      coins.push({ txid: from, vout, atoms: spent.atoms });
    }
    const total = coins.reduce((sum, { atoms }) => sum + atoms, 0n);
    await this.#send(coins, [{ script: this.#script, atoms: total - lesser(RIVAL_FEE, total / 2n) }]);
    return true;
  }

  async #send(coins: readonly WalletOutput[], outputs: readonly TxOutput[]): Promise<string> {
    const tx = new Transaction({ allowUnknownOutputs: true });
    const script = Buffer.from(this.#script, 'hex');
    for (const { txid, vout, atoms } of coins) {
      tx.addInput({ txid, index: vout, sequence: REPLACEABLE, witnessUtxo: { script, amount: atoms } });
    }
    for (const output of outputs) tx.addOutput({ script: Buffer.from(output.script, 'hex'), amount: output.atoms });
    tx.sign(this.#key);
    tx.finalize();
    return (await this.#rpc('sendrawtransaction', [tx.hex])) as string;
  }

  /** Oldest first: what a reorganisation takes back is then seldom what a later payment has spent. */
  async #coinsFor(needed: (inputs: number) => bigint): Promise<readonly WalletOutput[]> {
    const coins: WalletOutput[] = [];
    let total = 0n;
    const outputs = await this.#outputs();
    const held = outputs.reduce((sum, coin) => sum + coin.atoms, 0n);
    if (held < needed(1)) throw shortOf(needed(1), held);
    for (const coin of outputs) {
      const now = (await this.#rpc('gettxout', [coin.txid, coin.vout, true])) as TxOut | null;
      if (!now || (now.coinbase && now.confirmations < COINBASE_DEPTH)) continue;
      coins.push(coin);
      total += coin.atoms;
      if (total >= needed(coins.length)) return coins;
    }
    throw new Fault('transient', 'sandbox', `${this.address} cannot pay ${needed(coins.length)} now`);
  }

  async #outputs(): Promise<readonly WalletOutput[]> {
    const { unspents } = (await this.#rpc('scantxoutset', ['start', [`addr(${this.address})`]])) as {
      unspents: { txid: string; vout: number; amount: number; height: number }[];
    };
    return unspents
      .map(({ amount, ...rest }) => ({ ...rest, atoms: atomsOf(amount) }))
      .sort((a, b) => a.height - b.height || (outPointText(a) < outPointText(b) ? -1 : 1));
  }
}

interface TxOut {
  readonly confirmations: number;
  readonly coinbase: boolean;
}
