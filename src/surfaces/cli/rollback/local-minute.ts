/** A moment (milliseconds since 1970) in local time, to the minute: `2026-03-16 04:36`. */
export function localMinute(ms: number): string {
  const date = new Date(ms);
  if (Number.isNaN(date.getTime())) return 'at no known time';
  const day = [date.getFullYear(), date.getMonth() + 1, date.getDate()].map(twoDigits).join('-');
  return `${day} ${[date.getHours(), date.getMinutes()].map(twoDigits).join(':')}`;
}

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
