import type { SecretKind } from './marker.ts';
import type { Span } from './span.ts';
import { isStandIn } from './stand-in.ts';
import { openingQuoteAt, quotedEnd } from './value-scan.ts';

const MAX_CONTAINER_CHARS = 65_536;

/** JSON Schema, and the entry of a package in a lock file: the name is that of a field or a package, not of a secret. */
const DESCRIBES =
  /["'](?:type\\{0,15}["']\s{0,4}:\s{0,4}\\{0,15}["'](?:string|object|array|number|integer|boolean|null)|(?:version|resolved|specifier|\$ref)\\{0,15}["']\s{0,4}:)/;

export interface ContainerValues {
  readonly spans: readonly Span[];
  /** Where the search goes on. */
  readonly end: number;
}

/** The quoted values, at any depth, of the JSON array or object that starts at `start`; names are left alone. */
export function containerValues(text: string, start: number, kind: SecretKind): ContainerValues {
  if (DESCRIBES.test(text.slice(start, start + 256))) return { spans: [], end: start + 1 };
  const spans: Span[] = [];
  const limit = Math.min(text.length, start + MAX_CONTAINER_CHARS);
  let depth = 0;
  let index = start;
  while (index < limit) {
    const opening = openingQuoteAt(text, index);
    if (opening !== undefined) {
      const end = quotedEnd(text, opening);
      if (!isName(text, end) && !isStandIn(text.slice(opening.bodyStart, end))) {
        spans.push({ start: opening.bodyStart, end, kind });
      }
      index = end + opening.slashes + opening.quote.length;
      continue;
    }
    depth += depthChange(text[index] ?? '');
    index += 1;
    if (depth === 0) break;
  }
  return { spans, end: index };
}

const NAME_END = /\\{0,15}["'`]\s{0,64}:/y;

function isName(text: string, end: number): boolean {
  NAME_END.lastIndex = end;
  return NAME_END.test(text);
}

function depthChange(character: string): number {
  if (character === '{' || character === '[') return 1;
  return character === '}' || character === ']' ? -1 : 0;
}
