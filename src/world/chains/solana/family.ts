import { type Static, Type } from '@sinclair/typebox';
import { exact, ScanFrom, Url } from '../../settings-shapes.ts';
import type { ConfiguredChain, Family } from '../family.ts';
import { parseSolanaAddress } from './address-codec.ts';
import { solanaRules } from './rules.ts';
import { openSolana, openSolanaNode } from './solana.ts';

const Shape = exact({
  rpcUrl: Url,
  genesisHash: Type.Optional(Type.String()),
  /** Other nodes of the network: bytes are called dead only where all of them agree, and never without one. */
  witnessUrls: Type.Optional(Type.Array(Url)),
  scanFrom: ScanFrom,
});
type Settings = Static<typeof Shape>;

export const solana: Family = {
  name: 'solana',
  settings: { solana: Type.Optional(Shape) },
  chains: ({ solana: settings }: { solana?: Settings }) => (settings ? [configured(settings)] : []),
  feeAddress: () => ({ field: 'feeAddressSol', parse: parseSolanaAddress }),
};

function configured({ rpcUrl, genesisHash, witnessUrls = [], scanFrom }: Settings): ConfiguredChain {
  const network = genesisHash === undefined ? {} : { genesisHash };
  return {
    rules: solanaRules,
    scanFrom,
    look: async (outbound) => {
      for (const url of [rpcUrl, ...witnessUrls]) await openSolanaNode(url, network, outbound);
    },
    open: ({ keys, spendSide, outbound }) =>
      openSolana(
        { rpcUrl, hotAddress: keys.hot, addresses: spendSide.depositAddresses, witnessUrls, ...network },
        outbound,
      ),
  };
}
