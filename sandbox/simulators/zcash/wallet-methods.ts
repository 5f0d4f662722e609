import { parseUnits } from '../../../src/kernel/amount.ts';
import { present } from '../../../src/kernel/assert.ts';
import { decodeAddress, encodeAddress, expiryHeight, receiverNames } from '../../../src/world/chains/zcash/codec.ts';
import { RECEIVER_TYPES, type ReceiverType } from '../../../src/world/chains/zcash/unified-codec.ts';
import { RpcFailure } from '../rpc-server.ts';
import type { Methods } from './server.ts';
import { type Decoded, decodeTransaction, encodeTransaction, type SimOutput, type SimTx } from './transaction.ts';
import type { Wallet } from './wallet.ts';

/** A transaction on its way to being one: each step adds to it. */
interface Pczt {
  readonly tx: SimTx;
  readonly policy: string;
  readonly signatures?: Decoded['signatures'];
  readonly isProven?: boolean;
}

const pack = (pczt: Pczt): string => Buffer.from(JSON.stringify(pczt)).toString('base64');
const unpack = (text: unknown): Pczt => JSON.parse(Buffer.from(String(text), 'base64').toString('utf8')) as Pczt;

/** From the most private on; whoever allows one allows all before it, more or less as the real wallet does. */
const POLICIES = [
  'FullPrivacy',
  'AllowRevealedAmounts',
  'AllowRevealedRecipients',
  'AllowRevealedSenders',
  'AllowLinkingAccountAddresses',
  'NoPrivacy',
];

/** The wallet's answers, as Zallet gives them. */
export function walletMethods(wallet: Wallet): Methods {
  const { ledger, accountUuid } = wallet;
  const mustBeAccount = (account: unknown) => {
    if (account !== accountUuid) throw new RpcFailure(-8, `Error: account ${String(account)} is not known.`);
  };
  return {
    getwalletstatus: () => {
      const tip = { blockhash: ledger.tip.hash, height: ledger.tip.height };
      return { node_tip: tip, wallet_tip: tip, fully_synced_height: tip.height, locked: false };
    },
    z_getaddressforaccount: ([account, types, index]) => {
      mustBeAccount(account);
      const wanted = RECEIVER_TYPES.filter((type) => (types as ReceiverType[]).includes(type));
      const address = wallet.expose(Number(index), wanted);
      return { account_uuid: accountUuid, diversifier_index: index, receiver_types: wanted, address };
    },
    z_listunifiedreceivers: ([address]) => {
      const decoded = decodeAddress(String(address));
      if (decoded?.kind !== 'unified') throw new RpcFailure(-8, 'Address is not a unified address');
      return Object.fromEntries(receiverNames(decoded).map((name) => [name.split(':')[0], receiverAddress(name)]));
    },
    listaddresses: () => [
      {
        source: 'mnemonic_seed',
        unified: [
          {
            account: 0,
            addresses: [...wallet.addresses].map(([index, { types, address }]) => ({
              diversifier_index: index,
              receiver_types: types,
              address,
            })),
          },
        ],
      },
    ],
    z_listtransactions: ([account, start, end, offset, limit]) => {
      mustBeAccount(account);
      const rows = transactions(wallet, start as number | null, end as number | null);
      return rows.slice(Number(offset ?? 0), Number(offset ?? 0) + Number(limit ?? rows.length));
    },
    z_getbalanceforaccount: ([account, minconf]) => {
      mustBeAccount(account);
      const pools: Record<string, { valueZat: number }> = {};
      for (const coin of wallet.unspent()) {
        if (wallet.depth(coin) < Number(minconf ?? 1) || !wallet.isMature(coin)) continue;
        pools[coin.pool] = { valueZat: (pools[coin.pool]?.valueZat ?? 0) + Number(coin.zat) };
      }
      return { pools, minimum_confirmations: minconf ?? 1 };
    },
    z_viewtransaction: ([txid]) => viewed(wallet, String(txid)),
    ...pcztMethods(wallet, mustBeAccount),
  };
}

function pcztMethods(wallet: Wallet, mustBeAccount: (account: unknown) => void): Methods {
  return {
    pczt_create: ([from, amounts, , allowed, source]) => {
      mustBeAccount(from);
      const recipients = amounts as readonly { address: string; amount: string }[];
      const payments = recipients.map(({ address, amount }) => {
        const zat = parseUnits(amount, 8);
        if (zat === undefined) throw new RpcFailure(-3, 'Invalid amount');
        return { to: address, zat };
      });
      const tx = wallet.propose(payments, source === 'any_transparent');
      const policy = required(tx, source === 'any_transparent');
      mustAllow(allowed, policy);
      return { pczt: pack({ tx, policy }), privacy_policy: policy };
    },
    pczt_sign: ([text, allowed]) => {
      const pczt = unpack(text);
      mustAllow(allowed, pczt.policy);
      return { pczt: pack({ ...pczt, signatures: wallet.sign(pczt.tx) }) };
    },
    pczt_prove: ([text]) => ({ pczt: pack({ ...unpack(text), isProven: true }) }),
    pczt_extract: ([text]) => {
      const { tx, signatures, isProven } = unpack(text);
      if (!signatures || !isProven) throw new RpcFailure(-25, 'the PCZT is not complete');
      const decoded = decodeTransaction(encodeTransaction(tx, signatures));
      wallet.keep(decoded);
      return { hex: decoded.raw, txid: decoded.txid, stored: true };
    },
  };
}

function required(tx: SimTx, fromTransparent: boolean): string {
  const pays = tx.outputs.some(({ pool }) => pool === 'transparent');
  if (fromTransparent) return pays ? 'NoPrivacy' : 'AllowLinkingAccountAddresses';
  return pays ? 'AllowRevealedRecipients' : 'AllowRevealedAmounts';
}

function mustAllow(allowed: unknown, policy: string): void {
  if (POLICIES.indexOf(String(allowed)) < POLICIES.indexOf(policy))
    throw new RpcFailure(-8, `The privacy policy ${String(allowed)} does not allow ${policy}`);
}

const RECEIVER_ADDRESSES = new Map<string, string>();

/** An address for a receiver alone: all that a wallet can tell of what a stranger paid. */
function receiverAddress(name: string): string {
  const known = RECEIVER_ADDRESSES.get(name);
  if (known) return known;
  const [type, place = ''] = name.split(':');
  const bytes = new Uint8Array(Buffer.from(place, 'hex'));
  const kind = type === 'orchard' ? 'unified' : type === 'sapling' ? 'sapling' : 'transparent';
  const address = encodeAddress({ kind, receivers: { [present(type, name)]: bytes } });
  RECEIVER_ADDRESSES.set(name, address);
  return address;
}

function transactions(wallet: Wallet, start: number | null, end: number | null): readonly unknown[] {
  const { ledger, accountUuid } = wallet;
  const concerns = ({ tx }: Decoded) =>
    tx.outputs.some(({ to }) => wallet.ownerOf(to)) || tx.spends.some((key) => isOurs(wallet, key));
  const row = (decoded: Decoded, height: number | null) => ({
    account_uuid: accountUuid,
    mined_height: height,
    txid: decoded.txid,
    expiry_height: decoded.tx.expiry,
    expired_unmined: height === null && decoded.tx.expiry <= ledger.tip.height,
    outputs: decoded.tx.outputs.map((output) => listed(wallet, output)),
  });
  const mined = ledger.blocks
    .slice(start ?? 0, end ?? undefined)
    .flatMap(({ txs, height }) => txs.filter(concerns).map((tx) => row(tx, height)));
  if (end !== null) return mined;
  const unsent = [...wallet.built.values()].filter(({ txid }) => !ledger.find(txid));
  return [...mined, ...[...ledger.pool.values(), ...unsent].filter(concerns).map((tx) => row(tx, null))];
}

function isOurs(wallet: Wallet, key: string): boolean {
  const coin = wallet.ledger.coins.get(key);
  return coin !== undefined && wallet.ownerOf(coin.to) !== undefined;
}

function listed(wallet: Wallet, { pool, index, to, zat }: SimOutput): unknown {
  const owner = wallet.ownerOf(to);
  return {
    pool,
    output_index: index,
    from_account: null,
    to_account: owner ? wallet.accountUuid : null,
    to_address: owner?.isInternal ? null : receiverAddress(to),
    value: Number(zat),
    is_change: owner?.isInternal ?? false,
    memo: null,
  };
}

/** Each pool counts by a name of its own. */
const NAMES = {
  transparent: ['tIn', 'tOutPrev', 'tOut'],
  sapling: ['spend', 'outputPrev', 'output'],
  orchard: ['action', 'actionPrev', 'action'],
  ironwood: ['action', 'actionPrev', 'action'],
} as const;

function viewed(wallet: Wallet, txid: string): unknown {
  const decoded = wallet.built.get(txid) ?? wallet.ledger.find(txid)?.tx;
  if (!decoded) throw new RpcFailure(-5, 'Invalid or non-wallet transaction id');
  const worth = (zat: string) => ({ value: Number(zat) / 100_000_000, valueZat: Number(zat) });
  return {
    txid,
    expiryheight: expiryHeight(decoded.raw) ?? 0,
    spends: decoded.tx.spends.map((key, at) => {
      const coin = present(wallet.ledger.coins.get(key), key);
      const [here, previous] = NAMES[coin.pool];
      const account = wallet.ownerOf(coin.to) ? { account_uuid: wallet.accountUuid } : {};
      return {
        pool: coin.pool,
        [here]: at,
        txidPrev: coin.txid,
        [previous]: coin.index,
        ...account,
        ...worth(coin.zat),
      };
    }),
    outputs: decoded.tx.outputs.map(({ pool, index, to, zat }) => {
      const owner = wallet.ownerOf(to);
      const account = owner ? { account_uuid: wallet.accountUuid } : {};
      const address = owner?.isInternal ? {} : { address: receiverAddress(to) };
      const internal = { outgoing: !owner, walletInternal: owner?.isInternal ?? false };
      return { pool, [NAMES[pool][2]]: index, ...account, ...address, ...internal, ...worth(zat) };
    }),
  };
}
