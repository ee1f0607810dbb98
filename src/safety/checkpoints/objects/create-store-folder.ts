import { join } from 'node:path';
import { errnoOf } from '../../../platform/paths/index.ts';
import { randomBytes } from '../../../platform/random/index.ts';
import {
  chmodRaw,
  createRawFile,
  ensureRawFolder,
  linkRaw,
  rawContent,
  rawStat,
  renameRaw,
  unlinkRaw,
} from '../../../platform/raw-files/index.ts';

/** Without `refs/heads`, git does not take a folder for a repository. */
const FOLDERS = ['objects/pack', 'objects/info', 'refs/heads', 'refs/tags', 'refs/herma', 'info'];

const HEAD = 'ref: refs/heads/main\n';

/**
 * What fsck finds fault with in files that a project may well have. Every name is known to git 2.39 and to older ones
 * that were kept safe; git refuses to check at all when it meets one that it does not know.
 */
const IGNORED_FAULTS = [
  'hasDotgit',
  'gitmodulesBlob',
  'gitmodulesLarge',
  'gitmodulesMissing',
  'gitmodulesName',
  'gitmodulesParse',
  'gitmodulesPath',
  'gitmodulesSymlink',
  'gitmodulesUpdate',
  'gitmodulesUrl',
  'gitattributesBlob',
  'gitattributesLarge',
  'gitattributesLineLength',
  'gitattributesMissing',
];

const CONFIG = `[core]
\trepositoryformatversion = 0
\tfilemode = true
\tbare = true
\tsharedRepository = 0600
\tlogAllRefUpdates = false
\tcommitGraph = false
\tmultiPackIndex = false
[gc]
\tauto = 0
\twriteCommitGraph = false
[maintenance]
\tauto = false
[fsck]
${IGNORED_FAULTS.map((name) => `\t${name} = ignore\n`).join('')}`;

const EXCLUDE = '# The tree is scanned by Herma, not by git: patterns here have no effect.\n';

interface StoreFile {
  readonly name: string;
  readonly content: string;
  /** Whether what is there can stay. */
  readonly isFine: (text: string) => boolean;
}

const FILES: readonly StoreFile[] = [
  { name: 'config', content: CONFIG, isFine: (text) => /^\s*\[core\]/m.test(text) },
  { name: 'info/exclude', content: EXCLUDE, isFine: () => true },
  { name: 'herma-version', content: '1\n', isFine: (text) => text.trim() !== '' },
  // Last: with it the folder is a repository.
  { name: 'HEAD', content: HEAD, isFine: (text) => /^(ref: refs\/\S+|[0-9a-f]{40})\n?$/.test(text) },
];

/**
 * Makes the bare repository of the store, or what is missing of it or has become unusable: the folders, `HEAD`,
 * `config`. Folders are 0700, files 0600. Nothing that is in order is changed; two processes may do it at once.
 */
export function createStoreFolder(folder: string): void {
  for (const name of FOLDERS) ensureRawFolder(join(folder, name));
  const mode = rawStat(folder)?.mode ?? 0;
  if ((mode & 0o077) !== 0) chmodRaw(folder, 0o700);
  for (const file of FILES) ensureFile(folder, file);
}

function ensureFile(folder: string, { name, content, isFine }: StoreFile): void {
  const path = join(folder, name);
  const isThere = rawStat(path) !== undefined;
  if (isThere && isFine(rawContent(path)?.bytes.toString('utf8') ?? '')) return;
  const temporary = join(folder, `tmp_file_${Buffer.from(randomBytes(10)).toString('hex')}`);
  createRawFile(temporary, Buffer.from(content, 'utf8'), { mode: 0o600 });
  if (isThere) {
    renameRaw(temporary, path);
    return;
  }
  try {
    linkRaw(temporary, path);
  } catch (error) {
    // Another process has made it at the same time.
    if (errnoOf(error) !== 'EEXIST') throw error;
  } finally {
    unlinkRaw(temporary);
  }
}
