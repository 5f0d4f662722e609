import { evmConformance } from '../nodes/evm-conformance.ts';

evmConformance('simulated');
