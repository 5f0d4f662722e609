import { RpcFailure } from '../rpc-server.ts';

/** In their order; a place may have several names. */
const NAMES: Readonly<Record<string, readonly (readonly string[])[]>> = {
  getblockhash: [['height']],
  getblockheader: [['blockhash'], ['verbose']],
  getblock: [['blockhash'], ['verbosity', 'verbose']],
  getrawmempool: [['verbose']],
  getmempoolentry: [['txid']],
  estimatesmartfee: [['conf_target'], ['estimate_mode']],
  getrawtransaction: [['txid'], ['verbosity', 'verbose'], ['blockhash']],
  decoderawtransaction: [['hexstring'], ['iswitness']],
  sendrawtransaction: [['hexstring'], ['maxfeerate']],
  gettxout: [['txid'], ['n'], ['include_mempool']],
  scantxoutset: [['action'], ['scanobjects']],
  validateaddress: [['address']],
  generatetoaddress: [['nblocks'], ['address'], ['maxtries']],
  generateblock: [['output'], ['transactions']],
  invalidateblock: [['blockhash']],
};

const BAD_PARAMETER = -8;

/** Parameters in their places, whether a call lists or names them. */
export function placed(method: string, params: unknown): readonly unknown[] {
  if (Array.isArray(params)) return params.map((value: unknown) => value ?? undefined);
  if (typeof params !== 'object' || params === null) return [];
  const places = NAMES[method] ?? [];
  const given = Object.entries(params);
  const stranger = given.find(([name]) => !places.some((names) => names.includes(name)));
  if (stranger) throw new RpcFailure(BAD_PARAMETER, `Unknown named parameter ${stranger[0]}`);
  return places.map((names) => given.find(([name]) => names.includes(name))?.[1]);
}
