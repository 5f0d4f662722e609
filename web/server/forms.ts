import { formatUnits, parseUnits } from '../../src/kernel/amount.ts';

/** A body of 16 KB holds every form of ours many times over. */
export const FORM_BYTES = 16 * 1024;
/** No field of ours is longer. */
const FIELD_CHARS = 1_200;
const MOST_TICKS = 50;

export interface Form {
  /** Trimmed, and cut where it is longer than any of its kind; empty where it was not sent. */
  text(name: string, most?: number): string;
  /** What was ticked under one name. */
  all(name: string): readonly string[];
  has(name: string): boolean;
}

export function readForm(body: string): Form {
  const fields = new URLSearchParams(body);
  return {
    text: (name, most = FIELD_CHARS) => (fields.get(name) ?? '').trim().slice(0, most),
    all: (name) => fields.getAll(name).slice(0, MOST_TICKS),
    has: (name) => (fields.get(name) ?? '') !== '',
  };
}

export type AmountTrouble = 'missing' | 'unreadable' | 'too_fine' | 'zero';
export type ReadAmount = { readonly atoms: bigint } | { readonly trouble: AmountTrouble };

/** Exact decimals, with a point or a comma; spaces that people put between digits are not digits. */
export function readAmount(text: string, decimals: number): ReadAmount {
  const plain = text.replaceAll(/[\s\u00a0\u202f']/g, '').replace(',', '.');
  if (plain === '') return { trouble: 'missing' };
  if (!/^(?:\d{1,40}(?:\.\d{0,40})?|\.\d{1,40})$/.test(plain)) return { trouble: 'unreadable' };
  const [whole = '', fraction = ''] = plain.split('.');
  const atoms = parseUnits(`${whole || '0'}.${fraction || '0'}`, decimals);
  if (atoms === undefined) return { trouble: 'too_fine' };
  return atoms === 0n ? { trouble: 'zero' } : { atoms };
}

export const showAtoms = (atoms: string | bigint, decimals: number): string => formatUnits(BigInt(atoms), decimals);

const URI =
  /^(bitcoin|litecoin|monero|zcash|ethereum|solana|tron|tronlink):(?:\/\/)?(?:pay-)?([^?@/&]+)(?:[^?]*)(?:\?(.*))?$/i;

/** An address, or the address and the amount that a payment link holds. */
export function readPasted(text: string): { readonly address: string; readonly amount: string | undefined } {
  const found = URI.exec(text);
  if (!found) return { address: text, amount: undefined };
  const query = new URLSearchParams(found[3] ?? '');
  // EIP-681 of a token names the receiver in the query; its amount is in atoms of a token that it does not tell.
  const receiver = query.get('address');
  if (receiver) return { address: receiver, amount: undefined };
  const amount = query.get('amount') ?? query.get('tx_amount') ?? undefined;
  return { address: found[2] ?? text, amount };
}

const LOOKS: readonly (readonly [name: string, families: readonly string[], pattern: RegExp])[] = [
  ['Ethereum', ['evm', 'venue'], /^0x[0-9a-fA-F]{40}$/],
  ['Bitcoin', ['bitcoin'], /^(?:bc1[02-9ac-hj-np-z]{8,87}|[13][1-9A-HJ-NP-Za-km-z]{25,34})$/],
  ['Monero', ['monero'], /^[48][1-9A-HJ-NP-Za-km-z]{94}(?:[1-9A-HJ-NP-Za-km-z]{11})?$/],
  ['Tron', ['tron'], /^T[1-9A-HJ-NP-Za-km-z]{33}$/],
  [
    'Zcash',
    ['zcash'],
    /^(?:t[13][1-9A-HJ-NP-Za-km-z]{33}|zs1[02-9ac-hj-np-z]{75}|u1[02-9ac-hj-np-z]{40,300}|tex1[02-9ac-hj-np-z]{38})$/,
  ],
  ['Solana', ['solana'], /^[1-9A-HJ-NP-Za-km-z]{43,44}$/],
];

/** The chain that an address seems to belong to, where that is another than the one it was given for. */
export function looksLikeAnother(address: string, family: string): string | undefined {
  const found = LOOKS.filter(([, , pattern]) => pattern.test(address));
  if (found.some(([, families]) => families.includes(family))) return undefined;
  return found[0]?.[0];
}

/** Whether an address has a form of this family; its checksum is the desk's to judge. */
export const looksLikeOne = (address: string, family: string): boolean =>
  LOOKS.some(([, families, pattern]) => families.includes(family) && pattern.test(address));
