import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, hexToBytes, utf8ToBytes } from '@noble/hashes/utils.js';
import { formatUnits } from '../../../src/kernel/amount.ts';
import { encodeAddress, expiryHeight, ZEC_DECIMALS } from '../../../src/world/chains/zcash/codec.ts';
import type { Pool } from '../../../src/world/chains/zcash/reply-codec.ts';
import type { Block, Coin, Ledger } from './ledger.ts';
import type { Decoded, SimOutput } from './transaction.ts';

/** Transactions as zcashd prints them: https://zcash.github.io/rpc/getrawtransaction.html */

/** Coins as the JSON number that the real node writes. */
export const coins = (zat: bigint): number => Number(formatUnits(zat, ZEC_DECIMALS));

/** The parts of a transparent receiver. */
export function transparent(receiver: string) {
  const [type = '', hash = ''] = receiver.split(':');
  const address = encodeAddress({ kind: 'transparent', receivers: { [type]: hexToBytes(hash) } });
  return type === 'p2pkh'
    ? {
        address,
        hex: `76a914${hash}88ac`,
        asm: `OP_DUP OP_HASH160 ${hash} OP_EQUALVERIFY OP_CHECKSIG`,
        type: 'pubkeyhash',
      }
    : { address, hex: `a914${hash}87`, asm: `OP_HASH160 ${hash} OP_EQUAL`, type: 'scripthash' };
}

export function printScript(receiver: string): object {
  const { address, asm, hex, type } = transparent(receiver);
  return { asm, hex, reqSigs: 1, type, addresses: [address] };
}

export function printTx(ledger: Ledger, { txid, raw, tx }: Decoded): object {
  const spent = tx.spends.flatMap((key) => ledger.coins.get(key) ?? []);
  const isCoinbase = tx.coinbase !== undefined;
  return {
    ...{ hex: raw, txid, size: raw.length / 2, overwintered: true, version: 5, versiongroupid: '26a7270a' },
    ...{ locktime: 0, expiryheight: expiryHeight(raw) ?? 0 },
    vin: isCoinbase ? [{ coinbase: '00', sequence: 0xffff_ffff }] : of('transparent', spent).map(printInput),
    vout: of('transparent', tx.outputs).map(({ index, zat, to }) => ({
      ...{ value: coins(BigInt(zat)), valueZat: Number(zat), valueSat: Number(zat), n: index },
      scriptPubKey: printScript(to),
    })),
    vjoinsplit: [],
    ...balance('sapling', spent, tx.outputs),
    vShieldedSpend: of('sapling', spent).map(({ key }) => ({ nullifier: nameless(key) })),
    vShieldedOutput: of('sapling', tx.outputs).map(({ index }) => ({ cmu: nameless(`${txid}:sapling:${index}`) })),
    orchard: { actions: actions(txid, spent, tx.outputs), ...balance('orchard', spent, tx.outputs) },
  };
}

export function printPlace({ tip }: Ledger, { height, hash, time }: Block): object {
  const confirmations = tip.height - height + 1;
  return { blockhash: hash, height, confirmations, time, blocktime: time };
}

function of<O extends SimOutput>(pool: Pool, outputs: readonly O[]): readonly O[] {
  return outputs.filter((output) => output.pool === pool);
}

const printInput = ({ txid, index, zat, to }: Coin): object => ({
  ...{ txid, vout: index, scriptSig: { asm: '', hex: '' }, sequence: 0xffff_ffff },
  ...{ value: coins(BigInt(zat)), valueSat: Number(zat), address: transparent(to).address },
});

/** Nobody can read from it what it stands for. */
const nameless = (key: string): string => bytesToHex(sha256(utf8ToBytes(key)));

/** An action spends and pays at once, so that their number says only what there is more of. */
function actions(txid: string, spent: readonly Coin[], outputs: readonly SimOutput[]): readonly object[] {
  const [ins, outs] = [of('orchard', spent), of('orchard', outputs)];
  const most = Math.max(ins.length, outs.length);
  return Array.from({ length: most === 0 ? 0 : Math.max(2, most) }, (_, at) => ({
    nullifier: nameless(ins[at]?.key ?? `${txid}:no spend:${at}`),
    cmx: nameless(`${txid}:orchard:${at}`),
  }));
}

/** How much more a pool gives than it takes. */
function balance(pool: Pool, spent: readonly Coin[], outputs: readonly SimOutput[]): object {
  const sum = (all: readonly SimOutput[]) => of(pool, all).reduce((total, { zat }) => total + BigInt(zat), 0n);
  const more = sum(spent) - sum(outputs);
  return { valueBalance: coins(more), valueBalanceZat: Number(more) };
}
