import type { BlockList } from 'node:net';

/**
 * Where no server of a person is: link-local networks, in which clouds answer with the credentials of the machine, other
 * addresses of such metadata services, and what is no single host. `BlockList` knows the IPv4 ones in their IPv6 form too.
 */
const FORBIDDEN: readonly (readonly [network: string, prefix: number, family: 'ipv4' | 'ipv6'])[] = [
  ['169.254.0.0', 16, 'ipv4'],
  ['100.100.100.200', 32, 'ipv4'],
  ['168.63.129.16', 32, 'ipv4'],
  ['192.0.0.192', 32, 'ipv4'],
  ['0.0.0.0', 8, 'ipv4'],
  ['224.0.0.0', 4, 'ipv4'],
  ['255.255.255.255', 32, 'ipv4'],
  ['fe80::', 10, 'ipv6'],
  ['fd00:ec2::254', 128, 'ipv6'],
  ['fd20:ce::254', 128, 'ipv6'],
  ['::', 128, 'ipv6'],
  ['ff00::', 8, 'ipv6'],
  // The same two networks through the prefix of NAT64.
  ['64:ff9b::a9fe:0', 112, 'ipv6'],
  ['64:ff9b::6464:64c8', 128, 'ipv6'],
];

let list: BlockList | undefined;

/** Whether a name must not lead to this address: link-local, a metadata service, or no single host. Text that is no address counts. */
export function isForbiddenAddress(address: string): boolean {
  const net = process.getBuiltinModule('node:net');
  const [plain = ''] = address.split('%', 1);
  const version = net.isIP(plain);
  if (version === 0) return true;
  list ??= forbiddenList(new net.BlockList());
  return list.check(plain, version === 4 ? 'ipv4' : 'ipv6');
}

function forbiddenList(empty: BlockList): BlockList {
  for (const [network, prefix, family] of FORBIDDEN) empty.addSubnet(network, prefix, family);
  return empty;
}
