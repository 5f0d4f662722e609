import { balanceName, existsName, freeNetUsed, PARAMETERS } from './execution.ts';
import { Invalid } from './invalid.ts';
import type { Block, Ledger } from './ledger.ts';
import { type Codes, execute } from './machine.ts';
import { printPermissions } from './permission.ts';
import { hexText, printBlock, printInfo, printLog, printMined } from './print.ts';
import { energyAt, lendable, lentBetween, stakedBy, TOTAL_ENERGY, totalTrx } from './staking.ts';
import type { Store } from './store.ts';
import { printTx, readTx, wholeTx } from './wire-tx.ts';

export type Params = Readonly<Record<string, unknown>>;
export type Replies = Readonly<Record<string, (params: Params) => unknown>>;

export interface Parts {
  readonly store: Store;
  readonly codes: Codes;
  readonly ledger: Ledger;
}

/** More energy than any call may use. */
const CONSTANT_CALL_ENERGY = 100_000_000n;
const MAX_BLOCKS_PER_CALL = 100;

/** Every path of the node's HTTP interface that is simulated. */
export function replies(parts: Parts): Replies {
  const { ledger } = parts;
  const atTip = { ...blockReplies(ledger, () => ledger.tip), ...accountReplies(parts), ...sendReplies(ledger) };
  const solid = Object.entries(accountReplies(parts)).map(
    ([name, reply]) => [name, (params: Params) => ledger.whenSolid(() => reply(params))] as const,
  );
  return {
    ...withPrefix('wallet', atTip),
    ...withPrefix('walletsolidity', { ...blockReplies(ledger, () => ledger.solid), ...Object.fromEntries(solid) }),
  };
}

const withPrefix = (side: string, replies: Replies): Replies =>
  Object.fromEntries(Object.entries(replies).map(([name, reply]) => [`/${side}/${name}`, reply]));

/** What is to be known up to `head`. */
function blockReplies(ledger: Ledger, head: () => Block): Replies {
  const at = (height: number): Block | undefined => (height <= head().height ? ledger.blocks[height] : undefined);
  const found = (id: unknown) => {
    const place = ledger.find(String(id));
    return place && place.block.height <= head().height ? place : undefined;
  };
  const print = (block: Block | undefined, detail = true) => (block ? printBlock(block, detail) : {});
  return {
    getnowblock: () => print(head()),
    getblock: ({ id_or_num, detail }) => {
      const wanted = id_or_num === undefined ? head().height : Number(id_or_num);
      return print(at(wanted), detail === true);
    },
    getblockbynum: ({ num }) => print(at(Number(num))),
    getblockbylimitnext: ({ startNum, endNum }) => {
      const [start, end] = [Number(startNum), Number(endNum)];
      if (!(start >= 0 && end > start && end - start <= MAX_BLOCKS_PER_CALL)) return {};
      const last = Math.min(end, head().height + 1);
      return { block: ledger.blocks.slice(start, last).map((block) => printBlock(block, true)) };
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
  const call = ({ owner_address, contract_address, data }: Params) =>
    store.wonder(() =>
      execute(
        store,
        codes,
        { caller: String(owner_address), self: String(contract_address), data: String(data ?? '') },
        CONSTANT_CALL_ENERGY,
      ),
    );
  const noContract = { code: 'CONTRACT_VALIDATE_ERROR', message: hexText('Smart contract is not exist.') };
  const hasCode = ({ contract_address }: Params) => codes.has(String(contract_address));
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
    getaccountresource: ({ address }) => {
      const account = String(address);
      if (store.get(existsName(account)) === 0n) return {};
      const { limit, used } = energyAt(store, account, ledger.tip.time);
      return {
        freeNetUsed: Number(freeNetUsed(store, account, ledger.tip.time)),
        freeNetLimit: Number(PARAMETERS.getFreeNetLimit),
        TotalNetLimit: 43_200_000_000,
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
    triggerconstantcontract: (params) => {
      if (!hasCode(params)) return { result: noContract };
      const { contractRet, energy, answer, logs } = call(params);
      const failed = contractRet !== 'SUCCESS';
      return {
        result: { result: true, ...(failed ? { message: hexText('REVERT opcode executed') } : {}) },
        energy_used: Number(energy),
        constant_result: [answer],
        ...(logs.length > 0 ? { logs: logs.map(printLog) } : {}),
        transaction: { ret: [failed ? { ret: 'FAILED' } : {}] },
      };
    },
    estimateenergy: (params) => {
      if (!hasCode(params)) return { result: noContract };
      const { contractRet, energy } = call(params);
      if (contractRet === 'SUCCESS') return { result: { result: true }, energy_required: Number(energy) };
      return { result: { code: 'CONTRACT_EXE_ERROR', message: hexText('REVERT opcode executed') } };
    },
  };
}

function sendReplies(ledger: Ledger): Replies {
  const send = (hex: string) => {
    const tx = readTx(hex);
    try {
      ledger.accept(tx);
      return { result: true, code: 'SUCCESS', message: '', txid: tx.id };
    } catch (error) {
      if (!(error instanceof Invalid)) throw error;
      return { result: false, code: error.code, message: error.message, txid: tx.id };
    }
  };
  return {
    broadcasthex: ({ transaction }) => send(String(transaction)),
    /** Here a message is hexadecimal, and a code is named only where there is an error. */
    broadcasttransaction: ({ raw_data_hex, signature }) => {
      const { result, code, message, txid } = send(wholeTx(String(raw_data_hex), (signature ?? []) as string[]));
      return result ? { result, txid } : { code, txid, message: hexText(message) };
    },
    gettransactionfrompending: ({ value }) => {
      const tx = ledger.pool.get(String(value));
      return tx ? printTx(tx) : {};
    },
  };
}
