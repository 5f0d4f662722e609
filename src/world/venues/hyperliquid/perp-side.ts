import { atoms } from '../../../kernel/amount.ts';
import { type Instant, instant } from '../../../kernel/clock.ts';
import { type Address, txHash } from '../../../kernel/ids.ts';
import type { OutOfReach } from '../../chains/chain.ts';
import { parseVenueAddress } from './address.ts';
import { USDC_DECIMALS } from './codec.ts';
import type { Desk } from './desk.ts';
import { PERP, type RawUpdate } from './ledger.ts';
import { FLOOD } from './paging.ts';
import { exactAtoms, text } from './reply.ts';

/** Seldom, since it is a mistake of the sender: for the newest two hundred accounts it costs 80 of the 1,200 a minute. */
const EVERY_MS = 5 * 60_000;
/** Accounts whose last look is remembered. */
const MOST_REMEMBERED = 1_000;
const WHY = 'it lies on the perpetual side of the account';
/** Sending costs nothing here, and nobody is to be called for dust. */
const LEAST = 10n ** BigInt(USDC_DECIMALS);

/**
 * An account has a perpetual side, on which it holds USDC as well, and a customer can send to it (`usdSend`, or `sendAsset`
 * to the side ""). Deposit accounts do not trade, and the signer moves nothing there: a person must know.
 */
export function openPerpLook(desk: Desk): (address: Address, now: Instant) => Promise<readonly OutOfReach[]> {
  const looked = new Map<Address, Instant>();
  return async (address, now) => {
    const last = looked.get(address);
    if (last !== undefined && now - last < EVERY_MS) return [];
    const held = await desk.perpUsdc(address);
    if (looked.size >= MOST_REMEMBERED) looked.clear();
    looked.set(address, now);
    if (held < LEAST) return [];
    const history = await desk.history(address, instant(0), { bound: FLOOD });
    return history.flatMap((update) => arrivalOnPerp(update, address, desk) ?? []);
  };
}

function arrivalOnPerp({ key, hash, delta }: RawUpdate, address: Address, { usdc }: Desk): OutOfReach | undefined {
  const told =
    delta.type === 'internalTransfer'
      ? delta.usdc
      : delta.type === 'send' && delta.destinationDex === PERP
        ? delta.amount
        : undefined;
  if (told === undefined) return undefined;
  const [sender, payee] = [delta.user, delta.destination].map((one) =>
    parseVenueAddress(text(one, 'ledger.delta').toLowerCase()),
  );
  if (payee !== address || sender === address) return undefined;
  const value = atoms(exactAtoms(told, USDC_DECIMALS, 'ledger.delta.amount'));
  if (value < LEAST) return undefined;
  return { key: `${key}:perp`, address, asset: usdc, atoms: value, txHash: txHash(hash), sender, why: WHY };
}
