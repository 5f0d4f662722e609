import { allOf, inField } from '../kernel/field-refusals.ts';
import type { Address } from '../kernel/ids.ts';
import { isRefusal, type Refusal, unavailable } from '../kernel/refusal.ts';
import type { Bridge } from '../life/order/order.ts';
import { bridgeQuote, withActivation } from '../life/quote/bridge-quote.ts';
import type { Quote } from '../life/quote/quote.ts';
import type { ApiDeps } from './deps.ts';

/** What both generations ask a bridge order for, in wire text. */
export interface BridgeRequest {
  readonly bridge: Bridge;
  readonly toAddress: string;
  /** Coins whose chain shows no sender need it; elsewhere the sender is known. */
  readonly refundAddress?: string | undefined;
}

export interface WantedBridge {
  readonly bridge: Bridge;
  readonly quote: Quote;
  readonly toAddress: Address;
  readonly refundAddress: Address | undefined;
}

export async function readBridgeRequest(
  { bridge, toAddress, refundAddress }: BridgeRequest,
  deps: ApiDeps,
): Promise<WantedBridge | Refusal> {
  const quote = await bridgeTermsOf(bridge, deps);
  if (isRefusal(quote)) return quote;
  const { catalog } = deps;
  const read = allOf(
    inField('toAddress', catalog.parseDestination(quote.to.chainId, toAddress)),
    refundAddress === undefined
      ? undefined
      : inField('refundAddress', catalog.parseDestination(quote.from.chainId, refundAddress)),
  );
  if (isRefusal(read)) return read;
  const activation = await deps.quotes.activation(quote.to.id, read[0]);
  if (!activation) return unavailable('prices', 'What paying this address costs cannot be had at the moment.');
  return { bridge, quote: withActivation(quote, activation), toAddress: read[0], refundAddress: read[1] };
}

/**
 * Gives the terms of now, or says why there are none: a bridge that is switched off may come back, an unknown one will
 * not.
 */
export async function bridgeTermsOf(bridge: Bridge, deps: ApiDeps): Promise<Quote | Refusal> {
  const { settings } = deps.bridges;
  const asset = settings.assets.find(({ name }) => name === bridge.asset);
  const off = unavailable(
    'switched_off',
    `This bridge is switched off at the moment: ${bridge.asset} ${bridge.direction}.`,
  );
  if (!asset || !(await deps.bridges.isOn(bridge))) return off;
  const price = await deps.quotes.price(asset.native.id);
  return price ? bridgeQuote(settings, asset, bridge.direction, price, deps.clock.now()) : off;
}
