import { readdirSync } from 'node:fs';
import { join, posix } from 'node:path';

/** Layers whose second-level folders are subsystems; the others are one house each. */
const DIVIDED = ['kernel', 'platform', 'safety', 'agent', 'services', 'surfaces'];
const UNDIVIDED = ['shell', 'gate', 'app', 'testing'];
const MEANINGLESS = ['utils', 'util', 'common', 'core', 'helpers', 'shared', 'misc', 'lib'];

/** The TypeScript files below some folders of a checkout, by their path from its root. Missing folders hold none. */
export function listSources(root: string, folders: readonly string[]): string[] {
  return folders.flatMap((folder) => {
    try {
      return readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
        .filter((entry) => entry.isFile() && entry.name.endsWith('.ts'))
        .map((entry) => posix.join(entry.parentPath.slice(root.length).replace(/^\//, ''), entry.name))
        .toSorted();
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
      throw error;
    }
  });
}

/** What is wrong with where the files are: one line each. */
export function checkTree(files: readonly string[]): string[] {
  return [...files.flatMap(checkPlace), ...missingDoors(files)];
}

function checkPlace(file: string): string[] {
  const problems = file
    .split('/')
    .slice(0, -1)
    .filter((folder) => MEANINGLESS.includes(folder))
    .map((folder) => `${file}: a folder called ${folder} says nothing; name it after what it does`);
  if (!file.startsWith('src/')) return problems;
  const [, layer = '', ...rest] = file.split('/');
  if (![...DIVIDED, ...UNDIVIDED].includes(layer)) problems.push(`${file}: belongs to no layer`);
  else if (DIVIDED.includes(layer) && rest.length < 2)
    problems.push(`${file}: belongs to no subsystem of ${layer}`);
  return problems;
}

function missingDoors(files: readonly string[]): string[] {
  const houses = new Set(files.flatMap(houseOf));
  return [...houses].filter((house) => !hasDoor(house, files)).map((house) => `${house} has no index.ts`);
}

/** Nothing imports a surface: the door of one that is started as a program is its main.ts. */
function hasDoor(house: string, files: readonly string[]): boolean {
  const isProgram = house.startsWith('src/surfaces/') && files.includes(`${house}/main.ts`);
  return isProgram || files.includes(`${house}/index.ts`);
}

function houseOf(file: string): string[] {
  const [, layer = '', subsystem = '', ...rest] = file.split('/');
  if (!file.startsWith('src/')) return [];
  if (UNDIVIDED.includes(layer)) return [`src/${layer}`];
  return DIVIDED.includes(layer) && rest.length > 0 ? [`src/${layer}/${subsystem}`] : [];
}
