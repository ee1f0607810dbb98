import { type Failure, fail, type Result } from '../../../kernel/errors/index.ts';
import { applyHunks, type PatchedText } from './apply-hunks.ts';
import type { FileSection } from './parse-v4a.ts';
import { type PatchPlan, type PlannedFile, textToEdit } from './patch-plan.ts';
import { countLines } from './text-lines.ts';

/** What became of one file, for the model. */
export interface SectionSummary {
  readonly path: string;
  readonly action: 'added' | 'updated' | 'moved' | 'deleted';
  readonly moved_to?: string;
  readonly lines_added: number;
  readonly lines_removed: number;
}

type UpdateSection = Extract<FileSection, { type: 'update' }>;

/** Plans the sections of a patch, in their order. The plan is of no use once one fails. */
export async function planV4a(
  sections: readonly FileSection[],
  plan: PatchPlan,
): Promise<Result<readonly SectionSummary[]>> {
  const summaries: SectionSummary[] = [];
  for (const section of sections) {
    const planned = await planSection(section, plan);
    if (!planned.ok) return planned;
    summaries.push(planned.value);
  }
  return { ok: true, value: summaries };
}

async function planSection(section: FileSection, plan: PatchPlan): Promise<Result<SectionSummary>> {
  const file = await plan.open(section.path);
  if (!file.ok) return inSection(section, file);
  switch (section.type) {
    case 'add':
      return planAdd(section, file.value, plan);
    case 'delete':
      return planDelete(section, file.value, plan);
    case 'update':
      return planUpdate(section, file.value, plan);
  }
}

function planAdd(
  section: Extract<FileSection, { type: 'add' }>,
  file: PlannedFile,
  plan: PatchPlan,
): Result<SectionSummary> {
  const { shown } = file.target;
  if (file.text !== undefined) {
    return inSection(
      section,
      fail('already_exists', `${shown} exists already.`, 'Use "*** Update File:" for it.'),
    );
  }
  plan.set(file, section.lines.map((line) => `${line}\n`).join(''));
  return {
    ok: true,
    value: { path: shown, action: 'added', lines_added: section.lines.length, lines_removed: 0 },
  };
}

async function planDelete(
  section: FileSection,
  file: PlannedFile,
  plan: PatchPlan,
): Promise<Result<SectionSummary>> {
  const { shown } = file.target;
  if (file.text === undefined)
    return inSection(section, fail('not_found', `There is no ${shown}.`, 'Check the path.'));
  const link = await whyNotRemovable(file);
  if (link !== undefined) return inSection(section, link);
  plan.set(file, undefined);
  return {
    ok: true,
    value: { path: shown, action: 'deleted', lines_added: 0, lines_removed: countLines(file.text) },
  };
}

async function planUpdate(
  section: UpdateSection,
  file: PlannedFile,
  plan: PatchPlan,
): Promise<Result<SectionSummary>> {
  const patched = patchText(section, file);
  if (!patched.ok) return inSection(section, patched);
  const { text, linesAdded, linesRemoved } = patched.value;
  const counts = { lines_added: linesAdded, lines_removed: linesRemoved };
  const { shown } = file.target;
  if (section.moveTo === undefined) {
    plan.set(file, text);
    return { ok: true, value: { path: shown, action: 'updated', ...counts } };
  }
  const link = await whyNotRemovable(file);
  if (link !== undefined) return inSection(section, link);
  const destination = await plan.open(section.moveTo);
  if (!destination.ok) return inSection(section, destination);
  const movedTo = destination.value.target.shown;
  if (destination.value.text !== undefined) {
    return inSection(
      section,
      fail('already_exists', `${movedTo} exists already.`, 'Choose another name, or delete it first.'),
    );
  }
  plan.set(file, undefined);
  plan.set(destination.value, text, file.before?.mode);
  return { ok: true, value: { path: shown, action: 'moved', moved_to: movedTo, ...counts } };
}

function patchText(section: UpdateSection, file: PlannedFile): Result<PatchedText> {
  const text = textToEdit(file);
  if (!text.ok) return text;
  return applyHunks(text.value, section.hunks, file.target.shown);
}

/** Removing a link would remove what it leads to instead: the plan only knows files. */
async function whyNotRemovable({ target, before }: PlannedFile): Promise<Failure | undefined> {
  if (before === undefined) return undefined;
  const stat = await target.files.stat(target.path, { followLinks: false });
  if (!stat.ok) return stat;
  if (stat.value?.kind !== 'link') return undefined;
  return fail('is_link', `${target.shown} is a symbolic link.`, 'Remove or move it with terminal.');
}

function inSection(section: FileSection, failure: Failure): Failure {
  const place = `The patch does not fit, at line ${String(section.patchLine)}: `;
  return failure.message.startsWith('The hunk')
    ? failure
    : { ...failure, message: `${place}${failure.message}` };
}
