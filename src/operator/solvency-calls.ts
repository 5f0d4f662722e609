import { Type } from '@sinclair/typebox';
import { isoTime } from '../kernel/clock.ts';
import type { AssetId } from '../kernel/ids.ts';
import { refuse } from '../kernel/refusal.ts';
import type { ByHand } from '../life/payment/payment.ts';
import { heldOf, type KeptPosition, owedOf, type Solvency, surplusOf } from '../store/solvency.ts';
import { call, exact, Line, type Room } from './operator-call.ts';

export interface SolvencyCallsDeps {
  readonly solvency: Pick<Solvency, 'newest' | 'history'>;
  readonly symbolOf: (asset: AssetId) => string;
  /** What this desk knows. */
  readonly assets: readonly { readonly id: AssetId; readonly symbol: string }[];
  /** Has the engine book what a cold store of this asset holds. */
  countCold(asset: AssetId, atoms: bigint, byHand: ByHand): Promise<void>;
}

const Asked = exact({
  /** So many hours back, one row of each asset for every one of them; up to ninety days. */
  hours: Type.Optional(Type.String({ pattern: '^([1-9][0-9]{0,2}|1[0-9]{3}|20[0-9]{2}|21[0-5][0-9]|2160)$' })),
  asset: Type.Optional(Line(200)),
});

const OfAsset = exact({ asset: Type.String({ pattern: '^\\d{1,16}:[A-Za-z0-9]{1,80}$' }) });
const Counted = exact({ atoms: Type.String({ pattern: '^(0|[1-9]\\d{0,77})$' }), reason: Line(500) });

/** What the desk holds against what it owes. */
export function solvencyCalls(room: Room, { solvency, symbolOf, assets, countCold }: SolvencyCallsDeps): void {
  const shown = (one: KeptPosition) => {
    const { asset, height, hot, deposits, gas, inFlight, providers, cold, orders, claims, payments, integrators } = one;
    return {
      ...{ asset, symbol: symbolOf(asset), at: isoTime(one.at), height },
      held: { total: heldOf(one), hot, deposits, gas, inFlight, providers, cold },
      owed: { total: owedOf(one), orders, claims, payments, integrators },
      ...{ surplus: surplusOf(one), surplusUsdMicros: one.surplusUsd },
    };
  };

  call(room, {
    method: 'PUT',
    path: '/operator/cold/:asset',
    params: OfAsset,
    body: Counted,
    async run({ params: { asset }, body: { atoms, reason }, by }) {
      const known = assets.map(({ id, symbol }) => `${id} (${symbol})`);
      if (!assets.some(({ id }) => id === asset))
        return refuse('not_found', `Nothing here is called ${asset}; there are ${known.join(', ')}.`);
      await countCold(asset as AssetId, BigInt(atoms), { by, reason });
      return { asset, atoms, asked: 'it is booked as what the cold store holds' };
    },
  });

  call(room, {
    method: 'GET',
    path: '/operator/solvency',
    query: Asked,
    async run({ query: { hours, asset } }) {
      const newest = await solvency.newest();
      const isAsked = (one: KeptPosition) => asset === undefined || one.asset === asset;
      const back =
        hours === undefined ? [] : await solvency.history(Number.parseInt(hours, 10), asset as AssetId | undefined);
      return {
        surplusUsdMicros: newest.reduce((sum, { surplusUsd }) => sum + (surplusUsd ?? 0n), 0n),
        assets: newest.filter(isAsked).map(shown),
        ...(hours === undefined ? {} : { history: back.map(shown) }),
      };
    },
  });
}
