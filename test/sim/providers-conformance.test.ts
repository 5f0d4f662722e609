import { providerConformance } from '../../src/world/providers/conformance.ts';
import { ARBITRUM, ETHEREUM, fakePlace, providerBench } from './providers-bench.ts';

const places = () => [fakePlace(ARBITRUM), fakePlace(ETHEREUM)];

providerConformance('1Click on its simulator', () => providerBench('oneclick', places()));
providerConformance('Relay on its simulator', () => providerBench('relay', places()));
