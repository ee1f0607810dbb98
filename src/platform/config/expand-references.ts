import type { Environment } from '../environment/index.ts';

const REFERENCE = /\$\{([A-Za-z_][A-Za-z0-9_]*)\}/g;

/** `text` with each `${NAME}` replaced by that variable, and the names of those that are not set (left as they are). */
export function expandReferences(
  text: string,
  environment: Environment,
): { readonly text: string; readonly unset: readonly string[] } {
  const unset: string[] = [];
  const expanded = text.replaceAll(REFERENCE, (reference, name: string) => {
    const value = environment[name];
    if (value === undefined) unset.push(name);
    return value ?? reference;
  });
  return { text: expanded, unset };
}
