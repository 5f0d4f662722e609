import type { Store } from './store.ts';

/** The virtual machine: contracts written in TypeScript that keep, log, call, burn and revert as those of the chain do. */

export interface Log {
  /** Without the prefix `41`, as nodes write it in logs. */
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: string;
}

export interface Call {
  /** Addresses are hexadecimal with the prefix `41`. */
  readonly caller: string;
  readonly self: string;
  readonly data: string;
}

/** Answers with hexadecimal words; reverts by throwing. */
export interface Code {
  (call: Call, run: Run): string;
  readonly published?: Published;
}

/** What its maker told the chain about a contract. */
export interface Published {
  readonly name: string;
  readonly origin: string;
  readonly abi: readonly object[];
}

export type Codes = Map<string, Code>;

export class Revert extends Error {
  override readonly name = 'Revert';
}

class OutOfEnergy extends Error {
  override readonly name = 'OutOfEnergy';
}

/** One transaction's way through the machine. */
export class Run {
  readonly #store: Store;
  readonly #codes: Codes;
  readonly #limit: bigint;
  readonly logs: Log[] = [];
  energy = 0n;

  constructor(store: Store, codes: Codes, limit: bigint) {
    this.#store = store;
    this.#codes = codes;
    this.#limit = limit;
  }

  burn(energy: bigint): void {
    this.energy += energy;
    if (this.energy > this.#limit) throw new OutOfEnergy('Not enough energy');
  }

  read(self: string, name: string): bigint {
    return this.#store.get(`${self}/${name}`);
  }

  write(self: string, name: string, value: bigint): void {
    this.#store.set(`${self}/${name}`, value);
  }

  log(self: string, topics: readonly string[], data: string): void {
    this.logs.push({ address: self.slice(2), topics, data });
  }

  /** What reverts has changed and logged nothing; its caller may live with that. */
  call(call: Call): string {
    const code = this.#codes.get(call.self);
    if (!code) throw new Revert();
    const before = this.logs.length;
    try {
      return this.#store.attempt(() => code(call, this)).result;
    } catch (error) {
      this.logs.length = before;
      throw error;
    }
  }
}

export interface Outcome {
  readonly contractRet: 'SUCCESS' | 'REVERT' | 'OUT_OF_ENERGY';
  readonly energy: bigint;
  readonly answer: string;
  readonly logs: readonly Log[];
}

export function execute(store: Store, codes: Codes, call: Call, limit: bigint): Outcome {
  const run = new Run(store, codes, limit);
  try {
    const answer = run.call(call);
    return { contractRet: 'SUCCESS', energy: run.energy, answer, logs: run.logs };
  } catch (error) {
    if (error instanceof Revert) {
      return { contractRet: 'REVERT', energy: run.energy, answer: errorData(error.message), logs: [] };
    }
    if (error instanceof OutOfEnergy) return { contractRet: 'OUT_OF_ENERGY', energy: limit, answer: '', logs: [] };
    throw error;
  }
}

export const word = (value: bigint): string => value.toString(16).padStart(64, '0');
/** An address as a word. */
export const addressWord = (address: string): string => address.slice(2).padStart(64, '0');
export const addressIn = (data: string, index: number): string => `41${wordIn(data, index).slice(-40)}`;
export const numberIn = (data: string, index: number): bigint => BigInt(`0x${wordIn(data, index)}`);

function wordIn(data: string, index: number): string {
  const found = data.slice(8 + 64 * index, 72 + 64 * index);
  if (found.length !== 64) throw new Revert();
  return found;
}

/** ABI-encoded text. */
export function textWords(text: string): string {
  const hex = Buffer.from(text, 'utf8').toString('hex');
  return word(32n) + word(BigInt(text.length)) + hex.padEnd(Math.ceil(hex.length / 64) * 64, '0');
}

const errorData = (message: string): string => (message ? `08c379a0${textWords(message)}` : '');
