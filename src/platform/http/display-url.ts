/** An address as it may be shown and logged: without user name, password, query string and fragment. */
export function displayUrl(url: string | URL): string {
  const parsed = URL.parse(String(url));
  if (parsed === null) return stripByHand(String(url));
  parsed.username = '';
  parsed.password = '';
  parsed.search = '';
  parsed.hash = '';
  return parsed.href;
}

/** For text that is no URL: such a text may still carry a secret in the places where a URL would. */
function stripByHand(text: string): string {
  return text.replace(/[?#].*$/s, '').replace(/\/\/[^/]*@/, '//');
}
