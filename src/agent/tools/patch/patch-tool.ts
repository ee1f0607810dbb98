import type { Tool, ToolOutcome } from '../../../gate/index.ts';
import { fail, type Result } from '../../../kernel/errors/index.ts';
import { getString, type JsonObject } from '../../../kernel/json/index.ts';
import type { ForeseenChange } from '../../../kernel/tool-call/index.ts';
import { flagArgument } from '../arguments.ts';
import { defineTool } from '../define-tool.ts';
import { commitChanges } from '../files/commit-changes.ts';
import { diskFiles } from '../files/file-store.ts';
import { nearNames } from '../files/near-names.ts';
import type { WritingPorts } from '../files/writable-target.ts';
import { failed, succeeded } from '../outcomes.ts';
import { parseV4a } from './parse-v4a.ts';
import { modeOf, pathsOfPatch } from './patch-arguments.ts';
import { PatchPlan, textToEdit } from './patch-plan.ts';
import { planV4a, type SectionSummary } from './plan-v4a.ts';
import { replaceText } from './replace-text.ts';
import { countLines } from './text-lines.ts';

/** The change of one file by text, for the model. */
interface ReplaceSummary extends Omit<SectionSummary, 'moved_to'> {
  readonly replacements: number;
}

/**
 * `patch`: changes parts of files. In mode `replace`, one place of a file (or every place, with `replace_all`) that has
 * exactly the text `old_string`; an empty `old_string` creates a file. In mode `patch`, the files of a V4A patch (see
 * {@link parseV4a}).
 *
 * Every call is all or nothing: all of it is worked out in memory first, and what was written before a failure is put
 * back (only a crash in that moment can leave some of the files changed, each of them whole). The result is JSON:
 * `{files: [{path, action, lines_added, lines_removed, moved_to?, replacements?}]}`.
 */
export function createPatchTool(ports: WritingPorts): Tool {
  return defineTool(
    {
      name: 'patch',
      description: [
        'Change parts of files. Mode "replace" (the default): old_string, copied exactly from the file and there only once, becomes new_string; an empty old_string creates the file.',
        'Mode "patch": a patch over several files between "*** Begin Patch" and "*** End Patch", with "*** Update File: path" (optionally followed by "*** Move to: path"), "*** Add File: path" and "*** Delete File: path"; "@@ line of the file" leads to a place, then lines begin with a space (kept), "-" (removed) or "+" (added).',
        'Either everything is changed or nothing.',
      ].join('\n'),
      parameters: {
        type: 'object',
        properties: {
          mode: { type: 'string', enum: ['replace', 'patch'] },
          path: { type: 'string', description: 'Mode replace: the file.' },
          old_string: { type: 'string', description: 'Mode replace: the text to find.' },
          new_string: { type: 'string', description: 'Mode replace: the text to put in its place.' },
          replace_all: { type: 'boolean', description: 'Mode replace: every place instead of the only one.' },
          patch: { type: 'string', description: 'Mode patch: the patch.' },
        },
      },
      effect: 'write',
      idempotent: false,
      pathArguments: ['path'],
      pathsOf: pathsOfPatch,
      foresee: ({ args, cwd }) => foreseePatch(args, new PatchPlan({ cwd, home: ports.home }, ports)),
    },
    async ({ call }) => {
      const files = ports.files ?? diskFiles;
      const plan = new PatchPlan({ cwd: call.cwd, home: ports.home }, ports);
      return files.exclusively(async (): Promise<ToolOutcome> => {
        const planned = await planCall(call.args, plan);
        if (!planned.ok) return failed(planned);
        const committed = await commitChanges(plan.changes, files);
        return committed.ok ? succeeded(JSON.stringify({ files: planned.value })) : failed(committed);
      });
    },
  );
}

type CallSummary = readonly (SectionSummary | ReplaceSummary)[];

async function planCall(args: JsonObject, plan: PatchPlan): Promise<Result<CallSummary>> {
  return modeOf(args) === 'patch' ? planPatch(args, plan) : planReplace(args, plan);
}

async function foreseePatch(args: JsonObject, plan: PatchPlan): Promise<readonly ForeseenChange[]> {
  const planned = await planCall(args, plan);
  if (!planned.ok) return [];
  return plan.changes.map((change) => ({
    path: change.path,
    after: change.type === 'remove' ? 'absent' : { content: change.content },
  }));
}

async function planPatch(args: JsonObject, plan: PatchPlan): Promise<Result<readonly SectionSummary[]>> {
  const patch = getString(args, 'patch');
  if (patch === undefined) return fail('bad_arguments', 'Mode "patch" needs the argument "patch".');
  const sections = parseV4a(patch);
  return sections.ok ? planV4a(sections.value, plan) : sections;
}

async function planReplace(args: JsonObject, plan: PatchPlan): Promise<Result<readonly ReplaceSummary[]>> {
  const path = getString(args, 'path');
  const oldText = getString(args, 'old_string');
  const newText = getString(args, 'new_string');
  if (path === undefined || oldText === undefined || newText === undefined) {
    return fail('bad_arguments', 'Mode "replace" needs the arguments "path", "old_string" and "new_string".');
  }
  const file = await plan.open(path);
  if (!file.ok) return file;
  const { shown } = file.value.target;
  if (oldText === '') {
    if (file.value.text !== undefined && file.value.text !== '') {
      return fail(
        'already_exists',
        `${shown} is not empty, so an empty old_string says nothing.`,
        'Give a text of the file, or replace it as a whole with write_file.',
      );
    }
    plan.set(file.value, newText);
    const action = file.value.text === undefined ? 'added' : 'updated';
    return {
      ok: true,
      value: [{ path: shown, action, lines_added: countLines(newText), lines_removed: 0, replacements: 1 }],
    };
  }
  const text = textToEdit(file.value);
  if (!text.ok)
    return text.code === 'not_found'
      ? fail(text.code, text.message, await nearNames(file.value.target.path))
      : text;
  const replaced = replaceText(
    text.value,
    { oldText, newText, replaceAll: flagArgument(args, 'replace_all') },
    shown,
  );
  if (!replaced.ok) return replaced;
  const { linesAdded, linesRemoved, count } = replaced.value;
  plan.set(file.value, replaced.value.text);
  return {
    ok: true,
    value: [
      {
        path: shown,
        action: 'updated',
        lines_added: linesAdded,
        lines_removed: linesRemoved,
        replacements: count,
      },
    ],
  };
}
