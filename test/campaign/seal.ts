import crypto from 'node:crypto';
import disk, { readFileSync } from 'node:fs';
import files from 'node:fs/promises';
import http from 'node:http';
import { syncBuiltinESMExports } from 'node:module';
import timersPromises from 'node:timers/promises';
import type { Chance } from './random.ts';
import { rememberAll } from './remembered.ts';
import { type Scheduler, soon } from './scheduler.ts';
import { wires } from './wires.ts';

/** What a sealed process knows instead of the computer's clock and chance. */
export interface Inside {
  readonly scheduler: Scheduler;
  readonly chance: Chance;
}

let inside: Inside | undefined;
let isSealed = false;

const real = {
  setTimeout: globalThis.setTimeout,
  clearTimeout: globalThis.clearTimeout,
  setInterval: globalThis.setInterval,
  clearInterval: globalThis.clearInterval,
  setImmediate: globalThis.setImmediate,
  dateNow: Date.now,
  random: Math.random,
  randomBytes: crypto.randomBytes,
  scrypt: crypto.scrypt,
  getRandomValues: globalThis.crypto.getRandomValues.bind(globalThis.crypto),
  pause: timersPromises.setTimeout,
  readFile: files.readFile,
  fsync: disk.fsyncSync,
};

/** While somebody is inside, timers, time and chance of this whole process are his; outside of that all is as ever. */
export function enter(next: Inside | undefined): void {
  inside = next;
  if (!isSealed) seal();
}

class VirtualTimer {
  readonly #cancel: () => void;
  constructor(cancel: () => void) {
    this.#cancel = cancel;
  }
  cancel(): void {
    this.#cancel();
  }
  ref(): this {
    return this;
  }
  unref(): this {
    return this;
  }
  hasRef(): boolean {
    return false;
  }
  [Symbol.toPrimitive](): number {
    return 0;
  }
  [Symbol.dispose](): void {
    this.#cancel();
  }
}

/** Between two blocks nothing is to be seen: whoever asks again after so long does so a moment after the next of them. */
export const BLOCK_MS = 5_000;
const AFTER_BLOCK_MS = 1_000;
const LONG_MS = 200;

function patient({ now }: Scheduler, ms: number): number {
  if (ms < LONG_MS) return ms;
  const blocks = Math.ceil((now + ms - AFTER_BLOCK_MS) / BLOCK_MS);
  return blocks * BLOCK_MS + AFTER_BLOCK_MS - now;
}

type Callback = (...parts: unknown[]) => void;

function timeout(callback: Callback, ms = 0, ...parts: unknown[]): unknown {
  if (!inside) return real.setTimeout(callback, ms, ...parts);
  const { scheduler } = inside;
  const { cancel } = scheduler.after(patient(scheduler, ms), () => callback(...parts));
  return new VirtualTimer(cancel);
}

function interval(callback: Callback, ms = 0, ...parts: unknown[]): unknown {
  if (!inside) return real.setInterval(callback, ms, ...parts);
  const { scheduler } = inside;
  let last = { cancel: () => {} };
  const again = () => {
    last = scheduler.after(patient(scheduler, ms), () => {
      callback(...parts);
      again();
    });
  };
  again();
  return new VirtualTimer(() => last.cancel());
}

const cleared = (clear: (timer: never) => void) => (timer: unknown) =>
  timer instanceof VirtualTimer ? timer.cancel() : clear(timer as never);

function pause(ms?: number, value?: unknown, options?: { signal?: AbortSignal }): Promise<unknown> {
  if (!inside) return real.pause(ms, value, options);
  const { scheduler } = inside;
  return new Promise((resolve, reject) => {
    const { signal } = options ?? {};
    const leave = () => {
      timer.cancel();
      reject(signal?.reason as Error);
    };
    const timer = scheduler.after(patient(scheduler, ms ?? 0), () => {
      signal?.removeEventListener('abort', leave);
      resolve(value);
    });
    signal?.addEventListener('abort', leave, { once: true });
  });
}

function randomBytes(length: number, answer?: (error: Error | null, bytes: Buffer) => void): unknown {
  if (!inside) return answer ? real.randomBytes(length, answer) : real.randomBytes(length);
  const bytes = inside.chance.bytes(length);
  if (!answer) return bytes;
  return answer(null, bytes);
}

/** A disk answers when it likes; inside it answers at once. */
function readFile(...asked: Parameters<typeof files.readFile>): Promise<unknown> {
  if (!inside) return real.readFile(...asked);
  return Promise.resolve().then(() => readFileSync(...(asked as Parameters<typeof readFileSync>)));
}

/** The same passphrase gives the same key, and finding it is made to take long. */
const derived = new Map<string, Buffer>();
function scrypt(...asked: Parameters<typeof crypto.scrypt> | unknown[]): void {
  const answer = asked.at(-1) as (error: Error | null, key: Buffer) => void;
  const name = JSON.stringify(asked.slice(0, -1));
  const known = derived.get(name);
  if (known) {
    queueMicrotask(() => answer(null, Buffer.from(known)));
    return;
  }
  const kept = (error: Error | null, key: Buffer) => {
    if (!error) derived.set(name, Buffer.from(key));
    answer(error, key);
  };
  (real.scrypt as (...parts: unknown[]) => void)(...asked.slice(0, -1), kept);
}

function seal(): void {
  isSealed = true;
  rememberAll();
  Object.assign(globalThis, {
    setTimeout: Object.assign(timeout, real.setTimeout),
    setInterval: Object.assign(interval, real.setInterval),
    clearTimeout: cleared(real.clearTimeout),
    clearInterval: cleared(real.clearInterval),
    setImmediate: Object.assign(
      (...asked: Parameters<typeof soon>) => (inside ? soon(...asked) : real.setImmediate(...asked)),
      real.setImmediate,
    ),
  });
  Date.now = () => inside?.scheduler.wall ?? real.dateNow();
  globalThis.crypto.getRandomValues = ((array: Uint8Array) => {
    if (!inside) return real.getRandomValues(array as Uint8Array<ArrayBuffer>);
    new Uint8Array(array.buffer, array.byteOffset, array.byteLength).set(inside.chance.bytes(array.byteLength));
    return array;
  }) as typeof globalThis.crypto.getRandomValues;
  Object.assign(crypto, {
    randomBytes,
    scrypt,
    randomUUID: () => {
      const hex = (inside ? inside.chance.bytes(16) : (real.randomBytes(16) as Buffer)).toString('hex');
      return hex.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-8$4-$5');
    },
  });
  Object.assign(timersPromises, { setTimeout: pause });
  Object.assign(
    http,
    wires(() => inside !== undefined),
  );
  Math.random = () => (inside ? inside.chance.below(2 ** 32) / 2 ** 32 : real.random());
  Object.assign(files, { readFile });
  // What dies are processes; nobody cuts the power of the disk.
  Object.assign(disk, { fsyncSync: (file: number) => (inside ? undefined : real.fsync(file)) });
  syncBuiltinESMExports();
}
