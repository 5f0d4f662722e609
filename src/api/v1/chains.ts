import { Type } from '@sinclair/typebox';
import { endpoint } from '../endpoint.ts';
import { ChainNumber } from '../wire-schemas.ts';

const ChainV1 = Type.Object({
  chainId: ChainNumber,
  name: Type.String(),
  nativeToken: Type.String(),
  minSwapUsd: Type.Number(),
});

export const listChains = endpoint({
  method: 'GET',
  path: '/v1/chains',
  summary: 'Supported chains',
  input: {},
  output: Type.Object({ chains: Type.Array(ChainV1) }),
  quota: 'requests',
  run: async (_, { catalog }) => ({
    chains: catalog.chains().map(({ facts }) => ({
      chainId: facts.id,
      name: facts.name,
      nativeToken: facts.nativeSymbol,
      minSwapUsd: facts.minSwapUsd,
    })),
  }),
});
