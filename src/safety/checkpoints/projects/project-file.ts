import { getOwn, type JsonObject } from '../../../kernel/json/index.ts';
import type { Damage } from './damage.ts';
import { countOf, FieldProblem, numberOf, objectOf, textOf } from './json-fields.ts';
import { projectHash } from './project-hash.ts';
import { readJsonObject } from './read-json-object.ts';

/** What a person is told about a project until it is no longer so. */
export interface ProjectNotice {
  /** Such as `broad_root`, `too_many_files`, `take_failed`. */
  readonly code: string;
  /** One line. */
  readonly message: string;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly at: number;
}

export interface Project {
  readonly h16: string;
  /** Canonical absolute path. */
  readonly root: string;
  /** Milliseconds since 1970-01-01 UTC. */
  readonly createdAt: number;
  readonly lastTouch: number;
  /** The folder that holds the root, when it was last seen to hold it. */
  readonly parent?: { readonly dev: number; readonly ino: number };
  readonly notice?: ProjectNotice;
}

export type ProjectRead =
  | { readonly type: 'project'; readonly project: Project }
  | { readonly type: 'none' }
  | { readonly type: 'damaged'; readonly damage: Damage };

const VERSION = 1;

/** The text of `projects/<h16>.json`. */
export function encodeProject({ root, createdAt, lastTouch, parent, notice }: Project): string {
  const document: JsonObject = {
    version: VERSION,
    workdir: root,
    created_at: createdAt,
    last_touch: lastTouch,
    ...(parent === undefined ? {} : { workdir_parent_dev: parent.dev, workdir_parent_ino: parent.ino }),
    ...(notice === undefined
      ? {}
      : { notice: { code: notice.code, message: notice.message, at: notice.at } }),
  };
  return `${JSON.stringify(document)}\n`;
}

/** Reads `projects/<h16>.json`. Fails towards `damaged`: also when it is about another folder than its name says. */
export function readProject(path: string, h16: string): ProjectRead {
  const read = readJsonObject(path);
  if (read.type === 'none') return read;
  if (read.type === 'damaged') return { type: 'damaged', damage: { path, problem: read.problem } };
  try {
    return { type: 'project', project: decodeProject(read.value, h16) };
  } catch (error) {
    if (!(error instanceof FieldProblem)) throw error;
    return { type: 'damaged', damage: { path, problem: error.message } };
  }
}

function decodeProject(value: JsonObject, h16: string): Project {
  if (getOwn(value, 'version') !== VERSION) throw new FieldProblem(`"version" is not ${String(VERSION)}`);
  const root = textOf(value, 'workdir');
  if (!root.startsWith('/') || projectHash(root) !== h16)
    throw new FieldProblem('"workdir" is not the folder that the file is named after');
  const hasParent = getOwn(value, 'workdir_parent_ino') !== undefined;
  const hasNotice = getOwn(value, 'notice') !== undefined;
  return {
    h16,
    root,
    createdAt: numberOf(value, 'created_at'),
    lastTouch: numberOf(value, 'last_touch'),
    ...(hasParent
      ? {
          parent: {
            dev: countOf(value, 'workdir_parent_dev'),
            ino: numberOf(value, 'workdir_parent_ino'),
          },
        }
      : {}),
    ...(hasNotice ? { notice: decodeNotice(objectOf(value, 'notice')) } : {}),
  };
}

function decodeNotice(value: JsonObject): ProjectNotice {
  return { code: textOf(value, 'code'), message: textOf(value, 'message'), at: numberOf(value, 'at') };
}
