import { type Static, Type } from '@sinclair/typebox';
import { exact, ScanFrom, Url } from '../../settings-shapes.ts';
import type { ConfiguredChain, Family } from '../family.ts';
import { parseSolanaAddress } from './address-codec.ts';
import { solanaRules } from './rules.ts';
import { openSolana, openSolanaNode } from './solana.ts';

const Shape = exact({
  rpcUrl: Url,
  /** Another node of the network: what is worth much is believed only when both say it. */
  second: Type.Optional(Url),
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
  feeAddress: () => ({ field: 'feeAddressSol', parse: parseSolanaAddress, refuses: solanaRules.refusesDestination }),
};

function configured({ second, ...settings }: Settings): ConfiguredChain {
  const { rpcUrl, genesisHash, witnessUrls = [], scanFrom } = settings;
  const network = genesisHash === undefined ? {} : { genesisHash };
  return {
    second: second === undefined ? undefined : configured({ ...settings, rpcUrl: second }),
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
