import { fail, type Result, succeed } from '../../../kernel/errors/index.ts';
import { canonicalJson, getOwn, isJsonObject, type JsonValue } from '../../../kernel/json/index.ts';
import type { Regex, RegexCompiler } from '../../../kernel/regex/index.ts';
import type { CallFacts } from '../facts/call-facts.ts';
import { compileHostPattern } from '../patterns/host-pattern.ts';
import { compilePathPattern } from '../patterns/path-pattern.ts';
import type { ArgumentTest, ArgvToken, CallCondition, TextPart } from '../rules/policy-rule.ts';

/** How much of a call has to fit: for a danger any part of it is enough, what lifts a question has to cover all of it. */
export type Extent = 'any' | 'all';

/** Says by what a condition holds, in a few words; undefined when it does not. */
export type ConditionMatcher = (facts: CallFacts, extent: Extent) => string | undefined;

export interface CompileOptions {
  /** Undefined: the code of a command, the whole text of any other call. */
  readonly where: TextPart | undefined;
  /** Undefined only where no condition has a regular expression. */
  readonly patterns: RegexCompiler | undefined;
}

/** Fails for a regular expression that is none. */
export function compileCondition(
  condition: CallCondition,
  { where, patterns }: CompileOptions,
): Result<ConditionMatcher, 'invalid_pattern'> {
  switch (condition.kind) {
    case 'shell.class':
      return succeed((facts, extent) => matchClasses(condition.classes, facts, extent));
    case 'text.contains':
      return succeed((facts, extent) => matchContained(condition.texts, facts, { extent, where }));
    case 'text.regex':
      return compileTextRegex(condition.sources, where, patterns);
    case 'argv.prefix':
      return succeed((facts, extent) => matchArgv(condition.prefixes, facts, extent));
    case 'path.read':
    case 'path.write':
    case 'path.glob':
      return succeed(pathMatcher(condition.kind, condition.globs));
    case 'url.host':
      return succeed(hostMatcher(condition.hosts));
    case 'argument':
      return compileArgument(condition.pointer, condition.test, patterns);
    case 'session.unattended':
      return succeed((facts) => {
        if (facts.unattended !== condition.is) return undefined;
        return condition.is ? 'nobody is there to ask' : 'a person is there';
      });
  }
}

function matchClasses(
  classes: readonly string[],
  { findings }: CallFacts,
  extent: Extent,
): string | undefined {
  const found = findings.find((finding) => classes.includes(finding.class));
  if (found === undefined) return undefined;
  if (extent === 'all' && !findings.every((finding) => classes.includes(finding.class))) return undefined;
  return `${found.class}: ${found.evidence}`;
}

function textOf({ texts, command }: CallFacts, where: TextPart | undefined): string {
  return texts[where ?? (command === undefined ? 'raw' : 'code')];
}

function matchContained(
  texts: readonly string[],
  facts: CallFacts,
  { extent, where }: { readonly extent: Extent; readonly where: TextPart | undefined },
): string | undefined {
  if (extent === 'all' && facts.programs.length > 1) return undefined;
  const text = textOf(facts, where);
  const found = texts.find((part) => text.includes(part));
  return found === undefined ? undefined : `contains ${JSON.stringify(found)}`;
}

function compileTextRegex(
  sources: readonly string[],
  where: TextPart | undefined,
  patterns: RegexCompiler | undefined,
): Result<ConditionMatcher, 'invalid_pattern'> {
  const compiled: { readonly source: string; readonly pattern: Regex }[] = [];
  for (const source of sources) {
    const pattern = compilePattern(source, patterns);
    if (!pattern.ok) return pattern;
    compiled.push({ source, pattern: pattern.value });
  }
  return succeed((facts, extent) => {
    const text = extent === 'all' ? facts.texts.raw : textOf(facts, where);
    const found = compiled.find(({ pattern }) =>
      extent === 'all' ? pattern.fits(text) : pattern.finds(text),
    );
    return found === undefined ? undefined : `matches /${found.source}/`;
  });
}

function compilePattern(
  source: string,
  patterns: RegexCompiler | undefined,
): Result<Regex, 'invalid_pattern'> {
  if (patterns === undefined) return fail('invalid_pattern', `${JSON.stringify(source)} was not compiled`);
  return patterns(source);
}

/** The analyser lists this many programs and no more. */
const MAX_PROGRAMS = 500;

function matchArgv(
  prefixes: readonly (readonly ArgvToken[])[],
  { programs }: CallFacts,
  extent: Extent,
): string | undefined {
  const fits = ({ argv }: { readonly argv: readonly (string | undefined)[] }): boolean =>
    prefixes.some((prefix) =>
      prefix.every((token, index) => {
        const word = argv[index];
        return word !== undefined && token.includes(word);
      }),
    );
  const found = programs.find(fits);
  if (found === undefined) return undefined;
  if (extent === 'all' && (programs.length >= MAX_PROGRAMS || !programs.every(fits))) return undefined;
  return `runs ${found.argv
    .map((word) => word ?? '…')
    .join(' ')
    .slice(0, 200)
    .toWellFormed()}`;
}

/** Programs that take everything below a folder with it. */
const WHOLE_TREES = new Set(['rm', 'mv', 'rmdir', 'chmod', 'chown', 'chgrp', 'shred', 'find', 'rsync']);

function pathMatcher(
  kind: 'path.read' | 'path.write' | 'path.glob',
  globs: readonly string[],
): ConditionMatcher {
  const patterns = globs.map(compilePathPattern);
  return ({ reads, writes, programs, place }, extent) => {
    const paths = kind === 'path.read' ? reads : kind === 'path.write' ? writes : [...reads, ...writes];
    const fits = (path: string): boolean => patterns.some((pattern) => pattern.fits(path, place));
    const found = paths.find(fits);
    if (extent === 'all')
      return found === undefined || !paths.every(fits) ? undefined : `only paths like ${found}`;
    if (found !== undefined) return found;
    if (kind === 'path.read' || !programs.some(({ argv }) => WHOLE_TREES.has(argv[0] ?? '')))
      return undefined;
    return writes.find((folder) => patterns.some((pattern) => pattern.reachesBelow(folder, place)));
  };
}

function hostMatcher(hosts: readonly string[]): ConditionMatcher {
  const patterns = hosts.map(compileHostPattern);
  return (facts, extent) => {
    const fits = (host: string): boolean => patterns.some((pattern) => pattern(host));
    const found = facts.hosts.find(fits);
    if (found === undefined || (extent === 'all' && !facts.hosts.every(fits))) return undefined;
    return `host ${found}`;
  };
}

function compileArgument(
  pointer: readonly string[],
  test: ArgumentTest,
  patterns: RegexCompiler | undefined,
): Result<ConditionMatcher, 'invalid_pattern'> {
  const name = `/${pointer.join('/')}`;
  if (test.type === 'regex') {
    const pattern = compilePattern(test.source, patterns);
    if (!pattern.ok) return pattern;
    return succeed((facts, extent) => {
      const value = valueAt(facts.call.args, pointer);
      if (value === undefined) return undefined;
      const text = typeof value === 'string' ? value : JSON.stringify(value);
      const holds = extent === 'all' ? pattern.value.fits(text) : pattern.value.finds(text);
      return holds ? `argument ${name} matches /${test.source}/` : undefined;
    });
  }
  return succeed((facts) => {
    const value = valueAt(facts.call.args, pointer);
    if (value === undefined) return undefined;
    if (test.type === 'eq')
      return canonicalJson(value) === canonicalJson(test.value)
        ? `argument ${name} is ${JSON.stringify(value).slice(0, 100)}`
        : undefined;
    const length = lengthOf(value);
    const holds = length !== undefined && length >= test.min && length <= test.max;
    return holds ? `argument ${name} has ${String(length)} parts` : undefined;
  });
}

/** RFC 6901, with the parts unescaped. */
function valueAt(root: JsonValue, pointer: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = root;
  for (const part of pointer) {
    if (Array.isArray(value)) value = /^(?:0|[1-9]\d*)$/.test(part) ? itemAt(value, Number(part)) : undefined;
    else if (isJsonObject(value)) value = getOwn(value, part);
    else return undefined;
  }
  return value;
}

function itemAt(list: readonly JsonValue[], index: number): JsonValue | undefined {
  return list[index];
}

function lengthOf(value: JsonValue): number | undefined {
  if (typeof value === 'string' || Array.isArray(value)) return value.length;
  return isJsonObject(value) ? Object.keys(value).length : undefined;
}
