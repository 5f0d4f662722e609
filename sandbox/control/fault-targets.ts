import type { World } from '../world.ts';
import type { Mode } from './faults.ts';
import { bad, notHere } from './server.ts';

const CONNECTION = ['down', 'slow', 'error_after_effect', 'reject'] as const;

/** Which party can fail in which way, and who makes it fail. */
export function setFault(world: World, target: string, mode: Mode, count: number | undefined): void {
  const [family = '', name = ''] = target.split(/:(.*)/s);
  if (family === 'provider') throw notHere('this sandbox has no providers');
  if (family === 'venue' && name === '') {
    expectMode(target, mode, CONNECTION);
    world.venue.simulator.setFault({ mode, ...(count === undefined ? {} : { count }) });
    return;
  }
  if (family === 'screening' && name === '') {
    expectMode(target, mode, ['down']);
    if (count !== undefined) throw bad('count: screening fails until the faults are cleared');
    world.screening.takeAway();
    return;
  }
  if ((family !== 'chain' && family !== 'payout') || !/^\d{1,16}$/.test(name)) throw bad('target: no such party');
  const chain = world.chains.find(({ chainId }) => chainId === Number(name));
  if (!chain) throw notHere(`this sandbox runs no chain ${name}`);
  const canRefuse = family === 'payout' && world.evm.some(({ chainId }) => chainId === chain.chainId);
  expectMode(target, mode, canRefuse ? [...CONNECTION, 'refuse_destination'] : CONNECTION);
  world.faults.set(`${family}:${chain.chainId}`, mode, count);
}

function expectMode<M extends Mode>(target: string, mode: Mode, possible: readonly M[]): asserts mode is M {
  if (!possible.some((one) => one === mode))
    throw bad(`mode: ${target} can fail by ${possible.join(', ')}, not ${mode}`);
}

export function clearFaults({ faults, venue, screening }: World): void {
  faults.clear();
  venue.simulator.clearFaults();
  screening.bringBack();
}
