import { once } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, BlockList, createServer, isIP, type Socket } from 'node:net';
import { canonicalIp } from './client-network.ts';
import { MAX_CONNECTIONS, PROXY_LINE_MS } from './limits.ts';

/**
 * PROXY protocol, version 1: one line before the first request says who is behind the proxy.
 * https://www.haproxy.org/download/3.0/doc/proxy-protocol.txt
 */
const MARK = 'PROXY ';
/** The longest line that the specification allows, with its end. */
const LONGEST_BYTES = 107;
const LINE = /^PROXY (?:(?:TCP4|TCP6) (\S+) \S+ \d{1,5} \d{1,5}|UNKNOWN(?: .*)?)$/;

/** The address that a line tells; `unknown` where the proxy does not say, undefined where it is no such line. */
export function parseProxyLine(line: string): string | 'unknown' | undefined {
  const found = LINE.exec(line);
  if (!found) return undefined;
  const [, source] = found;
  if (source === undefined) return 'unknown';
  return isIP(source) === 0 ? undefined : source;
}

/** Connections from these addresses may begin with a PROXY line; from then on they count as their client's. */
export function believeProxies(server: Server, trusted: readonly string[]): void {
  const list = listOf(trusted);
  const listeners = server.listeners('connection') as ((socket: Socket) => void)[];
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    const pass = () => {
      for (const listener of listeners) listener.call(server, socket);
    };
    if (isListed(list, socket.remoteAddress)) readLine(socket, 'optional', pass);
    else pass();
  });
}

/** A second door to the same server. Without a line that names its circuit a connection is nobody's and is closed. */
export async function openOnionDoor(
  server: Server,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<{ readonly port: number; close(): Promise<void> }> {
  const sockets = new Set<Socket>();
  const door = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    readLine(socket, 'required', () => server.emit('connection', socket));
  });
  door.maxConnections = MAX_CONNECTIONS;
  door.listen(port, host);
  await once(door, 'listening');
  return {
    port: (door.address() as AddressInfo).port,
    async close() {
      door.close();
      for (const socket of sockets) socket.destroy();
      await once(door, 'close');
    },
  };
}

function readLine(socket: Socket, need: 'optional' | 'required', pass: () => void): void {
  let bytes = Buffer.alloc(0);
  // Somebody who connects and says nothing is not waited for.
  const timer = setTimeout(() => socket.destroy(), PROXY_LINE_MS);
  const end = () => {
    clearTimeout(timer);
    socket.off('readable', onReadable);
    socket.off('error', onGone);
    socket.off('close', onGone);
  };
  const onGone = () => {
    end();
    socket.destroy();
  };
  const go = (rest: Buffer) => {
    end();
    if (rest.length > 0) socket.unshift(rest);
    pass();
  };
  const onReadable = () => {
    for (let chunk = socket.read(); chunk !== null; chunk = socket.read()) bytes = Buffer.concat([bytes, chunk]);
    const head = bytes.subarray(0, LONGEST_BYTES).toString('latin1');
    const isMarked = head.startsWith(MARK.slice(0, head.length));
    if (!isMarked && bytes.length > 0) return need === 'optional' ? go(bytes) : onGone();
    const lineEnd = head.indexOf('\r\n');
    if (lineEnd === -1) return bytes.length >= LONGEST_BYTES ? onGone() : undefined;
    const source = parseProxyLine(head.slice(0, lineEnd));
    if (source === undefined) return onGone();
    if (source !== 'unknown') Object.defineProperty(socket, 'remoteAddress', { value: source });
    else if (need === 'required') return onGone();
    go(bytes.subarray(lineEnd + 2));
  };
  socket.on('readable', onReadable);
  socket.on('error', onGone);
  socket.on('close', onGone);
}

function listOf(trusted: readonly string[]): BlockList {
  const list = new BlockList();
  for (const one of trusted) {
    const [address = '', bits] = one.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number.parseInt(bits, 10), family);
  }
  return list;
}

function isListed(list: BlockList, address: string | undefined): boolean {
  const ip = canonicalIp(address ?? '');
  return isIP(ip) !== 0 && list.check(ip, isIP(ip) === 6 ? 'ipv6' : 'ipv4');
}
