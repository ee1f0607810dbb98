/** Names of what tools make, never of sources. */
const GENERATED = new Set([
  'node_modules',
  'bower_components',
  '__pycache__',
  '.venv',
  '.tox',
  '.nox',
  '.mypy_cache',
  '.pytest_cache',
  '.ruff_cache',
  '.cache',
  '.next',
  '.nuxt',
  '.parcel-cache',
  '.turbo',
  '.gradle',
  '.terraform',
  '.DS_Store',
  'Thumbs.db',
]);

const GENERATED_ENDINGS = ['.pyc', '.pyo'];

/** Endings of `.env.*` files that hold no secrets. */
const EXAMPLES = new Set(['example', 'sample', 'template', 'dist']);

/** Where version control keeps its own data. Not captured, and not counted as left out either. */
const VERSION_CONTROL = new Set(['.git', '.hg', '.svn', '.jj']);

export function isVersionControl(name: string): boolean {
  return VERSION_CONTROL.has(name);
}

/** A folder of this name is a virtual environment of Python, and left out, when it has the file `pyvenv.cfg`. */
export const PERHAPS_ENVIRONMENT = 'venv';

/**
 * Whether a name alone, whatever .gitignore files say, keeps an entry out of scans unless git tracks it: folders that a
 * command fills again, and files with secrets. Names that can be a person's own work (`build`, `dist`, `target`) are not
 * among them.
 */
export function isLeftOutByName(name: string): boolean {
  return GENERATED.has(name) || isSecret(name) || GENERATED_ENDINGS.some((ending) => name.endsWith(ending));
}

function isSecret(name: string): boolean {
  if (name === '.env') return true;
  return name.startsWith('.env.') && !EXAMPLES.has(name.slice(name.lastIndexOf('.') + 1));
}
