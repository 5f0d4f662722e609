import type { Browser } from 'playwright-core';
import type { Box } from '../e2e/box.ts';
import type { RouteEnd } from '../e2e/routes.ts';
import { type Shopper, USDC, XMR } from '../e2e/shopper.ts';
import type { Meeting } from './meeting.ts';
import type { Visitor } from './visitor.ts';

/** What the stories of one sandbox share. */
export interface Stage {
  readonly browser: Browser;
  readonly box: Box;
  readonly shopper: Shopper;
  readonly meeting: Meeting;
}

export const BASE_USDC = { name: 'USDC Base', chainId: 8453, token: '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913' };

/** USDC for XMR, by the form. */
export async function buying(visitor: Visitor, { shopper }: Pick<Stage, 'shopper'>) {
  const address = await shopper.addressOn(XMR.chainId);
  const url = await visitor.create({ from: 'USDC · Arbitrum', to: 'XMR · Monero', send: '100', address });
  return { address, url, deposit: await visitor.depositAddress() };
}

/** Half an XMR for USDC, with an address for a refund. */
export async function selling(visitor: Visitor, { shopper }: Pick<Stage, 'shopper'>) {
  const [address, refund] = [await shopper.addressOn(USDC.chainId), await shopper.addressOn(XMR.chainId)];
  const wish = { from: 'XMR · Monero', to: 'USDC · Arbitrum', send: '0.5', address, refund };
  const url = await visitor.create(wish);
  return { address, refund, url, deposit: await visitor.depositAddress() };
}

/** How many payments the chain shows there. */
export const paid = async (
  { shopper }: Pick<Stage, 'shopper'>,
  address: string,
  end: RouteEnd = XMR,
): Promise<number> => (await shopper.received(end, address)).transfers.length;
