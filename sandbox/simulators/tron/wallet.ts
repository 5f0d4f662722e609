import { TronWeb, type Types, utils } from 'tronweb';
import type { Ledger } from './ledger.ts';
import { readTx, type WireTx, wholeTx } from './wire-tx.ts';

const LIFETIME_MS = 3_600_000;
const FEE_LIMIT = 100_000_000;

type Parameter = Types.ContractFunctionParameter;

/** An account of the sandbox that pays as people do: with a wallet of Tron's own making, which asks no node. */
export class SandboxWallet {
  readonly address: string;
  readonly #key: string;
  readonly #ledger: Ledger;
  readonly #tronWeb = new TronWeb({ fullHost: 'http://127.0.0.1:9' });
  #last = 0;

  constructor(key: Uint8Array, ledger: Ledger) {
    this.#key = Buffer.from(key).toString('hex');
    this.address = String(this.#tronWeb.address.fromPrivateKey(this.#key));
    this.#ledger = ledger;
  }

  async payCoin(to: string, amount: bigint): Promise<WireTx> {
    const options = { blockHeader: this.#blockHeader() };
    return this.#signed(await this.#tronWeb.transactionBuilder.sendTrx(to, Number(amount), this.address, options));
  }

  async call(contract: string, method: string, parameters: Parameter[], feeLimit = FEE_LIMIT): Promise<WireTx> {
    const options = { txLocal: true, feeLimit, blockHeader: this.#blockHeader() };
    const { transactionBuilder } = this.#tronWeb;
    const built = await transactionBuilder.triggerSmartContract(contract, method, options, parameters, this.address);
    return this.#signed(built.transaction);
  }

  payToken(contract: string, to: string, amount: bigint): Promise<WireTx> {
    return this.call(contract, 'transfer(address,uint256)', [
      { type: 'address', value: to },
      { type: 'uint256', value: amount.toString() },
    ]);
  }

  /** What people do on the site of their wallet: stake for energy, and let another key lend it. */
  async stake(amount: bigint): Promise<WireTx> {
    const { transactionBuilder } = this.#tronWeb;
    const options = { blockHeader: this.#blockHeader() };
    return this.#signed(await transactionBuilder.freezeBalanceV2(Number(amount), 'ENERGY', this.address, options));
  }

  async lend(to: string, amount: bigint): Promise<WireTx> {
    const { transactionBuilder } = this.#tronWeb;
    const options = { blockHeader: this.#blockHeader() };
    const built = transactionBuilder.delegateResource(Number(amount), to, 'ENERGY', this.address, false, 0, options);
    return this.#signed(await built);
  }

  async takeBack(from: string, amount: bigint): Promise<WireTx> {
    const { transactionBuilder } = this.#tronWeb;
    const options = { blockHeader: this.#blockHeader() };
    const built = transactionBuilder.undelegateResource(Number(amount), from, 'ENERGY', this.address, options);
    return this.#signed(await built);
  }

  async allow(key: string, operations: string): Promise<WireTx> {
    const permission = { permission_name: 'lend', threshold: 1 };
    const keysOf = (address: string) => [{ address: String(this.#tronWeb.address.toHex(address)), weight: 1 }];
    const owner = { type: 0, ...permission, keys: keysOf(this.address) };
    const active = { type: 2, ...permission, operations, keys: keysOf(key) };
    const options = { blockHeader: this.#blockHeader() };
    const { transactionBuilder } = this.#tronWeb;
    return this.#signed(
      await transactionBuilder.updateAccountPermissions(this.address, owner, undefined, [active], options),
    );
  }

  #signed(transaction: Types.Transaction): WireTx {
    const { raw_data_hex, signature } = utils.crypto.signTransaction(this.#key, transaction);
    return readTx(wholeTx(raw_data_hex, signature));
  }

  /** No two with the same time: they could be the same transaction. */
  #blockHeader() {
    const { solid, tip } = this.#ledger;
    this.#last = Math.max(this.#last + 1, tip.time);
    return {
      ref_block_bytes: solid.height.toString(16).padStart(4, '0').slice(-4),
      ref_block_hash: solid.id.slice(16, 32),
      expiration: tip.time + LIFETIME_MS,
      timestamp: this.#last,
    };
  }
}
