import { atoms, parseUnits } from '../../../kernel/amount.ts';
import { instant } from '../../../kernel/clock.ts';
import { type Address, assetId } from '../../../kernel/ids.ts';
import type { AttemptStatus, SignedTransfer } from '../../chains/chain.ts';
import type { LedgerRow } from '../venue.ts';
import { type Desk, SENDS } from './desk.ts';
import { ledgerRows, type RawUpdate } from './ledger.ts';
import { CLOCK_MARGIN_MS, NONCE_LIFE_MS } from './nonce-life.ts';
import { openReadings, type Stretch } from './readings.ts';
import { VENUE_CHAIN } from './tokens.ts';
import { type DecodedTransfer, decodeTransfer } from './transfer-codec.ts';

/** Attempts whose nonces lie within this time share readings. */
const STRETCH_MS = 600_000;
/** Attempts are found by signer and nonce in the history of the sender or, where that is gone, of the recipient. */
export function openStatus(desk: Desk): (signed: SignedTransfer) => Promise<AttemptStatus> {
  const read = openReadings(desk.historyPage, desk.clock);
  const around = async (user: Address, nonce: number) => (await read(...stretchAround(user, nonce, desk))).rows;
  return async ({ raw }) => {
    const sent = decodeTransfer(raw);
    const found =
      rowsOf(sent, await around(sent.from, sent.nonce), desk) ??
      // An account that was emptied may lose its history; the hot account is never empty.
      (sent.from === desk.hot ? undefined : rowsOf(sent, await around(sent.to, sent.nonce), desk));
    if (found) return statusOf(sent, found, desk);
    return deadOrUnknown(sent, desk, read);
  };
}

/** The older an attempt, the older a reading will do for it. */
function stretchAround(user: Address, nonce: number, { clock }: Desk): [string, Stretch] {
  const start = nonce - (nonce % STRETCH_MS);
  const since = instant(start - CLOCK_MARGIN_MS);
  const until = instant(start + STRETCH_MS + NONCE_LIFE_MS + CLOCK_MARGIN_MS);
  return [`${user}:${start}`, { user, since, until, keepMs: Math.min(60_000, (clock.now() - nonce) / 10) }];
}

/** What this account did under this nonce, as the sender sees it. */
function rowsOf(
  { from, nonce }: DecodedTransfer,
  history: readonly RawUpdate[],
  { tokens }: Desk,
): readonly LedgerRow[] | undefined {
  const isIt = ({ delta }: RawUpdate) =>
    SENDS.has(String(delta.type)) && delta.nonce === nonce && String(delta.user) === from.toLowerCase();
  const update = history.find(isIt);
  if (!update) return undefined;
  // Opening the recipient's account is told in the row itself or in one beside it.
  const beside = history.filter(({ hash, delta }) => hash === update.hash && delta.type === 'accountActivationGas');
  // What we sent ourselves is one of our tokens, whoever else bears its name.
  return [update, ...beside].flatMap((one) => ledgerRows(one, from, { all: tokens, ours: tokens }));
}

function makes(sent: DecodedTransfer, row: LedgerRow, desk: Desk): boolean {
  const asset = assetId(VENUE_CHAIN, sent.token);
  return (
    row.kind === 'send_out' &&
    row.counterparty === sent.to &&
    row.asset === asset &&
    row.atoms === parseUnits(sent.amount, desk.token(asset).decimals)
  );
}

function statusOf(sent: DecodedTransfer, rows: readonly LedgerRow[], desk: Desk): AttemptStatus {
  const [out, opening] = rows;
  if (!out || !makes(sent, out, desk)) {
    const { from, nonce } = sent;
    return { state: 'dead', proof: `nonce ${nonce} of ${from} was used by another send, ${out?.txHash}` };
  }
  // Dated later than our own clock: it counts when the clock is there.
  if (out.at > desk.clock.now()) return { state: 'pool' };
  const cost = opening?.asset === desk.usdc ? opening.atoms : atoms(0n);
  const { at: height, txHash } = out;
  const depth = { have: 1, need: 1 };
  return { state: 'mined', block: { height, hash: txHash }, txHash, depth, settled: true, ok: true, cost };
}

/** The hot account sends and receives on most days; what is older than this is not read to see that its history is there. */
const HOT_BEFORE_MS = 30 * 86_400_000;

/**
 * Not found proves nothing by itself: servers lag or answer with nothing, and a duplicate nonce says that it was used, not by what. Proof
 * is that the nonce is too old to be taken, and a history that was never cut off and does not know it: it has rows from before, and of the
 * hot account, whose history is read in part, from after its time as well.
 */
async function deadOrUnknown(
  sent: DecodedTransfer,
  desk: Desk,
  readings: ReturnType<typeof openReadings>,
): Promise<AttemptStatus> {
  const { from, nonce } = sent;
  const expired = instant(nonce + NONCE_LIFE_MS + CLOCK_MARGIN_MS);
  if (desk.clock.now() <= expired) return { state: 'unknown' };
  const isHot = from === desk.hot;
  const since = instant(isHot ? Math.max(0, nonce - HOT_BEFORE_MS) : 0);
  // By a name of its own: a reading that began after the nonce was dead.
  const { rows: history, ...read } = await readings(`${from}:${nonce} is dead`, {
    user: from,
    since,
    until: isHot ? desk.clock.now() : expired,
    keepMs: 0,
  });
  if (isHot && read.isEnd && !history.some(({ at }) => at > expired))
    return {
      state: 'unknown',
      reason: `the venue shows nothing of ${from} since nonce ${nonce} expired: ${SEND_SOMETHING}`,
    };
  const isWhole = read.isEnd && read.isWhole && history.some(({ at }) => at < nonce);
  if (!isWhole || rowsOf(sent, history, desk)) return { state: 'unknown' };
  const nameless = namelessRow(sent, history, desk);
  if (nameless)
    return { state: 'unknown', reason: `${nameless.txHash} did the same and the venue does not say under which nonce` };
  const proof = `nonce ${nonce} of ${from} expired two days after it was made, and no row of its history bears it`;
  return { state: 'dead', proof };
}

const SEND_SOMETHING = 'anything that is sent there shows whether its history is whole';

/** A row may come without its nonce: one that sends the same may be this very send. */
function namelessRow(sent: DecodedTransfer, history: readonly RawUpdate[], desk: Desk): LedgerRow | undefined {
  const names = { all: desk.tokens, ours: desk.tokens };
  return history
    .filter(({ at, delta }) => at >= sent.nonce - CLOCK_MARGIN_MS && SENDS.has(String(delta.type)))
    .flatMap((update) => ledgerRows(update, sent.from, names))
    .find((row) => row.nonce === undefined && makes(sent, row, desk));
}
