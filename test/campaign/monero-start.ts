import { moneroHot } from '../../sandbox/families/monero.ts';
import { CUSTOMER } from '../../sandbox/nodes/monero-world.ts';
import { knownTree } from '../../sandbox/seed.ts';
import { COINBASE_LOCK, Ledger } from '../../sandbox/simulators/monero/ledger.ts';
import type { MoneroSnapshot } from '../../sandbox/simulators/monero/simulator.ts';
import { present } from '../../src/kernel/assert.ts';
import { decodeAddress } from '../../src/world/chains/monero/codec.ts';
import { chance } from './random.ts';
import { Scheduler } from './scheduler.ts';
import { enter } from './seal.ts';

const OUTPUTS = 6;
const ATOMS = 500_000_000_000_000n;
const START = 1_790_000_000_000;

let made: MoneroSnapshot | undefined;

/** The first blocks of every seed's Monero: a few outputs for the desk and for customers, ready to be spent. Made once. */
export function moneroStart(): MoneroSnapshot {
  made ??= make(moneroHot(knownTree()));
  return made;
}

function make(hotAddress: string): MoneroSnapshot {
  enter({ scheduler: new Scheduler(chance('monero'), START), chance: chance('monero') });
  const ledger = new Ledger();
  const many = (address: string) => {
    const payee = { address: present(decodeAddress(address), 'an address to fund'), atoms: ATOMS };
    return Array.from({ length: OUTPUTS }, () => payee);
  };
  ledger.mine([...many(hotAddress), ...many(CUSTOMER.address)]);
  for (let left = COINBASE_LOCK; left > 0; left -= 1) ledger.mine([]);
  enter(undefined);
  return { ledger: ledger.snapshot(), wallets: { spend: [], customer: [] } };
}
