import type { ForeseenRepository } from '../model/foreseen.ts';
import type { Check } from './check.ts';
import { shownPath } from './check-file.ts';
import { committedSince, gitFoldersAt, hasBranch, headOf, isCheckedOut } from './git-state.ts';

/** Compares one repository with what was foreseen of it. */
export async function checkRepository(repository: ForeseenRepository, cwd: string): Promise<Check> {
  const { path, act, branch = '' } = repository;
  const where = shownPath(path, cwd);
  const folders = await gitFoldersAt(path);
  if (folders === undefined) {
    const what = `the repository ${where} (not there)`;
    return { state: act === 'init' || act === 'clone' ? 'not_done' : 'unknown', what };
  }
  switch (act) {
    case 'init':
      return { state: 'done', what: `the repository ${where}` };
    case 'clone':
      return (await isCheckedOut(folders))
        ? { state: 'done', what: `the clone ${where}` }
        : { state: 'changed', what: `the clone ${where}` };
    case 'branch':
      return {
        state: (await hasBranch(folders, branch)) ? 'done' : 'not_done',
        what: `branch ${branch} of ${where}`,
      };
    case 'commit':
      return checkCommit(repository, where, {
        head: await headOf(folders),
        isCommitted: await committedSince(folders, repository.head),
      });
  }
}

function checkCommit(
  { head: before }: ForeseenRepository,
  where: string,
  { head, isCommitted }: { readonly head: string | undefined; readonly isCommitted: boolean | undefined },
): Check {
  if (head === undefined) return { state: 'unknown', what: `HEAD of ${where}` };
  if (head === before) return { state: 'not_done', what: `HEAD of ${where} (${shortCommit(head)})` };
  const what = `HEAD of ${where} (${shortCommit(before)} to ${shortCommit(head)})`;
  return { state: isCommitted === true ? 'done' : 'other', what };
}

function shortCommit(commit: string): string {
  return commit === '' ? 'no commit' : commit.slice(0, 10);
}
