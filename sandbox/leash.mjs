import { Socket } from 'node:net';

/**
 * Loaded first into the sandbox and into every process of the service that it starts. Whoever started us holds the other end
 * of this pipe and never writes: when the pipe ends, he is gone, however that came about, and nobody is left to stop us.
 */
const LEASH = 3;

new Socket({ fd: LEASH, readable: true, writable: false })
  .on('close', () => process.kill(process.pid, 'SIGKILL'))
  .on('error', () => undefined)
  .resume()
  .unref();
