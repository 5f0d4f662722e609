import { type BlockHeader, createBlock } from '@ethereumjs/block';
import type { Common } from '@ethereumjs/common';
import type { TypedTransaction } from '@ethereumjs/tx';
import { bytesToHex, createZeroAddress, hexToBytes } from '@ethereumjs/util';
import { createVM, runTx, type VM } from '@ethereumjs/vm';
import type { Changes, History, Read } from './history.ts';
import { WorkingState } from './state.ts';

export interface Log {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
}

export interface Outcome {
  readonly ok: boolean;
  /** Why it failed, in the machine's word. */
  readonly error: string | undefined;
  readonly returned: string;
  readonly gasUsed: bigint;
  readonly created: string | undefined;
  readonly logs: readonly Log[];
  readonly bloom: Uint8Array;
}

/** Executes transactions by the rules of the network, one after the other, on top of a state. */
export class Machine {
  readonly #vm: VM;
  readonly #state: WorkingState;

  private constructor(vm: VM, state: WorkingState) {
    this.#vm = vm;
    this.#state = state;
  }

  static async open(
    common: Common,
    history: History,
    hashAt: (height: number) => string | undefined,
  ): Promise<Machine> {
    const state = new WorkingState(history);
    const blockchain = {
      getBlock: async (height: number) => ({
        hash: () => hexToBytes((hashAt(height) ?? `0x${'00'.repeat(32)}`) as `0x${string}`),
      }),
      putBlock: async () => {},
      shallowCopy: () => blockchain,
    };
    return new Machine(await createVM({ common, stateManager: state, blockchain }), state);
  }

  /** Begins on top of that state; what was executed before is forgotten, unless somebody took its changes. */
  begin(below: Read): void {
    this.#state.over(below);
  }

  changes(): Changes {
    return this.#state.changes();
  }

  /** Throws where it cannot be in such a block at all, and then has changed nothing. */
  async execute(
    tx: TypedTransaction,
    header: BlockHeader,
    options: { readonly isCall?: boolean } = {},
  ): Promise<Outcome> {
    const block = createBlock({ header }, { common: this.#vm.common, skipConsensusFormatValidation: true });
    const { isCall = false } = options;
    const result = await runTx(this.#vm, { tx, block, skipNonce: isCall, skipHardForkValidation: true });
    const { execResult, totalGasSpent, createdAddress, bloom } = result;
    return {
      ok: execResult.exceptionError === undefined,
      error: execResult.exceptionError?.error,
      returned: bytesToHex(execResult.returnValue),
      gasUsed: totalGasSpent,
      created: createdAddress?.toString(),
      logs: (execResult.logs ?? []).map(([address, topics, data]) => ({
        address: bytesToHex(address),
        topics: topics.map((topic) => bytesToHex(topic)),
        data: bytesToHex(data),
      })),
      bloom: bloom.bitvector,
    };
  }
}

export const NOBODY = createZeroAddress().toString();
