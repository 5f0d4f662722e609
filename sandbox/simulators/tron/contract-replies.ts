import { utils } from 'tronweb';
import { selector } from '../../nodes/token-code.ts';
import type { Ledger } from './ledger.ts';
import { execute } from './machine.ts';
import { hexText, printLog } from './print.ts';
import type { Params, Parts, Replies } from './reply.ts';
import { printTx, readTx, type WireTx, wholeTx } from './wire-tx.ts';

/** More energy than any call may use. */
const CONSTANT_CALL_ENERGY = 100_000_000n;
const LIFETIME_MS = 60_000;

/** A call by its signature and encoded parameters, or by calldata. */
const dataOf = ({ function_selector, parameter, data }: Params): string =>
  function_selector ? selector(String(function_selector)).slice(2) + String(parameter ?? '') : String(data ?? '');

const refusal = (code: string, message: string) => ({ result: { code, message: hexText(message) } });
const notSet = (name: string) =>
  refusal('OTHER_ERROR', `class java.security.InvalidParameterException : ${name} isn't set.`);

/** What contracts would answer, tried out on the accounts as they are. */
export function callReplies({ store, codes, ledger }: Parts): Replies {
  const refused = ({ owner_address, contract_address }: Params) => {
    if (!owner_address) return notSet('owner_address');
    if (!contract_address) return notSet('contract_address');
    if (codes.has(String(contract_address))) return undefined;
    return refusal('CONTRACT_VALIDATE_ERROR', 'Smart contract is not exist.');
  };
  const call = (params: Params) => {
    const { owner_address, contract_address } = params;
    const asked = { caller: String(owner_address), self: String(contract_address), data: dataOf(params) };
    return store.wonder(() => execute(store, codes, asked, CONSTANT_CALL_ENERGY));
  };
  return {
    triggerconstantcontract: (params) => {
      const no = refused(params);
      if (no) return no;
      const { contractRet, energy, answer, logs } = call(params);
      const failed = contractRet !== 'SUCCESS';
      return {
        result: { result: true, ...(failed ? { message: hexText('REVERT opcode executed') } : {}) },
        energy_used: Number(energy),
        constant_result: [answer],
        ...(logs.length > 0 ? { logs: logs.map(printLog) } : {}),
        transaction: { ret: [failed ? { ret: 'FAILED' } : {}], ...printUnsigned(unsignedCall(ledger, params), params) },
      };
    },
    estimateenergy: (params) => {
      const no = refused(params);
      if (no) return no;
      const { contractRet, energy } = call(params);
      if (contractRet === 'SUCCESS') return { result: { result: true }, energy_required: Number(energy) };
      return refusal('CONTRACT_EXE_ERROR', 'REVERT opcode executed');
    },
  };
}

/** What a contract is, and calls of it to sign. */
export function contractReplies({ codes, ledger }: Parts): Replies {
  const contractAt = (value: unknown) => {
    const address = String(value);
    const code = codes.get(address);
    // The node itself falls over an address where there is no contract.
    if (!code) throw Object.assign(new Error('null'), { name: 'class java.lang.NullPointerException' });
    const { name, origin, abi } = code.published ?? {};
    return {
      ...(origin ? { origin_address: origin } : {}),
      contract_address: address,
      ...(abi ? { abi: { entrys: abi } } : {}),
      ...(name ? { name } : {}),
    };
  };
  return {
    getcontract: ({ value }) => contractAt(value),
    getcontractinfo: ({ value }) => ({ smart_contract: contractAt(value), contract_state: {} }),
    triggersmartcontract: (params) => {
      const { owner_address, contract_address } = params;
      if (!owner_address) return notSet('owner_address');
      if (!contract_address) return notSet('contract_address');
      if (!codes.has(String(contract_address))) {
        return refusal('CONTRACT_VALIDATE_ERROR', 'No contract or not a valid smart contract');
      }
      return { result: { result: true }, transaction: printUnsigned(unsignedCall(ledger, params), params) };
    },
  };
}

function printUnsigned(tx: WireTx, { visible }: Params): object {
  const { signature: _, ...rest } = printTx(tx);
  return { visible: String(visible) === 'true', ...rest };
}

function unsignedCall({ tip }: Ledger, params: Params): WireTx {
  const kind = 'TriggerSmartContract';
  const { owner_address, contract_address, call_value, fee_limit, Permission_id } = params;
  const paid = Number(call_value ?? 0) > 0 ? { call_value: Number(call_value) } : {};
  const value = { data: dataOf(params), owner_address, contract_address, ...paid };
  const contract = { parameter: { value, type_url: `type.googleapis.com/protocol.${kind}` }, type: kind };
  const built: unknown = utils.transaction.txJsonToPb({
    visible: false,
    raw_data: {
      contract: [{ ...contract, ...(Permission_id ? { Permission_id: Number(Permission_id) } : {}) }],
      ref_block_bytes: tip.height.toString(16).padStart(4, '0').slice(-4),
      ref_block_hash: tip.id.slice(16, 32),
      expiration: tip.time + LIFETIME_MS,
      timestamp: tip.time,
      ...(Number(fee_limit ?? 0) > 0 ? { fee_limit: Number(fee_limit) } : {}),
    },
  });
  return readTx(wholeTx(utils.transaction.txPbToRawDataHex(built), []));
}
