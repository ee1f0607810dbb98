import { findAuthorizationSchemes } from './authorization-schemes.ts';
import { findCommandPasswords } from './command-passwords.ts';
import { findKnownSecrets } from './known-secrets.ts';
import { isMasked, maskMarkers } from './marker.ts';
import { findNamedSecrets } from './named-secrets.ts';
import { findPrivateKeys } from './private-keys.ts';
import { findRandomStrings } from './random-strings.ts';
import { mergeSpans, type Span } from './span.ts';
import { findTokenShapes } from './token-shapes.ts';
import { findUrlPasswords } from './url-passwords.ts';

/**
 * Everything in a text that is a secret, by any rule, sorted and disjoint. Markers are left alone, unless they are only
 * part of a secret. The cost is linear in the length of the text, whatever it holds: every pattern is bounded, and what
 * a rule has walked over is either taken or short.
 */
export function findSecrets(text: string, literals: readonly string[]): readonly Span[] {
  const masked = maskMarkers(text);
  const spans = [
    ...[findNamedSecrets, findPrivateKeys, findTokenShapes, findAuthorizationSchemes, findUrlPasswords].map(
      (find) => find(masked),
    ),
    findCommandPasswords(masked),
    findRandomStrings(masked),
    findKnownSecrets(masked, literals),
  ].flat();
  return mergeSpans(spans).filter(({ start, end }) => end > start && !isMasked(masked, start, end));
}
