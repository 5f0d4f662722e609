import { PROVIDERS } from '../providers.ts';
import type { World } from '../world.ts';
import type { Mode } from './faults.ts';
import { bad } from './server.ts';

const CONNECTION = ['down', 'slow', 'error_after_effect', 'reject'] as const;

/** Which party can fail in which way, and who makes it fail. */
export function setFault(world: World, target: string, mode: Mode, count: number | undefined): void {
  const [family = '', name = ''] = target.split(/:(.*)/s);
  const times = count === undefined ? {} : { count };
  const isVenue = family === 'venue' && name === '';
  if (isVenue || ((family === 'chain' || family === 'payout') && name === `${world.venue.chainId}`)) {
    expectMode(target, mode, CONNECTION);
    world.venue.simulator.setFault({ mode, ...times, ...(family === 'payout' ? { isForSends: true } : {}) });
  } else if (family === 'screening' && name === '') {
    expectMode(target, mode, ['down']);
    if (count !== undefined) throw bad('count: screening fails until the faults are cleared');
    world.screening.takeAway();
  } else if (family === 'provider') {
    const provider = PROVIDERS.find((one) => one === name);
    if (!provider) throw bad(`target: the providers are ${PROVIDERS.join(' and ')}`);
    expectMode(target, mode, [...CONNECTION, 'short_delivery', 'other_asset']);
    world.providers.simulators[provider].setFault({ mode, ...times });
  } else if (family === 'chain' || family === 'payout') {
    setChainFault(world, family, name, mode, count);
  } else {
    throw bad('target: no such party');
  }
}

function setChainFault(world: World, family: 'chain' | 'payout', name: string, mode: Mode, count?: number): void {
  const chain = world.chains.find(({ chainId }) => String(chainId) === name);
  if (!chain) throw bad(`target: there is no chain ${name.slice(0, 20)}`);
  const target = `${family}:${chain.chainId}`;
  if (mode === 'refuse_destination' && family === 'payout') {
    if (!world.wireOf(chain.chainId).refusing) throw bad(`mode: nobody can refuse a payment on ${chain.name}`);
  } else {
    expectMode(target, mode, CONNECTION);
  }
  world.faults.set(target, mode, count);
}

function expectMode<M extends Mode>(target: string, mode: Mode, possible: readonly M[]): asserts mode is M {
  if (!possible.some((one) => one === mode))
    throw bad(`mode: ${target} can fail by ${possible.join(', ')}, not ${mode}`);
}

export function clearFaults({ faults, venue, screening, providers }: World): void {
  faults.clear();
  venue.simulator.clearFaults();
  for (const name of PROVIDERS) providers.simulators[name].clearFaults();
  screening.bringBack();
}
