/**
 * Whether a host name fits a pattern: a host means exactly that one, `*.example.com` every host below `example.com` and not
 * `example.com` itself, `*` every host. Case does not count, nor does a dot at the end.
 */
export function compileHostPattern(pattern: string): (host: string) => boolean {
  const wanted = normalHost(pattern);
  if (wanted === '*') return () => true;
  if (wanted.startsWith('*.')) return (host) => normalHost(host).endsWith(wanted.slice(1));
  return (host) => normalHost(host) === wanted;
}

function normalHost(host: string): string {
  return host.toLowerCase().replace(/\.$/, '');
}
