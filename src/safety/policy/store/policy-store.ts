import type { Failure } from '../../../kernel/errors/index.ts';
import {
  type FileFailure,
  makeDirectory,
  readJsonFile,
  readTextFile,
  statPath,
  writeFileAtomic,
} from '../../../platform/files/index.ts';
import {
  displayPath,
  errnoOf,
  type HomePaths,
  isFileError,
  resolvePath,
} from '../../../platform/paths/index.ts';
import { type RawStat, rawKindOf, rawStat } from '../../../platform/raw-files/index.ts';
import { analyseCommand } from '../../../shell/index.ts';
import {
  type LoadedPolicy,
  loadBuiltinPolicy,
  loadPolicy,
  loadTestedPolicy,
} from '../conditions/load-policy.ts';
import type { PolicyMode } from '../evaluation/policy-verdict.ts';
import type { CommandAnalyser } from '../facts/policy-call.ts';
import { EXAMPLE_POLICY } from '../rules/example-policy.ts';
import type { PolicyProblem } from '../rules/fields.ts';
import { describeProblems } from '../rules/read-policy.ts';
import { decodeLastGood, encodeLastGood, type LastGood } from './last-good.ts';
import { readMode } from './policy-mode.ts';

/** The policy in force. */
export interface PolicyState {
  readonly mode: PolicyMode;
  readonly policy: LoadedPolicy;
  /** Where the rules come from: only the built-in ones, the file, or the last file that could be used. */
  readonly source: 'builtin' | 'file' | 'last_good';
  /** What is wrong with the file; empty when nothing is. */
  readonly problems: readonly PolicyProblem[];
  /** For the person, one line each. */
  readonly warnings: readonly string[];
}

/** What `init` did with each file. */
export interface PolicyInit {
  readonly policy: { readonly path: string; readonly isNew: boolean };
  readonly example: { readonly path: string };
}

const MAX_BYTES = 1_048_576;
const WRITABLE_BY_OTHERS = 0o022;

/** Reads policy and mode from their folder, and again whenever one of the files has changed. */
export class PolicyStore {
  readonly #paths: Pick<HomePaths, 'ledger' | 'policy' | 'policyMode'>;
  readonly #analyse: CommandAnalyser;
  #stamps = '';
  #state: Promise<PolicyState> | undefined;
  #lastGood: LastGood | undefined;

  constructor(
    paths: Pick<HomePaths, 'ledger' | 'policy' | 'policyMode'>,
    analyse: CommandAnalyser = analyseCommand,
  ) {
    this.#paths = paths;
    this.#analyse = analyse;
  }

  /**
   * The policy in force at this moment. A file that cannot be used changes nothing but the warnings: the last one that could be used
   * stays in force, the built-in rules where there was none, and a mode that cannot be read enforces. Never rejects for what is in
   * the files or how they can be reached.
   */
  async current(): Promise<PolicyState> {
    const stamps = `${await stampOf(this.#paths.policy)} ${await stampOf(this.#paths.policyMode)}`;
    if (this.#state === undefined || stamps !== this.#stamps) {
      this.#stamps = stamps;
      this.#state = this.#read();
    }
    return this.#state;
  }

  /** Sets the mode; it holds from the next call on, in every process. */
  async setMode(mode: PolicyMode): Promise<{ readonly ok: true } | FileFailure> {
    const written = await this.#write(this.#paths.policyMode, `${mode}\n`);
    return written.ok ? { ok: true } : written;
  }

  /** Writes `policy.example.json`, and a `policy.json` with the same content where there is none. The mode stays as it is. */
  async init(): Promise<({ readonly ok: true } & PolicyInit) | Failure> {
    const { policy, ledger } = this.#paths;
    const example = resolvePath(ledger, 'policy.example.json');
    const shown = await this.#write(example, EXAMPLE_POLICY);
    if (!shown.ok) return shown;
    const existing = await statPath(policy);
    if (!existing.ok) return existing;
    const isNew = existing.value === undefined;
    const written = isNew ? await this.#write(policy, EXAMPLE_POLICY) : shown;
    return written.ok ? { ok: true, policy: { path: policy, isNew }, example: { path: example } } : written;
  }

  async #read(): Promise<PolicyState> {
    const [modeFile, policyFile] = await Promise.all([
      textOf(this.#paths.policyMode),
      textOf(this.#paths.policy),
    ]);
    const { mode, warning } = modeFile.ok
      ? readMode(modeFile.text)
      : {
          mode: 'enforce' as const,
          warning: `${modeFile.message}. Until it can be read the policy is enforced.`,
        };
    const warnings = [warning ?? [], modeFile.warnings, policyFile.warnings].flat();
    if (policyFile.ok && policyFile.text === undefined)
      return { mode, policy: await loadBuiltinPolicy(), source: 'builtin', problems: [], warnings };
    const { text, problems, policy } = policyFile.ok
      ? await this.#load(policyFile.text ?? '')
      : { text: undefined, problems: [{ where: 'policy', message: policyFile.message }], policy: undefined };
    if (policy === undefined) return this.#withoutFile(mode, problems, warnings);
    const kept = mode === 'off' ? [] : await this.#keep(text);
    return { mode, policy, source: 'file', problems: [], warnings: [...warnings, ...kept] };
  }

  async #load(text: string): Promise<{
    readonly text: string;
    readonly problems: readonly PolicyProblem[];
    readonly policy: LoadedPolicy | undefined;
  }> {
    // The tests of rules take most of the time: they are for a text, or a program, that is new.
    const testedBy = await this.#testedBy();
    const isTested = testedBy !== '' && isSame(await this.#readLastGood(), text, testedBy);
    const loaded = await (isTested ? loadTestedPolicy(text) : loadPolicy(text, this.#analyse));
    return loaded.ok
      ? { text, problems: [], policy: loaded.policy }
      : { text, problems: loaded.problems, policy: undefined };
  }

  async #withoutFile(
    mode: PolicyMode,
    problems: readonly PolicyProblem[],
    warnings: readonly string[],
  ): Promise<PolicyState> {
    const text = (this.#lastGood ?? (await this.#readLastGood()))?.policy;
    const loaded = text === undefined ? undefined : await this.#load(text);
    const hasLastGood = loaded?.policy !== undefined;
    const instead = hasLastGood ? 'the last policy that could be used' : 'the built-in policy';
    const loud = `${displayPath(this.#paths.policy)} CANNOT BE USED: ${instead} stays in force until it is mended`;
    return {
      mode,
      policy: loaded?.policy ?? (await loadBuiltinPolicy()),
      source: hasLastGood ? 'last_good' : 'builtin',
      problems,
      warnings: [...warnings, loud, ...describeProblems(problems)],
    };
  }

  /** Keeps the text for the day the file is broken; says so when that does not work. */
  async #keep(text: string | undefined): Promise<readonly string[]> {
    const testedBy = await this.#testedBy();
    if (text === undefined || isSame(this.#lastGood, text, testedBy)) return [];
    this.#lastGood = { policy: text, testedBy };
    if (isSame(await this.#readLastGood(), text, testedBy)) return [];
    const written = await this.#write(this.#lastGoodPath, encodeLastGood(this.#lastGood));
    return written.ok
      ? []
      : [`the policy in force could not be kept as the last good one: ${written.message}`];
  }

  async #testedBy(): Promise<string> {
    return this.#analyse === analyseCommand ? programStamp() : '';
  }

  async #readLastGood(): Promise<LastGood | undefined> {
    const read = await readJsonFile(this.#lastGoodPath, { maxBytes: 8 * MAX_BYTES });
    return read.ok ? decodeLastGood(read.value) : undefined;
  }

  get #lastGoodPath(): string {
    return resolvePath(this.#paths.ledger, 'policy.last-good.json');
  }

  async #write(path: string, text: string): Promise<{ readonly ok: true } | FileFailure> {
    const folder = await makeDirectory(this.#paths.ledger);
    if (!folder.ok) return folder;
    const written = await writeFileAtomic(path, text, { mode: 0o600 });
    return written.ok ? { ok: true } : written;
  }
}

function isSame(lastGood: LastGood | undefined, policy: string, testedBy: string): boolean {
  return lastGood?.policy === policy && lastGood.testedBy === testedBy;
}

/** Another one for every installation of this program; empty when that cannot be told. */
async function programStamp(): Promise<string> {
  const { protocol, pathname } = new URL(import.meta.url);
  const stamp = protocol === 'file:' ? await stampOf(decodeURIComponent(pathname)) : '';
  return stamp.includes(':') ? stamp : '';
}

/** Another one whenever the file is another one, or cannot be looked at. */
async function stampOf(path: string): Promise<string> {
  const stat = rawStatOf(path);
  if (typeof stat === 'string') return stat;
  const { ino, dev, size, mtimeMs, ctimeMs, mode } = stat;
  const own = [ino, dev, size, mtimeMs, ctimeMs, mode].join(':');
  return rawKindOf(stat) === 'link' ? `${own} ${await stampOfTarget(path)}` : own;
}

function rawStatOf(path: string): RawStat | string {
  try {
    return rawStat(path) ?? 'none';
  } catch (error) {
    if (!isFileError(error)) throw error;
    return errnoOf(error) ?? 'unreachable';
  }
}

async function stampOfTarget(path: string): Promise<string> {
  const stat = await statPath(path);
  if (!stat.ok) return stat.code;
  if (stat.value === undefined) return 'none';
  const { inode, device, size, mtimeMs, mode } = stat.value;
  return [inode, device, size, mtimeMs, mode].join(':');
}

type FileText =
  | { readonly ok: true; readonly text: string | undefined; readonly warnings: readonly string[] }
  | { readonly ok: false; readonly message: string; readonly warnings: readonly string[] };

/** The text of a file; undefined when it is not there. */
async function textOf(path: string): Promise<FileText> {
  const read = await readTextFile(path, { maxBytes: MAX_BYTES });
  if (!read.ok) {
    if (read.code === 'not_found') return { ok: true, text: undefined, warnings: [] };
    return { ok: false, message: read.message, warnings: [] };
  }
  const { text, isUtf8, stat } = read.value;
  const isOpen = (stat.mode & WRITABLE_BY_OTHERS) !== 0;
  const warnings = isOpen ? [`${displayPath(path)} can be changed by other users: run chmod 600 on it`] : [];
  return isUtf8
    ? { ok: true, text, warnings }
    : { ok: false, message: `${displayPath(path)} is not UTF-8`, warnings };
}
