const UNITS = ['KB', 'MB', 'GB', 'TB'];
const STEP = 1024;

/** A number of bytes in steps of 1024, with one decimal from a kilobyte on: `512 B`, `138.1 MB`. */
export function archiveSize(bytes: number): string {
  if (bytes < STEP) return `${String(bytes)} B`;
  let [value, unit] = [bytes / STEP, 0];
  // 1023.95 would be shown as 1024.0.
  while (value >= STEP - 0.05 && unit < UNITS.length - 1) [value, unit] = [value / STEP, unit + 1];
  return `${value.toFixed(1)} ${UNITS[unit] ?? ''}`;
}
