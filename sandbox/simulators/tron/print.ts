import { PARAMETERS } from './execution.ts';
import type { Block, Mined } from './ledger.ts';
import type { Log } from './machine.ts';
import { printTx } from './wire-tx.ts';

/** Blocks and what their transactions did, as nodes print them: what is zero or empty is left out. */

export const hexText = (text: string): string => Buffer.from(text, 'utf8').toString('hex');

export function printBlock({ height, id, parent, time, mined }: Block, withTransactions: boolean): unknown {
  const raw = { ...(height > 0 ? { number: height } : {}), timestamp: time, parentHash: parent, version: 32 };
  return {
    blockID: id,
    block_header: { raw_data: raw, witness_signature: '' },
    ...(withTransactions && mined.length > 0 ? { transactions: mined.map(printMined) } : {}),
  };
}

export const printMined = ({ tx, receipt }: Mined): unknown => ({
  ret: [{ contractRet: receipt.contractRet }],
  ...printTx(tx),
});

export const printLog = ({ address, topics, data }: Log): unknown => ({ address, topics, ...(data ? { data } : {}) });

export function printInfo({ height, time }: Block, { tx, receipt }: Mined): unknown {
  const { contractRet, fee, netUsage, netFee, energy, energyHeld, logs, answer } = receipt;
  const isCall = tx.ask.kind === 'TriggerSmartContract';
  const energyFee = (energy - energyHeld) * PARAMETERS.getEnergyFee;
  const failed = contractRet === 'SUCCESS' ? {} : { result: 'FAILED', resMessage: hexText(contractRet) };
  return {
    id: tx.id,
    ...amounts({ fee }),
    ...{ blockNumber: height, blockTimeStamp: time, contractResult: [answer] },
    ...(tx.ask.kind === 'TriggerSmartContract' ? { contract_address: tx.ask.contract } : {}),
    receipt: {
      ...amounts({ energy_usage: energyHeld, energy_fee: energyFee, energy_usage_total: energy }),
      ...amounts({ net_usage: netUsage, net_fee: netFee }),
      ...(isCall ? { result: contractRet } : {}),
    },
    ...(logs.length > 0 ? { log: logs.map(printLog) } : {}),
    ...failed,
  };
}

const amounts = (all: Readonly<Record<string, bigint>>): Record<string, number> =>
  Object.fromEntries(Object.entries(all).flatMap(([name, value]) => (value > 0n ? [[name, Number(value)]] : [])));
