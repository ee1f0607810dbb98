import { expect, it } from 'vitest';
import { archiveSize } from './archive-size.ts';

it.each([
  [0, '0 B'],
  [1023, '1023 B'],
  [1024, '1.0 KB'],
  [4.2 * 1024 ** 2, '4.2 MB'],
  [1024 ** 2 - 1, '1.0 MB'],
  [1024 ** 3 - 1, '1.0 GB'],
  [2048 * 1024 ** 4, '2048.0 TB'],
])('%i bytes are %s', (bytes, text) => {
  expect(archiveSize(bytes)).toBe(text);
});
