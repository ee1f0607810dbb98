/** A number in [0, 1), for spreading retries. Guessable: never for anything secret. */
export function randomFraction(): number {
  return Math.random();
}
