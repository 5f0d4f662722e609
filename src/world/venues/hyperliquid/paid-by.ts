import { atoms } from '../../../kernel/amount.ts';
import { instant } from '../../../kernel/clock.ts';
import { type Address, txHash } from '../../../kernel/ids.ts';
import type { PaidBy, Refused, Transfer } from '../../chains/chain.ts';
import type { Desk } from './desk.ts';
import { ledgerRows } from './ledger.ts';

/** Whoever asks for what is older than this looks into the venue's own records. */
const LOOK_BACK_MS = 30 * 86_400_000;
/** System actions share it, so that it names nothing. */
const NO_HASH = /^0x0+$/;

/** Whether the account's own history has one send of exactly this under that hash. What the history shows is final. */
export async function paidBy(
  { history, tokens, clock, usdc }: Desk,
  from: Address,
  { asset, atoms: value, to }: Transfer,
  named: string,
): Promise<PaidBy | Refused> {
  if (!/^0x[0-9a-f]{64}$/i.test(named) || NO_HASH.test(named)) return { refused: 'this is no hash of the venue' };
  const hash = txHash(named.toLowerCase());
  const updates = await history(from, instant(clock.now() - LOOK_BACK_MS));
  const rows = updates
    .filter((update) => update.hash.toLowerCase() === hash)
    .flatMap((update) => ledgerRows(update, from, { all: tokens, ours: tokens }));
  if (rows.length === 0) return { refused: `the history of ${from} knows no such hash in the last thirty days` };
  const sent = rows.filter(({ kind }) => kind === 'send_out');
  const [out] = sent;
  if (sent.length !== 1 || out?.asset !== asset || out.atoms !== value || out.counterparty !== to)
    return { refused: `it did not send ${value} of ${asset} to ${to}` };
  const opening = rows.find((row) => row.kind === 'activation' && row.asset === usdc);
  // Dated later than our own clock: it counts when the clock is there.
  return { txHash: hash, settled: out.at <= clock.now(), cost: opening?.atoms ?? atoms(0n) };
}
