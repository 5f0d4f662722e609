import { type Atoms, atoms } from '../../../kernel/amount.ts';
import { Fault } from '../../../kernel/fault.ts';
import type { Address, AssetId } from '../../../kernel/ids.ts';
import type { Refused, Terms, Transfer } from '../../chains/chain.ts';
import type { Ask } from './ask.ts';
import { OPENING_FEE, USDC_DECIMALS } from './codec.ts';
import type { Desk } from './desk.ts';
import { exactAtoms, fields, VENUE } from './reply.ts';
import { tokenWire } from './tokens.ts';

/** `nonce` is the nonce: any millisecond that was not used, so that the newest one will do. */
export async function transferTerms(
  desk: Desk,
  ask: Ask,
  from: Address,
  transfer: Transfer,
  refuses: (address: Address) => string | undefined,
): Promise<Terms | Refused> {
  const { to, asset, atoms: value } = transfer;
  const wire = tokenWire(desk.tokens, asset);
  const terms = (cost: Atoms, usual: Atoms): Terms => ({
    opening: usual,
    nonce: desk.clock.now(),
    fee: { ...wire, opening: cost.toString() },
    cost,
    usual,
  });
  // Nobody pays himself here; whoever asks wants to know what sending costs.
  if (to === from)
    return value === 0n ? terms(OPENING_FEE, atoms(0n)) : { refused: 'an account cannot pay itself here' };
  const reason = refuses(to);
  if (reason !== undefined) return { refused: reason };
  const held = await heldOf(desk, from);
  insist(held(asset) >= value, `${from} holds ${held(asset)} of ${asset}, not ${value}`);
  const told = fields(
    await ask({ type: 'preTransferCheck', user: lower(to), source: lower(from) }),
    'preTransferCheck',
  );
  if (told.isSanctioned === true) return { refused: 'the venue blocks this address' };
  const fee = atoms(exactAtoms(told.fee, USDC_DECIMALS, 'preTransferCheck.fee'));
  insist(fee <= OPENING_FEE, `opening ${to} costs ${fee}`);
  // A send that cannot pay for the opening uses up its nonce for nothing. Deposit accounts are given what they lack.
  const usdc = held(desk.usdc) - (asset === desk.usdc ? value : 0n);
  insist(value === 0n || usdc >= fee || from !== desk.hot, `${from} has ${usdc} to open ${to} with, not ${fee}`);
  return terms(fee, fee);
}

async function heldOf(desk: Desk, user: Address): Promise<(asset: AssetId) => bigint> {
  const holdings = await desk.holdings(user);
  return (asset) => holdings.find((one) => one.asset === asset)?.free ?? 0n;
}

function insist(isSo: boolean, otherwise: string): void {
  if (!isSo) throw new Fault('transient', VENUE, otherwise);
}

const lower = (address: Address): string => address.toLowerCase();
