import assert from 'node:assert/strict';
import { type Box, newDir, startBox } from './box.ts';

/** The sandbox's own rhythm. */
const BLOCKS_MS = 1_000;
/** It has no blocks. */
const VENUE = 1337;
/** What the venue's book is like when it starts. */
const BOOK = { mid: '320', depthUsd: 250_000, spreadBps: 10 };

let started: Promise<Box> | undefined;

/**
 * One sandbox for all the stories that this process tells, and a world in order at the beginning of each file: no faults, the
 * venue's first book, blocks on every chain, every role at work. What was spent, the time that has passed, cases and the deny list remain. It stops with the process.
 */
export async function sharedBox(): Promise<Box> {
  started ??= startBox(newDir());
  const box = await started.catch((error) => {
    // The next file tries anew.
    started = undefined;
    throw error;
  });
  const control = async (method: string, path: string, body?: unknown) => {
    const reply = await box.control(method, path, body);
    assert.equal(reply.status, 200, `${path}: ${JSON.stringify(reply.body)}`);
  };
  await control('DELETE', '/sandbox/faults');
  await control('POST', '/sandbox/book', BOOK);
  for (const { chainId } of box.info.chains)
    if (chainId !== VENUE) await control('POST', '/sandbox/automine', { chainId, intervalMs: BLOCKS_MS });
  return box;
}
