import { decodeAddress, receiverNames } from '../../../src/world/chains/zcash/codec.ts';
import { RpcFailure } from '../rpc-server.ts';
import type { Coin, Ledger } from './ledger.ts';
import { transparent } from './print-tx.ts';
import type { Methods } from './server.ts';

interface Question {
  readonly addresses: readonly unknown[];
  readonly start?: number;
  readonly end?: number;
  readonly chainInfo?: boolean;
}

interface Delta {
  readonly coin: Coin;
  readonly txid: string;
  readonly height: number;
  readonly satoshis: number;
}

/** The index of transparent addresses, as zcashd and Zebra print it: https://zcash.github.io/rpc/getaddressutxos.html */
export function addressMethods(ledger: Ledger): Methods {
  const paid = ({ addresses }: Question): readonly Coin[] => {
    const names = new Set(addresses.map(transparentName));
    return [...ledger.coins.values()].filter(({ to }) => names.has(to));
  };
  const heights = () =>
    new Map(ledger.blocks.flatMap(({ height, txs }) => txs.map(({ txid }) => [txid, height] as const)));
  const deltas = (question: Question): readonly Delta[] => {
    const { start = 0, end = ledger.tip.height } = question;
    const placeOf = heights();
    const all = paid(question).flatMap((coin): Delta[] => {
      const { key, txid, height } = coin;
      const spender = ledger.spent.get(key);
      const spentAt = spender === undefined ? undefined : placeOf.get(spender);
      const got = { coin, txid, height, satoshis: Number(coin.zat) };
      if (spender === undefined || spentAt === undefined) return [got];
      return [got, { coin, txid: spender, height: spentAt, satoshis: -Number(coin.zat) }];
    });
    return all.filter(({ height }) => height >= start && height <= end).sort((one, other) => one.height - other.height);
  };
  return {
    getaddressbalance: ([asked]) => {
      const zat = (coins: readonly Coin[]) => coins.reduce((total, coin) => total + Number(coin.zat), 0);
      const received = paid(questionOf(asked));
      return { balance: zat(received.filter(({ key }) => !ledger.spent.has(key))), received: zat(received) };
    },
    getaddressutxos: ([asked]) => {
      const question = questionOf(asked);
      const utxos = paid(question)
        .filter(({ key }) => !ledger.spent.has(key))
        .map(({ to, txid, index, zat, height }) => {
          const { address, hex } = transparent(to);
          return { address, txid, outputIndex: index, script: hex, satoshis: Number(zat), height };
        });
      return question.chainInfo ? { utxos, hash: ledger.tip.hash, height: ledger.tip.height } : utxos;
    },
    getaddresstxids: ([asked]) => [...new Set(deltas(questionOf(asked)).map(({ txid }) => txid))],
    getaddressdeltas: ([asked]) =>
      deltas(questionOf(asked)).map(({ coin, txid, height, satoshis }) => ({
        ...{ satoshis, txid, index: coin.index, height, address: transparent(coin.to).address },
      })),
    validateaddress: ([text]) => {
      const decoded = decodeAddress(String(text));
      if (decoded?.kind !== 'transparent') return { isvalid: false };
      const [name = ''] = receiverNames(decoded);
      const { address, hex, type } = transparent(name);
      return { isvalid: true, address, scriptPubKey: hex, isscript: type === 'scripthash' };
    },
    z_validateaddress: ([text]) => {
      const decoded = decodeAddress(String(text));
      if (!decoded) return { isvalid: false };
      const [name = ''] = receiverNames(decoded);
      const type = decoded.kind === 'transparent' ? name.split(':')[0] : decoded.kind;
      return { isvalid: true, address: text, address_type: type };
    },
  };
}

function questionOf(asked: unknown): Question {
  if (typeof asked === 'string') return { addresses: [asked] };
  const { addresses } = (asked ?? {}) as Partial<Question>;
  if (!Array.isArray(addresses)) throw new RpcFailure(-5, 'Addresses is expected to be an array');
  return asked as Question;
}

function transparentName(text: unknown): string {
  const decoded = decodeAddress(String(text));
  const [name] = decoded?.kind === 'transparent' ? receiverNames(decoded) : [];
  if (!name) throw new RpcFailure(-5, 'Invalid address');
  return name;
}
