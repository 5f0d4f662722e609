import { type Atoms, atoms } from '../../../kernel/amount.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Address } from '../../../kernel/ids.ts';
import type { Secret } from '../../../kernel/secret.ts';
import type { Outbound } from '../../outbound/http.ts';
import { jsonRpc } from '../../outbound/json-rpc.ts';
import { basicAuth, type Login } from '../../outbound/login.ts';
import type { BlockRef } from '../chain.ts';
import { addressForms, parseZcashAddress } from './codec.ts';
import {
  AT_ZCASH,
  hash,
  outputKey,
  pool,
  type Reply,
  record,
  records,
  text,
  walletFault,
  whole,
  zatoshis,
} from './reply-codec.ts';
import { DEPOSIT_RECEIVERS } from './rules.ts';

export interface ZcashWalletConfig {
  /** A Zallet that holds the account's viewing key; it need not be able to spend. */
  readonly walletUrl: string;
  readonly walletLogin: Secret<Login>;
  readonly accountUuid: string;
}

/** Something paid to the account, by whomever. */
export interface WalletOutput {
  readonly key: string;
  readonly txid: string;
  readonly isTransparent: boolean;
  /** undefined while it is not mined. */
  readonly height: number | undefined;
  /** As it was issued, or only the receiver of it that was paid. */
  readonly address: Address;
  readonly atoms: Atoms;
}

export interface ZcashWallet {
  /** The same index always gives the same address; the wallet watches it from now on. */
  address(index: number): Promise<Address>;
  /** All that were ever given out. */
  addresses(): Promise<readonly Address[]>;
  /** How far the wallet has read the chain; undefined while it has gaps. */
  tip(): Promise<BlockRef | undefined>;
  /** In the blocks first … last, also what has been spent since. */
  received(first: number, last: number): Promise<readonly WalletOutput[]>;
  /** What the wallet thinks is still on its way, or is in a block above this height. */
  above(height: number): Promise<readonly WalletOutput[]>;
  balance(confirmations: number): Promise<{ readonly shielded: bigint; readonly transparent: bigint }>;
}

/** Transactions in one answer. */
const PAGE = 500;
/** A page of blocks with more of our transactions than this is not believed. */
const PAGES_MOST = 1000;

export function zcashWallet(config: ZcashWalletConfig, outbound: Outbound): ZcashWallet {
  const { walletUrl, walletLogin, accountUuid } = config;
  const rpc = jsonRpc({ at: AT_ZCASH, url: walletUrl, headers: basicAuth(walletLogin.reveal()) }, outbound);
  const ask = (method: string, params: readonly unknown[]): Promise<unknown> =>
    rpc(method, params).catch((error) => {
      throw walletFault(error);
    });
  const transactions = async (first: number, end: number | null): Promise<readonly Reply[]> => {
    const all: Reply[] = [];
    for (let page = 0; page < PAGES_MOST; page += 1) {
      const rows = records(await ask('z_listtransactions', [accountUuid, first, end, page * PAGE, PAGE]));
      all.push(...rows);
      if (rows.length < PAGE) return all;
    }
    throw new Fault('transient', AT_ZCASH, `the wallet has no end of transactions from ${first} on`);
  };
  const outputs = (rows: readonly Reply[]) => rows.flatMap((row) => paidTo(accountUuid, row));

  return {
    async address(index) {
      const told = record(await ask('z_getaddressforaccount', [accountUuid, DEPOSIT_RECEIVERS, index]));
      const address = parseZcashAddress(text(told, 'address'));
      if (address && addressForms(address) && told.diversifier_index === index) return address;
      throw new Fault('permanent', AT_ZCASH, `the wallet has no address with two forms at ${index}`);
    },
    async addresses() {
      const sources = records(await ask('listaddresses', []));
      const accounts = sources.flatMap(({ unified = [] }) => records(unified));
      const told = accounts.flatMap(({ addresses = [] }) => records(addresses)).map((entry) => text(entry, 'address'));
      return told.flatMap((address) => parseZcashAddress(address) ?? []);
    },
    async tip() {
      const status = record(await ask('getwalletstatus', []));
      const { locked, wallet_tip: seen, fully_synced_height: upTo } = status;
      if (locked !== false || seen === undefined || upTo === undefined) return undefined;
      const tip = { height: whole(record(seen), 'height'), hash: hash(record(seen), 'blockhash') };
      return whole(status, 'fully_synced_height') >= tip.height ? tip : undefined;
    },
    received: async (first, last) => (last < first ? [] : outputs(await transactions(first, last + 1))),
    above: async (height) =>
      outputs((await transactions(height + 1, null)).filter((row) => row.expired_unmined === false)),
    async balance(confirmations) {
      const told = record(await ask('z_getbalanceforaccount', [accountUuid, confirmations]));
      const worth = Object.entries(record(told.pools)).map(([name, entry]) => ({
        isTransparent: name === 'transparent',
        atoms: zatoshis(record(entry), 'valueZat'),
      }));
      const sum = (ofTransparent: boolean) =>
        worth.reduce((total, one) => (one.isTransparent === ofTransparent ? total + one.atoms : total), 0n);
      return { shielded: sum(false), transparent: sum(true) };
    },
  };
}

/** Change comes back to an address that nobody was given. */
function paidTo(accountUuid: string, row: Reply): WalletOutput[] {
  const txid = hash(row, 'txid');
  const height = (row.mined_height ?? undefined) === undefined ? undefined : whole(row, 'mined_height');
  return records(row.outputs).flatMap((output) => {
    if (output.to_account !== accountUuid || output.is_change === true || typeof output.to_address !== 'string')
      return [];
    const address = parseZcashAddress(output.to_address);
    if (!address) throw new Fault('transient', AT_ZCASH, `the wallet names an odd address in ${txid}`);
    const place = pool(output);
    const key = outputKey(txid, place, whole(output, 'output_index'));
    return [
      { key, txid, isTransparent: place === 'transparent', height, address, atoms: atoms(zatoshis(output, 'value')) },
    ];
  });
}
