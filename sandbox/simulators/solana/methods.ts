import type { Address } from '../../../src/kernel/ids.ts';
import { SYSTEM_PROGRAM, TOKEN_PROGRAM } from '../../../src/world/chains/solana/address-codec.ts';
import { RpcFailure } from '../rpc-server.ts';
import { RESERVE } from './execute.ts';
import type { Ledger } from './ledger.ts';
import { solanaReadings } from './readings.ts';
import type { Methods } from './server.ts';
import type { Balances, SimTx } from './transaction.ts';

type Options = Readonly<Record<string, unknown>>;

const options = (value: unknown): Options => (value ?? {}) as Options;
/** As the real one: without a word, final. */
const commitmentOf = (value: unknown): unknown => options(value).commitment ?? 'finalized';
const RENT_PER_BYTE = 6_960n;

/** The part of a node's JSON-RPC that the adapter, the box and whoever looks at it use, with Surfpool's two commands for the box. */
export function solanaMethods(ledger: Ledger): Methods {
  const context = () => ({ slot: ledger.slot, apiVersion: '4.1.2' });
  const isWithin = (slot: number, commitment: unknown) => slot <= ledger.slotAt(commitment);
  return {
    ...solanaReadings(ledger, context),
    getGenesisHash: () => ledger.genesisHash,
    getSlot: ([how]) => ledger.slotAt(commitmentOf(how)),
    getFirstAvailableBlock: () => ledger.oldestSlot,
    getBlockHeight: ([how]) => ledger.blocks.get(ledger.slotAt(commitmentOf(how)))?.height ?? ledger.height,
    getLatestBlockhash: () => ({ context: context(), value: ledger.latest }),
    getMinimumBalanceForRentExemption: ([bytes]) => RESERVE + RENT_PER_BYTE * BigInt(bytes as number),
    getRecentPrioritizationFees: () => [],

    getBlocksWithLimit: ([from, most, how]) =>
      ledger.slotsBetween(from as number, ledger.slotAt(commitmentOf(how)), most as number),

    getBlock([slot, how]) {
      if (!isWithin(slot as number, commitmentOf(how)))
        throw new RpcFailure(-32004, `Block not available for slot ${slot}`);
      const block = ledger.blocks.get(slot as number);
      if (!block)
        throw new RpcFailure(-32007, `Slot ${slot} was skipped, or missing due to ledger jump to recent snapshot`);
      const { hash, height, parent, transactions } = block;
      const head = { blockhash: hash, blockHeight: height, parentSlot: parent.slot, previousBlockhash: parent.hash };
      if (options(how).transactionDetails === 'none') return head;
      return { ...head, transactions: transactions.map((tx) => ({ meta: metaOf(tx), transaction: accountsOf(tx) })) };
    },

    getSignatureStatuses: ([signatures]) => ({
      context: context(),
      value: (signatures as string[]).map((signature) => statusOf(ledger, signature)),
    }),

    getSignaturesForAddress([address, how]) {
      const touched = [...ledger.transactions.values()].filter(
        ({ accounts, slot }) => accounts.includes(address as Address) && isWithin(slot, commitmentOf(how)),
      );
      return touched.reverse().map(({ signature, slot, err }) => ({ signature, slot, err }));
    },

    getTransaction([signature, how]) {
      const tx = ledger.transactions.get(signature as string);
      if (!tx || !isWithin(tx.slot, commitmentOf(how))) return null;
      const message = { accountKeys: tx.accounts };
      return { slot: tx.slot, meta: metaOf(tx), transaction: { signatures: [tx.signature], message } };
    },

    sendTransaction([bytes, how]) {
      const isTriedFirst = options(how).skipPreflight !== true;
      const taken = ledger.submit(Uint8Array.from(Buffer.from(bytes as string, 'base64')), isTriedFirst);
      if ('refused' in taken) throw new RpcFailure(-32002, `Transaction simulation failed: ${taken.refused}`);
      return taken.signature;
    },

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

function statusOf(ledger: Ledger, signature: string): object | null {
  const tx = ledger.transactions.get(signature);
  if (!tx) return null;
  const levels = ['finalized', 'confirmed', 'processed'];
  const confirmationStatus = levels.find((level) => tx.slot <= ledger.slotAt(level));
  return { slot: tx.slot, confirmations: null, err: tx.err, confirmationStatus };
}

function accountsOf({ signature, accounts, signers }: SimTx): object {
  return { signatures: [signature], accountKeys: accounts.map((pubkey, at) => ({ pubkey, signer: at < signers })) };
}

function metaOf({ err, fee, before, after }: SimTx): object {
  const balances = { preBalances: before.lamports, postBalances: after.lamports };
  return { err, fee, ...balances, preTokenBalances: tokensOf(before), postTokenBalances: tokensOf(after) };
}

function tokensOf({ tokens }: Balances): readonly object[] {
  return tokens.map(({ at, mint, owner, atoms }) => ({
    ...{ accountIndex: at, mint, owner, programId: TOKEN_PROGRAM },
    uiTokenAmount: { amount: atoms.toString(), decimals: 6 },
  }));
}
