const UNITS = ['B', 'KB', 'MB', 'GB', 'TB', 'PB'];
const STEP = 1024;

/** A number of bytes for people, in steps of 1024: `512 B`, `1.5 KB`, `20 MB`. */
export function byteSize(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (rounded(value) >= STEP && unit < UNITS.length - 1) {
    value /= STEP;
    unit += 1;
  }
  return `${rounded(value)} ${UNITS[unit] ?? ''}`;
}

/** One decimal below ten, none above. */
function rounded(value: number): number {
  return value < 10 ? Math.round(value * 10) / 10 : Math.round(value);
}
