import { test } from 'node:test';
import { anvilMissing } from '../../sandbox/nodes/anvil.ts';
import { evmConformance } from './evm-conformance.ts';

const missing = anvilMissing();
if (missing) test('EVM networks on anvil', { skip: missing }, () => {});
else evmConformance('real');
