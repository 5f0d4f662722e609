/** The venue counts in dollars and has no price for them. */
const DOLLARS = { USDC: '1', USDT: '1' };
/** Another name for the same money. */
const WRAPPED = { WETH: 'ETH', WBTC: 'BTC' };

export type Prices = Readonly<Record<string, string>>;

/** Dollars for one whole unit, by symbol: the venue's own, so that nobody in the box can be played against it. */
export async function venuePrices(venueUrl: string): Promise<Prices> {
  const reply = await fetch(`${venueUrl}/info`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ type: 'allMids' }),
  });
  const mids = (await reply.json()) as Prices;
  const wrapped = Object.entries(WRAPPED).map(([symbol, of]) => [symbol, mids[of] ?? '0'] as const);
  return { ...DOLLARS, ...mids, ...Object.fromEntries(wrapped) };
}
