export { randomBytes } from './random-bytes.ts';
export { randomFraction } from './random-fraction.ts';
export { createIdMaker, type IdSources, randomId } from './random-id.ts';
