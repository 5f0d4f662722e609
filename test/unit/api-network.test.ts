import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canonicalIp, isPublicIp, networkOf, toldAddress } from '../../src/api/client-network.ts';

test('one spelling per address', () => {
  assert.equal(canonicalIp('192.0.2.1'), '192.0.2.1');
  assert.equal(canonicalIp('::ffff:192.0.2.1'), '192.0.2.1');
  assert.equal(canonicalIp('::FFFF:c000:201'), '192.0.2.1');
  assert.equal(canonicalIp('2001:DB8::1'), '2001:db8:0:0:0:0:0:1');
  assert.equal(canonicalIp('::'), '0:0:0:0:0:0:0:0');
  assert.equal(canonicalIp('1:2:3:4:5:6:7:8'), '1:2:3:4:5:6:7:8');
  assert.equal(canonicalIp('fe80::1%eth0'), 'fe80:0:0:0:0:0:0:1');
});

test('a network is an IPv4 address or an IPv6 /64', () => {
  assert.equal(networkOf('::ffff:192.0.2.1'), '192.0.2.1');
  assert.equal(networkOf('2001:db8::1'), networkOf('2001:db8:0:0:ffff:ffff:ffff:ffff'));
  assert.notEqual(networkOf('2001:db8::1'), networkOf('2001:db8:0:1::1'));
  assert.notEqual(networkOf('192.0.2.1'), networkOf('192.0.2.2'));
});

test('nobody lives at private, loopback, multicast and unspecified addresses', () => {
  const nobody =
    '0.0.0.0 10.1.2.3 127.0.0.1 169.254.1.1 172.16.0.1 172.31.255.255 192.168.1.1 100.64.0.1 224.0.0.1 255.255.255.255';
  for (const ip of nobody.split(' ')) {
    assert.equal(isPublicIp(ip), false, ip);
    assert.equal(isPublicIp(`::ffff:${ip}`), false, ip);
  }
  for (const ip of ['::', '::1', 'fc00::1', 'fdff::1', 'fe80::1', 'ff02::1']) assert.equal(isPublicIp(ip), false, ip);
  for (const ip of ['8.8.8.8', '172.32.0.1', '2001:4860:4860::8888']) assert.equal(isPublicIp(ip), true, ip);
});

test('a port that a proxy adds is not part of the address, and what is no address is nobody', () => {
  for (const told of ['192.0.2.1', '192.0.2.1:443', '[::ffff:192.0.2.1]:443', '::ffff:192.0.2.1']) {
    assert.equal(toldAddress(told), '192.0.2.1', told);
  }
  for (const told of ['2001:db8::1', '[2001:db8::1]', '[2001:db8::1]:65535', '2001:DB8::1%eth0']) {
    assert.equal(toldAddress(told), canonicalIp('2001:db8::1'), told);
  }
  for (const told of ['', 'unknown', '_hidden', '192.0.2', '192.0.2.1:x', '[192.0.2.1', 'a'.repeat(9_000)]) {
    assert.equal(toldAddress(told), 'unknown', told.slice(0, 40));
  }
});
