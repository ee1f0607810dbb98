import type { Analysis } from './analysis.ts';
import type { Content } from './content.ts';
import { addFinding, addPath } from './report.ts';

/** Where clouds tell a machine its own secrets. */
const METADATA =
  /^(?:169\.254\.169\.254|169\.254\.170\.2|metadata\.google\.internal|metadata|100\.100\.100\.200|fd00:ec2::254|\[fd00:ec2::254\]|0?xa9fea9fe|2852039166|instance-data)$/i;
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){1,3}|::1|\[::1\]|0\.0\.0\.0|.*\.localhost)$/i;

export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host);
}

export function noteHost(host: string, evidence: string, { report }: Analysis): void {
  const name = host.toLowerCase();
  if (name === '' || /[*?…]/.test(name)) return;
  addPath(report.hosts, name);
  if (METADATA.test(name)) addFinding(report, 'imds', evidence, [name]);
}

/** Something of this machine is sent to another. */
export function noteSending(
  content: Content,
  evidence: string,
  { report }: Analysis,
  hosts: readonly string[] = [],
): void {
  report.sends = true;
  addFinding(report, 'exfil', evidence, hosts);
  if (content.secret !== 'none') addFinding(report, 'cred-read', evidence, hosts);
}

/** The host of an address, as far as it is known. */
export function hostOf(url: string): string | undefined {
  const match = /^(?:[a-z][a-z0-9+.-]*:\/\/)?(?:[^/?#@\s]*@)?(\[[0-9a-f:.]+\]|[^/?#:\s]+)/i.exec(url);
  return match?.[1]?.toLowerCase();
}
