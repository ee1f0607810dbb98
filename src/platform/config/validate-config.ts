import { toJsonValue } from '../../kernel/json/index.ts';
import type { Environment } from '../environment/index.ts';
import type { Config } from './config.ts';
import type { ConfigProblem, ConfigSeverity } from './config-problem.ts';
import { expandServers } from './expand-servers.ts';
import { type Complaint, explainIssue } from './explain-issue.ts';
import { type CanonicalValue, toCanonical } from './hermes-names.ts';
import { formatKeyPath, type KeyPath } from './key-path.ts';
import { configSchema } from './schema/config-schema.ts';
import { IDLE_EVENTS } from './schema/idle-events.ts';
import { storedSecrets } from './stored-secrets.ts';
import { isUnsupportedSection, unsupportedSeverity } from './unsupported-sections.ts';
import { readYaml, type YamlDocument } from './yaml-document.ts';

/** What is sent to it does not leave the machine. */
const LOCAL_HOST = /^(localhost|.*\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** What the text of a `config.yaml` says. */
export interface Validation {
  /** Absent when there is a problem of severity `error`. */
  readonly config?: Config;
  /** Absent when the text is no YAML. */
  readonly yaml?: YamlDocument;
  /** In the order of their lines. */
  readonly problems: readonly ConfigProblem[];
}

interface Source {
  readonly file: string;
  readonly yaml: YamlDocument;
  readonly canonical: CanonicalValue;
}

/**
 * Reads and checks the text of `config.yaml`. Fails closed: with one error there is no configuration at all, so a
 * misspelt guard is never taken for its default.
 *
 * @param file named in problems.
 * @param environment what `${NAME}` in the settings of MCP servers is replaced from.
 */
export function validateConfig(text: string, file: string, environment: Environment): Validation {
  const reading = readYaml(text);
  if (!reading.ok) {
    return { problems: reading.problems.map((problem) => ({ severity: 'error', file, ...problem })) };
  }
  const { yaml } = reading;
  const source: Source = { file, yaml, canonical: toCanonical(asMapping(yaml.value)) };
  const unsupported = unsupportedProblems(source);
  const parsed = configSchema.safeParse(supportedPart(source.canonical.value));
  const wrong = parsed.success
    ? []
    : parsed.error.issues.flatMap((issue) => explainIssue(issue, explainedFrom(source)));
  const errors = wrong.map((complaint) => toProblem(source, 'error', complaint));
  const expanded = parsed.success ? expandServers(parsed.data.mcpServers, environment) : undefined;
  const unset = (expanded?.unset ?? []).map(({ path, name }) =>
    toProblem(source, 'warning', unsetVariable(path, name)),
  );
  const idle = idleHookProblems(source);
  const unencrypted = parsed.success ? unencryptedProblems(source, parsed.data) : [];
  const problems = [
    ...unsupported,
    ...errors,
    ...idle,
    ...unencrypted,
    ...secretProblems(source),
    ...unset,
  ].toSorted(byPlace);
  const isUsable =
    parsed.success && expanded !== undefined && !problems.some(({ severity }) => severity === 'error');
  return isUsable
    ? { config: { ...parsed.data, mcpServers: expanded.servers }, yaml, problems }
    : { yaml, problems };
}

function asMapping(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function supportedPart(value: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !isUnsupportedSection(name)));
}

function explainedFrom({ yaml, canonical }: Source): Parameters<typeof explainIssue>[1] {
  return {
    value: canonical.value,
    nameOf: (path) => formatKeyPath(canonical.writtenPath(path)),
    sourceOf: (path) => yaml.sourceOf(canonical.writtenPath(path)),
  };
}

function toProblem(source: Source, severity: ConfigSeverity, complaint: Complaint): ConfigProblem {
  const { file, yaml, canonical } = source;
  const path = canonical.writtenPath(complaint.path);
  const position = yaml.positionOf(path, complaint.part);
  return {
    severity,
    file,
    ...position,
    key: formatKeyPath(path),
    message: complaint.message,
    remedy: complaint.remedy,
  };
}

function unsupportedProblems(source: Source): readonly ConfigProblem[] {
  return Object.entries(source.canonical.value).flatMap(([name, section]) => {
    const severity = unsupportedSeverity(name, section);
    if (severity === undefined) return [];
    const remedy =
      severity === 'error'
        ? 'remove the section: it would protect nothing here'
        : 'remove the section: it has no effect';
    const message = `${name} is not supported by this version`;
    return [toProblem(source, severity, { path: [name], part: 'key', message, remedy })];
  });
}

/** Hooks that never run: they are for events of Hermes Agent that do not happen here. */
function idleHookProblems(source: Source): readonly ConfigProblem[] {
  const names = Object.keys(asMapping(source.canonical.value['hooks'])).filter((name) =>
    IDLE_EVENTS.has(name),
  );
  return names.map((name) =>
    toProblem(source, 'warning', {
      path: ['hooks', name],
      part: 'key',
      message: `hooks.${name}: this event does not happen here, and its hooks never run`,
      remedy: 'remove them, or leave them for Hermes Agent',
    }),
  );
}

/** Addresses that are told of events over a network in which everybody can read along. */
function unencryptedProblems(source: Source, { hooks }: Config): readonly ConfigProblem[] {
  return hooks.outbound.flatMap(({ url }, index) => {
    const parsed = URL.parse(url);
    if (parsed?.protocol !== 'http:' || LOCAL_HOST.test(parsed.hostname)) return [];
    const path = ['hooks', 'outbound', index, 'url'];
    const message = `${formatKeyPath(source.canonical.writtenPath(path))} is not encrypted: what is sent can be read on its way`;
    return [toProblem(source, 'warning', { path, part: 'value', message, remedy: 'use https' })];
  });
}

function secretProblems(source: Source): readonly ConfigProblem[] {
  return storedSecrets(toJsonValue(supportedPart(source.canonical.value))).map((path) =>
    toProblem(source, 'warning', {
      path,
      part: 'value',
      message: `${formatKeyPath(source.canonical.writtenPath(path))} holds a secret in plain text`,
      remedy:
        path[0] === 'mcp_servers'
          ? 'keep it in the environment and write ${NAME} of its variable here'
          : `keep it in the environment and name its variable in ${path[0] === 'hooks' ? 'secret_env' : 'model.api_key_env'}`,
    }),
  );
}

function unsetVariable(path: KeyPath, name: string): Complaint {
  return {
    path,
    part: 'value',
    message: `${formatKeyPath(path)} refers to ${name}, which is not set in the environment`,
    remedy: `set ${name}, or switch the server off with \`enabled: false\``,
  };
}

function byPlace(a: ConfigProblem, b: ConfigProblem): number {
  return (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0);
}
