const MAX_URLS = 50;
const MAX_TEXT = 131_072;
const WEB = /\b(?:https?|wss?|ftp):\/\/[^\s"'<>\\^`{|}]+/gi;

/** The web addresses in a text, as written; at most 50, of the first 128 KB. */
export function urlsIn(text: string): readonly string[] {
  const found = text.slice(0, MAX_TEXT).match(WEB) ?? [];
  return [...new Set(found)].slice(0, MAX_URLS);
}

/** Their hosts, lower case, without repeats. */
export function hostsIn(urls: readonly string[]): readonly string[] {
  const hosts = urls.flatMap((url) => {
    const host = URL.parse(url)?.hostname ?? '';
    return host === '' ? [] : [host];
  });
  return [...new Set(hosts)];
}
