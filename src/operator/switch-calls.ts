import { Type } from '@sinclair/typebox';
import { isoTime } from '../kernel/clock.ts';
import { refuse } from '../kernel/refusal.ts';
import { SCOPE_PATTERN, SCOPES, type Scope } from '../life/trip/trip.ts';
import type { Breaker, BreakerBoard, Switches } from '../store/gates.ts';
import { call, exact, Reason, type Room } from './operator-call.ts';

export const BRIDGED = ['xmr', 'trx', 'zec'] as const;
export const DIRECTIONS = ['deposit', 'withdraw'] as const;

const oneOf = <T extends string>(values: readonly T[]) => Type.Union(values.map((value) => Type.Literal(value)));
const BridgeParams = exact({ asset: oneOf(BRIDGED), direction: oneOf(DIRECTIONS) });
const BridgeSwitch = exact({ enabled: Type.Boolean() });
const ScopeParams = exact({ scope: Type.Unsafe<Scope>(Type.String({ pattern: SCOPE_PATTERN })) });
/** Whoever closes one need not say why. */
const BreakerChange = exact({
  open: Type.Boolean(),
  reason: Type.Optional(Type.Union([Reason, Type.Literal('')])),
});

export interface SwitchCallsDeps {
  readonly switches: Switches;
  readonly breakers: BreakerBoard;
  /** The chains and providers of this desk, each of which has a breaker of its own: `chain:<id>`, `provider:<name>`. */
  readonly places: readonly Scope[];
}

/** The name under which a bridge's switch is kept. */
export const bridgeSwitch = (asset: string, direction: string): string => `bridge:${asset}:${direction}`;

export function switchCalls(room: Room, { switches, breakers, places }: SwitchCallsDeps): void {
  const scopes: readonly Scope[] = [...SCOPES, ...places];
  call(room, {
    method: 'GET',
    path: '/operator/bridges',
    async run() {
      const pairs = BRIDGED.flatMap((asset) => DIRECTIONS.map((direction) => ({ asset, direction })));
      const read = async (pair: (typeof pairs)[number]) => ({
        ...pair,
        enabled: await switches.isOn(bridgeSwitch(pair.asset, pair.direction)),
      });
      return { bridges: await Promise.all(pairs.map(read)) };
    },
  });

  call(room, {
    method: 'PUT',
    path: '/operator/bridges/:asset/:direction',
    params: BridgeParams,
    body: BridgeSwitch,
    async run({ params: { asset, direction }, body: { enabled } }) {
      await switches.set(bridgeSwitch(asset, direction), enabled);
      return { asset, direction, enabled };
    },
  });

  call(room, {
    method: 'GET',
    path: '/operator/breakers',
    async run() {
      const set = await breakers.all();
      const untouched = scopes.filter((scope) => !set.some((one) => one.scope === scope));
      return { breakers: [...set.map(shown), ...untouched.map((scope) => ({ scope, open: false }))] };
    },
  });

  call(room, {
    method: 'PUT',
    path: '/operator/breakers/:scope',
    params: ScopeParams,
    body: BreakerChange,
    async run({ params: { scope }, body: { open, reason = '' }, by }) {
      if (open && reason === '') return refuse('invalid_request', 'A breaker is opened for a reason: say which.');
      if (open && !scopes.includes(scope))
        return refuse('invalid_request', `Nothing here is called ${scope}; there are ${scopes.join(', ')}.`);
      return shown(await breakers.set(scope, open, reason, by));
    },
  });
}

const shown = ({ since, ...rest }: Breaker) => ({ ...rest, since: isoTime(since) });
