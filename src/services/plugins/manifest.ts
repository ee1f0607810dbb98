import { isMap, isScalar, parseDocument } from 'yaml';
import { z } from 'zod';
import { fail, messageOf, type Result, succeed, suggest } from '../../kernel/errors/index.ts';
import { isPluginName } from './plugin-name.ts';

/** What a plugin says of itself in `plugin.yaml`. */
export interface PluginManifest {
  readonly name: string;
  /** As it is written: `1.10` is not `1.1`. */
  readonly version: string;
  readonly description: string;
  readonly author?: string;
  /** Events it listens to; undefined when the manifest does not say. */
  readonly providesHooks?: readonly string[];
  readonly providesTools?: readonly string[];
  readonly providesCommands?: readonly string[];
  /** Whether it runs in a thread of its own. */
  readonly isolate: boolean;
  /** Environment variables it needs. */
  readonly env: readonly string[];
}

const MAX_SHOWN = 2000;
const names = z.array(z.string().min(1).max(200)).max(500);

const manifestSchema = z.looseObject({
  name: z.string().refine(isPluginName, { error: 'is no name a plugin can have' }),
  version: z.string().min(1).max(100),
  description: z.string().max(MAX_SHOWN).default(''),
  author: z.string().max(MAX_SHOWN).optional(),
  provides_hooks: names.optional(),
  provides_tools: names.optional(),
  provides_commands: names.optional(),
  isolate: z.boolean().default(false),
  env: z
    .array(z.string().regex(/^[A-Za-z_][A-Za-z0-9_]*$/, { error: 'must be names of environment variables' }))
    .max(100)
    .default([]),
});

/** A misspelt one of these would leave a plugin without its isolation, or a guard without its effect. */
const GUARDING_KEYS: readonly string[] = ['isolate', 'provides_hooks'];

/**
 * Reads the text of a manifest, as YAML 1.1. Keys that Herma does not know are let pass, as manifests written for Hermes Agent
 * have some of their own; but `isolat: true` must not pass for no isolation.
 */
export function readManifest(text: string): Result<PluginManifest, 'bad_manifest'> {
  const given = readMapping(text);
  if (!given.ok) return given;
  for (const key of Object.keys(given.value)) {
    const meant = Object.hasOwn(manifestSchema.shape, key) ? undefined : suggest(key, GUARDING_KEYS);
    if (meant !== undefined) return bad(`"${key}" is no key of a manifest; did you mean "${meant}"?`);
  }
  const parsed = manifestSchema.safeParse(given.value);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const where =
      issue === undefined || issue.path.length === 0 ? '' : `${issue.path.map(String).join('.')}: `;
    return bad(where + (issue?.message ?? 'it does not fit'));
  }
  const { provides_hooks, provides_tools, provides_commands, author, ...rest } = parsed.data;
  return succeed({
    name: rest.name,
    version: rest.version,
    description: rest.description,
    isolate: rest.isolate,
    env: rest.env,
    ...(author === undefined ? {} : { author }),
    ...(provides_hooks === undefined ? {} : { providesHooks: provides_hooks }),
    ...(provides_tools === undefined ? {} : { providesTools: provides_tools }),
    ...(provides_commands === undefined ? {} : { providesCommands: provides_commands }),
  });
}

/** The mapping of the document. Name and version are taken as they are written: `version: 1.10` is no number. */
function readMapping(text: string): Result<Readonly<Record<string, unknown>>, 'bad_manifest'> {
  const document = parseDocument(text, {
    version: '1.1',
    schema: 'yaml-1.1',
    customTags: (tags) =>
      tags.filter((tag) => typeof tag === 'string' || tag.tag !== 'tag:yaml.org,2002:timestamp'),
    prettyErrors: false,
    logLevel: 'error',
  });
  const [error] = document.errors;
  if (error !== undefined) return bad(`it is not valid YAML: ${error.message.split('\n', 1).join('')}`);
  const { contents } = document;
  if (!isMap(contents)) return bad('it is no mapping of keys and values');
  try {
    const value: unknown = document.toJS({ maxAliasCount: 100 });
    if (typeof value !== 'object' || value === null) return bad('it is no mapping of keys and values');
    const mapping = new Map<string, unknown>(Object.entries(value));
    for (const key of ['name', 'version']) {
      const node = contents.get(key, true);
      if (isScalar(node) && node.source !== undefined && node.value !== null) mapping.set(key, node.source);
    }
    return succeed(Object.fromEntries(mapping));
  } catch (thrown) {
    return bad(`it cannot be read: ${messageOf(thrown)}`);
  }
}

function bad(message: string): Result<never, 'bad_manifest'> {
  return fail('bad_manifest', message, 'Correct plugin.yaml; docs/plugins.md says what it holds.');
}
