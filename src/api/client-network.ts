import { BlockList, isIP, isIPv6 } from 'node:net';

/** Every address has one spelling; an IPv4-mapped IPv6 address is the IPv4 address. */
export function canonicalIp(address: string): string {
  const [bare = ''] = address.split('%');
  if (!isIPv6(bare)) return bare;
  const groups = groupsOf(bare);
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (!isMapped) return groups.map((group) => group.toString(16)).join(':');
  const bytes = groups.slice(6).flatMap((group) => [group >> 8, group & 0xff]);
  return bytes.join('.');
}

const WITH_PORT = /^(?:\[([^\]]+)\]|([\d.]+))(?::\d{1,5})?$/;

/**
 * The address that a socket or a trusted proxy tells. Some proxies add the port, which changes with every connection and
 * is nobody's name; what is no address at all names nobody either, and all of those are one client.
 */
export function toldAddress(told: string): string {
  const [, six, four] = WITH_PORT.exec(told) ?? [];
  const bare = (six ?? four ?? told).split('%')[0] ?? '';
  return isIP(bare) === 0 ? 'unknown' : canonicalIp(bare);
}

/**
 * Where tor's HiddenServiceExportCircuitID puts the circuits of an onion service: the low bits name the circuit.
 * https://gitlab.torproject.org/tpo/core/tor/-/blob/main/src/core/or/connection_edge.c
 */
const TOR_CIRCUITS = 'fc00:dead:beef:4dad:';

/**
 * The network a client speaks from: its IPv4 address, or its IPv6 /64, since one client commonly owns a whole /64. The
 * circuits of an onion service share one /64, and each of them is a client of its own.
 */
export function networkOf(address: string): string {
  const ip = canonicalIp(address);
  if (ip.startsWith(TOR_CIRCUITS)) return ip;
  return isIPv6(ip) ? `${ip.split(':').slice(0, 4).join(':')}::/64` : ip;
}

/** The eight groups; the URL parser has turned a dotted tail into two of them. */
function groupsOf(address: string): readonly number[] {
  const text = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = [], tail = []] = text.split('::').map((half) => half.split(':').filter((group) => group !== ''));
  const gap = Array.from({ length: 8 - head.length - tail.length }, () => '0');
  return [...head, ...gap, ...tail].map((group) => Number.parseInt(group, 16));
}

const NOBODY = new BlockList();
for (const [net, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['224.0.0.0', 3],
] as const) {
  NOBODY.addSubnet(net, prefix, 'ipv4');
}
for (const [net, prefix] of [
  ['::', 127],
  ['fc00::', 7],
  ['fe80::', 10],
  ['ff00::', 8],
] as const) {
  NOBODY.addSubnet(net, prefix, 'ipv6');
}

/** Private, loopback, multicast and unspecified addresses are nobody's on the internet (D54). */
export function isPublicIp(address: string): boolean {
  const ip = canonicalIp(address);
  return !NOBODY.check(ip, isIPv6(ip) ? 'ipv6' : 'ipv4');
}

/** Set aside for documents, tests, other protocols or nobody (IANA's registries of special-purpose addresses). */
const SPECIAL = { ipv4: new BlockList(), ipv6: new BlockList() };
for (const [net, prefix] of [
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
] as const) {
  SPECIAL.ipv4.addSubnet(net, prefix, 'ipv4');
}
/** Only 2000::/3 is given out; within it some lead to IPv4 addresses that nobody has looked at. */
for (const [net, prefix] of [
  ['::', 3],
  ['4000::', 2],
  ['8000::', 1],
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const) {
  SPECIAL.ipv6.addSubnet(net, prefix, 'ipv6');
}

/** Whether a stranger's address may be called: one that is reached over the internet, and nothing behind it. */
export function isGlobalIp(address: string): boolean {
  const ip = canonicalIp(address);
  const family = isIPv6(ip) ? 'ipv6' : 'ipv4';
  // A list of both would find every IPv4 address in ::/3, where IPv6 has a spelling of it.
  return isPublicIp(ip) && !SPECIAL[family].check(ip, family);
}
