const UNITS: readonly (readonly [string, number])[] = [
  ['y', 365 * 24 * 60 * 60_000],
  ['mo', 30 * 24 * 60 * 60_000],
  ['d', 24 * 60 * 60_000],
  ['h', 60 * 60_000],
  ['min', 60_000],
  ['s', 1000],
];

/** How far `then` is from `now` (milliseconds since 1970), in its largest unit: `2h ago`, `in 3d`, `just now`. */
export function relativeTime(then: number, now: number): string {
  const distance = Math.abs(now - then);
  const unit = UNITS.find(([, length]) => distance >= length);
  if (unit === undefined) return 'just now';
  const [name, length] = unit;
  const amount = `${Math.floor(distance / length)}${name}`;
  return then > now ? `in ${amount}` : `${amount} ago`;
}
