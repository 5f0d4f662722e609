import { Fault } from '../../../kernel/fault.ts';
import type { Address, TxHash } from '../../../kernel/ids.ts';
import type { Secret } from '../../../kernel/secret.ts';
import type { Outbound } from '../../outbound/http.ts';
import { type Room, withRoom } from '../../outbound/large-reply.ts';
import type { Heads } from '../chain.ts';
import type { Blocks } from '../following.ts';
import { tronHex, tronWord } from './codec.ts';
import {
  errorString,
  type Header,
  headerOf,
  infoOf,
  type NodeBlock,
  type NodeInfo,
  type NodeTx,
  type Permission,
  type Resources,
  sunOf,
  type Tried,
  txOf,
} from './node-shapes.ts';
import { AT_TRON, address, isEmpty, type Reply, record, records, sun, text, tronFault, whole } from './reply.ts';

/** `wallet` knows all blocks up to the tip, `walletsolidity` those that are solidified. */
type Side = 'wallet' | 'walletsolidity';

const BALANCE_OF = '70a08231';

/** A node's replies as checked values; whatever a node fails to say is a `Fault`. */
export class TronNode implements Blocks {
  readonly at = AT_TRON;
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #outbound: Outbound;

  constructor(url: string, apiKey: Secret | undefined, outbound: Outbound) {
    this.#url = url.replace(/\/+$/, '');
    const key = apiKey ? { 'TRON-PRO-API-KEY': apiKey.reveal() } : {};
    this.#headers = { 'content-type': 'application/json', ...key };
    this.#outbound = outbound;
  }

  /** Of the canonical chain; undefined where the node has no such block. */
  async header(height: number): Promise<Header | undefined> {
    const reply = await this.#read('wallet/getblock', { id_or_num: String(height), detail: false });
    return isEmpty(reply) ? undefined : headerOf(reply);
  }

  async hashAt(height: number): Promise<string | undefined> {
    return (await this.header(height))?.hash;
  }

  async newest(side: Side): Promise<Header> {
    return headerOf(await this.#read(`${side}/getblock`, { detail: false }));
  }

  async heads(): Promise<Heads> {
    const [solid, tip] = [await this.newest('walletsolidity'), await this.newest('wallet')];
    if (tip.height < solid.height) throw tronFault(`the node is at ${tip.height} and solidified at ${solid.height}`);
    return { tip: tip.height, safe: solid.height, finalized: solid.height };
  }

  /** Both ends included, with their transactions. More than one may be too large; a single one has room. */
  async blocks(first: number, last: number): Promise<readonly NodeBlock[]> {
    const ask = (room?: Room) => this.#read('wallet/getblockbylimitnext', { startNum: first, endNum: last + 1 }, room);
    const reply = await (first === last ? withRoom(`block ${first}`, ask) : ask());
    const blocks = records(reply, 'block').map((block) => ({
      ...headerOf(block),
      transactions: records(block, 'transactions').map(txOf),
    }));
    const isWhole = blocks.length === last - first + 1 && blocks.every(({ height }, at) => height === first + at);
    if (!isWhole) throw tronFault(`the node does not have all blocks from ${first} to ${last}`);
    return blocks;
  }

  /** Of every transaction in the block. */
  async infosAt(height: number): Promise<readonly NodeInfo[]> {
    const reply = await withRoom(`what block ${height} did`, (room) =>
      this.#ask('wallet/gettransactioninfobyblocknum', { num: height }, room),
    );
    if (Array.isArray(reply)) return reply.map((info) => infoOf(record(info)));
    if (isEmpty(record(reply))) return [];
    throw tronFault(`no list of what block ${height} did`);
  }

  async info(hash: TxHash, side: Side): Promise<NodeInfo | undefined> {
    const reply = await this.#read(`${side}/gettransactioninfobyid`, { value: hash });
    return isEmpty(reply) ? undefined : infoOf(reply);
  }

  async transaction(hash: TxHash): Promise<NodeTx | undefined> {
    const reply = await this.#read('wallet/gettransactionbyid', { value: hash });
    return isEmpty(reply) ? undefined : txOf(reply);
  }

  async isPending(hash: TxHash): Promise<boolean> {
    return !isEmpty(await this.#read('wallet/gettransactionfrompending', { value: hash }));
  }

  /** `{}` for one that nothing was ever sent to: it does not exist yet. */
  async account(of: Address): Promise<{ exists: boolean; isContract: boolean; balance: bigint }> {
    const reply = await this.#read('wallet/getaccount', { address: tronHex(of) });
    return { exists: !isEmpty(reply), isContract: reply.type === 'Contract', balance: sun(reply, 'balance') };
  }

  /** What an account still has today without burning coins. Of one that does not exist, nodes say nothing. */
  async resources(account: Address): Promise<Resources> {
    const reply = await this.#read('wallet/getaccountresource', { address: tronHex(account) });
    const left = (limit: string, used: string) => BigInt(Math.max(0, whole(reply, limit) - whole(reply, used)));
    return {
      bandwidth: left('NetLimit', 'NetUsed'),
      energy: left('EnergyLimit', 'EnergyUsed'),
      free: isEmpty(reply) ? undefined : left('freeNetLimit', 'freeNetUsed'),
      energyOfAll: sun(reply, 'TotalEnergyLimit'),
      trxOfAll: sun(reply, 'TotalEnergyWeight'),
    };
  }

  /** Sun of what the account has staked for energy that it could lend to somebody now. */
  async lendable(account: Address): Promise<bigint> {
    return sun(
      await this.#read('wallet/getcandelegatedmaxsize', { owner_address: tronHex(account), type: 1 }),
      'max_size',
    );
  }

  /** Sun whose energy the one has lent to the other, and can take back at any time. */
  async lent(from: Address, to: Address): Promise<bigint> {
    const parties = { fromAddress: tronHex(from), toAddress: tronHex(to) };
    const rows = records(await this.#read('wallet/getdelegatedresourcev2', parties), 'delegatedResource');
    const open = rows.filter((row) => whole(row, 'expire_time_for_energy') === 0);
    return open.reduce((sum, row) => sum + sun(row, 'frozen_balance_for_energy'), 0n);
  }

  /** Who may sign for the account by this permission alone, and which kinds of contracts, as a bit mask in hexadecimal. */
  async permission(account: Address, id: bigint): Promise<Permission | undefined> {
    const reply = await this.#read('wallet/getaccount', { address: tronHex(account) });
    const found = records(reply, 'active_permission').find((one) => sun(one, 'id') === id);
    if (!found) return undefined;
    const threshold = whole(found, 'threshold');
    const keys = records(found, 'keys').filter((key) => whole(key, 'weight') >= threshold);
    return { alone: keys.map((key) => address(key, 'address')), operations: text(found, 'operations') };
  }

  async parameters(): Promise<ReadonlyMap<string, bigint>> {
    const list = records(await this.#read('wallet/getchainparameters', {}), 'chainParameter');
    // Some may be negative; ours are not.
    return new Map(list.flatMap((one) => (Number.isSafeInteger(one.value) ? [[text(one, 'key'), sunOf(one)]] : [])));
  }

  /** Of a token where a contract is given, else of the chain's own coin. */
  async balance(account: Address, contract: Address | undefined): Promise<bigint> {
    if (!contract) return (await this.account(account)).balance;
    const { reverted, answer } = await this.call(account, contract, BALANCE_OF + tronWord(account));
    if (reverted !== undefined || !/^[0-9a-f]{64}$/.test(answer)) throw tronFault(`balanceOf of ${contract} failed`);
    return BigInt(`0x${answer}`);
  }

  /** Runs a call without sending it. */
  async call(from: Address, contract: Address, data: string): Promise<Tried> {
    const owner = { owner_address: tronHex(from), contract_address: tronHex(contract) };
    const reply = await this.#read('wallet/triggerconstantcontract', { ...owner, data });
    const result = record(reply.result);
    const said = typeof result.message === 'string' ? Buffer.from(result.message, 'hex').toString('utf8') : '';
    if (result.result !== true) throw tronFault(`${contract} cannot be asked: ${result.code} ${said}`);
    const failed = records(record(reply.transaction), 'ret')[0]?.ret === 'FAILED';
    const [answer = ''] = Array.isArray(reply.constant_result) ? reply.constant_result : [];
    const words = failed ? (errorString(String(answer)) ?? said) || 'it fails' : undefined;
    return { reverted: words, energy: sun(reply, 'energy_used'), answer: String(answer) };
  }

  /** The node's word on the bytes: `SUCCESS`, or the name of an error and what it says of it. */
  async send(raw: string): Promise<{ readonly code: string; readonly message: string }> {
    const reply = record(await this.#ask('wallet/broadcasthex', { transaction: raw }));
    const message = typeof reply.message === 'string' ? reply.message : String(reply.Error ?? '');
    return { code: reply.result === true ? 'SUCCESS' : String(reply.code ?? 'OTHER_ERROR'), message };
  }

  async #read(path: string, body: Readonly<Record<string, unknown>>, room?: Room): Promise<Reply> {
    const reply = record(await this.#ask(path, body, room));
    if (reply.Error !== undefined) throw tronFault(`${path}: ${String(reply.Error).slice(0, 200)}`);
    return reply;
  }

  async #ask(path: string, body: Readonly<Record<string, unknown>>, room?: Room): Promise<unknown> {
    const call = { at: AT_TRON, label: path, url: `${this.#url}/${path}`, method: 'POST' } as const;
    const reply = await this.#outbound({ ...call, headers: this.#headers, body: JSON.stringify(body), ...room });
    if (reply.status === 200) {
      try {
        return JSON.parse(reply.body);
      } catch {
        // A proxy's error page or a truncated reply: told below.
      }
    }
    const kind = reply.status === 429 ? 'transient' : 'ambiguous';
    throw new Fault(kind, AT_TRON, `${path}: HTTP ${reply.status} without an answer`);
  }
}
