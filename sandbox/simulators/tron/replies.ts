import { callReplies, contractReplies } from './contract-replies.ts';
import { balanceName, existsName, freeNetUsed, PARAMETERS } from './execution.ts';
import { Invalid } from './invalid.ts';
import type { Block, Ledger } from './ledger.ts';
import { printPermissions } from './permission.ts';
import { hexText, printBlock, printInfo, printMined } from './print.ts';
import type { Params, Parts, Replies } from './reply.ts';
import { energyAt, lendable, lentBetween, stakedBy, TOTAL_ENERGY, totalTrx } from './staking.ts';
import { withSpelling } from './visible.ts';
import { printTx, readTx, wholeTx } from './wire-tx.ts';

const MAX_BLOCKS_PER_CALL = 100;
/** The id of a block begins with its height. */
const HEIGHT_DIGITS = 16;
const isId = (text: string): boolean => /^[0-9a-f]{64}$/.test(text);

/** Every path of the node's HTTP interface that is simulated: https://developers.tron.network/reference/full-node-api-overview */
export function replies(parts: Parts): Replies {
  const { ledger } = parts;
  const accounts = { ...accountReplies(parts), ...callReplies(parts) };
  const atTip = {
    ...blockReplies(ledger, () => ledger.tip),
    ...{ ...accounts, ...contractReplies(parts), ...nodeReplies(ledger), ...sendReplies(ledger) },
  };
  const solid = Object.entries(accounts).map(
    ([name, reply]) => [name, (params: Params) => ledger.whenSolid(() => reply(params))] as const,
  );
  return {
    ...withPrefix('wallet', atTip),
    ...withPrefix('walletsolidity', { ...blockReplies(ledger, () => ledger.solid), ...Object.fromEntries(solid) }),
    // It names no address, and its messages are never hexadecimal.
    '/wallet/broadcasthex': ({ transaction }) => sendHex(ledger, String(transaction)),
  };
}

const withPrefix = (side: string, replies: Replies): Replies =>
  Object.fromEntries(Object.entries(replies).map(([name, reply]) => [`/${side}/${name}`, withSpelling(reply)]));

/** What is to be known up to `head`. */
function blockReplies(ledger: Ledger, head: () => Block): Replies {
  const at = (height: number): Block | undefined => (height <= head().height ? ledger.blocks[height] : undefined);
  const byId = (id: string): Block | undefined => {
    const block = at(Number.parseInt(id.slice(0, HEIGHT_DIGITS), 16));
    return block?.id === id ? block : undefined;
  };
  const found = (id: unknown) => {
    const place = ledger.find(String(id));
    return place && place.block.height <= head().height ? place : undefined;
  };
  const print = (block: Block | undefined, detail = true) => (block ? printBlock(block, detail) : {});
  return {
    getnowblock: () => print(head()),
    getblock: ({ id_or_num = head().height, detail }) => {
      const wanted = String(id_or_num);
      return print(isId(wanted) ? byId(wanted) : at(Number(wanted)), String(detail) === 'true');
    },
    getblockbyid: ({ value }) => print(byId(String(value))),
    getblockbynum: ({ num }) => print(at(Number(num))),
    getblockbylimitnext: ({ startNum, endNum }) => {
      const [start, end] = [Number(startNum), Number(endNum)];
      if (!(start >= 0 && end > start && end - start <= MAX_BLOCKS_PER_CALL)) return {};
      const last = Math.min(end, head().height + 1);
      return { block: ledger.blocks.slice(start, last).map((block) => printBlock(block, true)) };
    },
    getblockbylatestnum: ({ num }) => {
      const count = Number(num);
      if (!(count > 0 && count < MAX_BLOCKS_PER_CALL)) return {};
      const last = head().height + 1;
      return { block: ledger.blocks.slice(Math.max(0, last - count), last).map((block) => printBlock(block, true)) };
    },
    gettransactionbyid: ({ value }) => {
      const place = found(value);
      return place ? printMined(place.mined) : {};
    },
    gettransactioninfobyid: ({ value }) => {
      const place = found(value);
      return place ? printInfo(place.block, place.mined) : {};
    },
    gettransactioninfobyblocknum: ({ num }) => {
      const block = at(Number(num));
      return block ? block.mined.map((mined) => printInfo(block, mined)) : [];
    },
  };
}

function accountReplies({ store, codes, ledger }: Parts): Replies {
  const bandwidth = (account: string) => {
    if (store.get(existsName(account)) === 0n) return {};
    const used = Number(freeNetUsed(store, account, ledger.tip.time));
    return { freeNetUsed: used, freeNetLimit: Number(PARAMETERS.getFreeNetLimit), TotalNetLimit: 43_200_000_000 };
  };
  return {
    getaccount: ({ address }) => {
      const account = String(address);
      if (codes.has(account)) return { address: account, type: 'Contract' };
      if (store.get(existsName(account)) === 0n) return {};
      const [balance, staked] = [Number(store.get(balanceName(account))), Number(stakedBy(store, account))];
      const active = printPermissions(store, account);
      return {
        ...{ address: account, ...(balance > 0 ? { balance } : {}) },
        ...(staked > 0 ? { frozenV2: [{}, { amount: staked, type: 'ENERGY' }, { type: 'TRON_POWER' }] } : {}),
        ...(active.length > 0 ? { active_permission: active } : {}),
      };
    },
    getaccountnet: ({ address }) => bandwidth(String(address)),
    getaccountresource: ({ address }) => {
      const account = String(address);
      if (store.get(existsName(account)) === 0n) return {};
      const { limit, used } = energyAt(store, account, ledger.tip.time);
      return {
        ...bandwidth(account),
        ...(used > 0n ? { EnergyUsed: Number(used) } : {}),
        ...(limit > 0n ? { EnergyLimit: Number(limit) } : {}),
        TotalEnergyLimit: Number(TOTAL_ENERGY),
        TotalEnergyWeight: Number(totalTrx(store)),
      };
    },
    getcandelegatedmaxsize: ({ owner_address, type }) => {
      const most = Number(type) === 1 ? lendable(store, String(owner_address), ledger.tip.time) : 0n;
      return most > 0n ? { max_size: Number(most) } : {};
    },
    getdelegatedresourcev2: ({ fromAddress, toAddress }) => {
      const [from, to] = [String(fromAddress), String(toAddress)];
      const lent = Number(lentBetween(store, from, to));
      return lent > 0 ? { delegatedResource: [{ from, to, frozen_balance_for_energy: lent }] } : {};
    },
    getchainparameters: () => ({
      chainParameter: Object.entries(PARAMETERS).map(([key, value]) => ({ key, value: Number(value) })),
    }),
  };
}

function nodeReplies(ledger: Ledger): Replies {
  const place = ({ height, id }: Block): string => `Num:${height},ID:${id}`;
  return {
    getnodeinfo: () => ({ block: place(ledger.tip), solidityBlock: place(ledger.solid) }),
  };
}

function sendHex(ledger: Ledger, hex: string) {
  const tx = readTx(hex);
  try {
    ledger.accept(tx);
    return { result: true, code: 'SUCCESS', message: '', txid: tx.id };
  } catch (error) {
    if (!(error instanceof Invalid)) throw error;
    return { result: false, code: error.code, message: error.message, txid: tx.id };
  }
}

function sendReplies(ledger: Ledger): Replies {
  return {
    /** Here a message is hexadecimal, and a code is named only where there is an error. */
    broadcasttransaction: ({ raw_data_hex, signature }) => {
      const whole = wholeTx(String(raw_data_hex), (signature ?? []) as string[]);
      const { result, code, message, txid } = sendHex(ledger, whole);
      return result ? { result, txid } : { code, txid, message: hexText(message) };
    },
    gettransactionfrompending: ({ value }) => {
      const tx = ledger.pool.get(String(value));
      return tx ? printTx(tx) : {};
    },
    gettransactionlistfrompending: () => ({ txId: [...ledger.pool.keys()] }),
  };
}
