import type { Address } from '../../../src/kernel/ids.ts';
import { SYSTEM_PROGRAM } from '../../../src/world/chains/solana/address-codec.ts';
import { RESERVE } from './execute.ts';
import { historyMethods } from './history-methods.ts';
import type { Ledger } from './ledger.ts';
import { solanaReadings } from './readings.ts';
import { sendingMethods } from './send-methods.ts';
import type { Methods } from './server.ts';

type Options = Readonly<Record<string, unknown>>;

const options = (value: unknown): Options => (value ?? {}) as Options;
/** As the real one: without a word, final. */
const commitmentOf = (value: unknown): unknown => options(value).commitment ?? 'finalized';
const RENT_PER_BYTE = 6_960n;

/** The part of a node's JSON-RPC that the adapter, the box and whoever looks at it use, with Surfpool's two commands for the box. */
export function solanaMethods(ledger: Ledger): Methods {
  const context = () => ({ slot: ledger.slot, apiVersion: '4.1.2' });
  return {
    ...solanaReadings(ledger, context),
    ...historyMethods(ledger, context),
    ...sendingMethods(ledger, context),
    getGenesisHash: () => ledger.genesisHash,
    getSlot: ([how]) => ledger.slotAt(commitmentOf(how)),
    getFirstAvailableBlock: () => ledger.oldestSlot,
    getBlockHeight: ([how]) => ledger.blocks.get(ledger.slotAt(commitmentOf(how)))?.height ?? ledger.height,
    getLatestBlockhash: () => ({ context: context(), value: ledger.latest }),
    getMinimumBalanceForRentExemption: ([bytes]) => RESERVE + RENT_PER_BYTE * BigInt(bytes as number),
    getRecentPrioritizationFees: () => [],

    getBlocksWithLimit: ([from, most, how]) =>
      ledger.slotsBetween(from as number, ledger.slotAt(commitmentOf(how)), most as number),

    surfnet_timeTravel: ([where]) => ledger.travelTo(options(where).absoluteSlot as number),

    surfnet_setAccount([address, put]) {
      const { lamports, owner, data } = options(put) as { lamports: number; owner?: Address; data?: string };
      const bytes = Uint8Array.from(Buffer.from(data ?? '', 'hex'));
      ledger.setAccount(address as Address, {
        lamports: BigInt(lamports),
        program: owner ?? SYSTEM_PROGRAM,
        data: bytes,
      });
    },
  };
}
