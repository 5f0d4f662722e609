import { Socket } from 'node:net';
import { isMainThread } from 'node:worker_threads';

/**
 * Loaded first into the sandbox and into every process of the service that it starts. Whoever started us holds the other end
 * of this pipe and never writes: when the pipe ends, he is gone, however that came about, and nobody is left to stop us. We
 * write a byte every second, which he misses when our event loop stands still.
 */
const LEASH = 3;
const SIGN_EVERY_MS = 1_000;

const die = () => process.kill(process.pid, 'SIGKILL');

if (isMainThread) {
  const leash = new Socket({ fd: LEASH, readable: true, writable: true })
    .on('end', die)
    .on('close', die)
    .on('error', () => undefined)
    .resume()
    .unref();
  setInterval(() => {
    // Nothing piles up while he does not read.
    if (leash.writableLength === 0) leash.write('.');
  }, SIGN_EVERY_MS).unref();
}
