import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { projectHash } from './project-hash.ts';
import { ProjectRegistry } from './project-registry.ts';

let base: string;
let home: string;
let temporary: string;
let registry: ProjectRegistry;

const registryOf = (): ProjectRegistry =>
  new ProjectRegistry({ folder: join(base, 'store'), home, temporary });

function folder(path: string, ...markers: string[]): string {
  mkdirSync(path, { recursive: true });
  for (const marker of markers) writeFileSync(join(path, marker), '');
  return path;
}

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'registry-')));
  home = folder(join(base, 'people/me'));
  temporary = folder(join(base, 'scratch'));
  registry = registryOf();
});

describe('projectHash', () => {
  it('is the beginning of the SHA-256 of the path', () => {
    expect(projectHash('/')).toBe('8a5edab282632443');
  });

  it('takes the bytes of a name that is not UTF-8', () => {
    expect(projectHash('/caf\udce9')).toMatch(/^[0-9a-f]{16}$/);
    expect(projectHash('/caf\udce9')).not.toBe(projectHash('/caf\udce8'));
  });
});

describe('rootOf', () => {
  it.each([
    'package.json',
    'pyproject.toml',
    'Cargo.toml',
    'go.mod',
    'Makefile',
    'pom.xml',
    '.hg',
    '.git',
    'Gemfile',
  ])('is the nearest folder with %s', (marker) => {
    const project = folder(join(home, 'work/app'), marker);
    folder(join(home, 'work'), marker);
    expect(registry.rootOf(folder(join(project, 'src/deep')))).toBe(project);
  });

  it('is the folder itself without a marker', () => {
    expect(registry.rootOf(folder(join(home, 'notes/today')))).toBe(join(home, 'notes/today'));
  });

  it('is the nearest folder there is for one that does not exist', () => {
    folder(join(home, 'notes'));
    expect(registry.rootOf(join(home, 'notes/new/deep'))).toBe(join(home, 'notes'));
    expect(registry.rootOf(join(home, 'new'))).toBe(home);
  });

  it('is the same for each spelling of a folder', () => {
    const project = folder(join(home, 'app'), '.git');
    folder(join(project, 'src'));
    symlinkSync(project, join(base, 'elsewhere'));
    for (const spelling of ['', '/', '/.', '/src', '/src/..', '/src/../src/'])
      expect(registry.rootOf(`${project}${spelling}`)).toBe(project);
    expect(registry.rootOf(join(base, 'elsewhere/src'))).toBe(project);
  });

  it('prefers a registered project above to a marker, and the deepest registered one', () => {
    const outer = folder(join(home, 'outer'));
    const inner = folder(join(outer, 'inner'), '.git');
    expect(registry.rootOf(inner)).toBe(inner);
    registry.touch(outer, 1);
    expect(registry.rootOf(inner)).toBe(outer);
    registry.touch(inner, 1);
    expect(registry.rootOf(folder(join(inner, 'src')))).toBe(inner);
    expect(registry.nearest(join(outer, 'other'))?.root).toBe(outer);
  });

  it('is a registered project whose folder is gone', () => {
    const project = folder(join(home, 'gone'));
    registry.touch(project, 1);
    rmSync(project, { recursive: true });
    expect(registry.rootOf(join(project, 'src'))).toBe(project);
  });

  it('stops below the home folder: a stray repository there is no project', () => {
    folder(home, '.git');
    folder(dirname(home), 'Makefile');
    expect(registry.rootOf(folder(join(home, 'proj/sub')))).toBe(join(home, 'proj/sub'));
  });

  it('stops below the home folder also when it is reached by a link', () => {
    symlinkSync(home, join(base, 'home-link'));
    registry = new ProjectRegistry({ folder: join(base, 'store'), home: join(base, 'home-link'), temporary });
    folder(home, '.git');
    expect(registry.rootOf(folder(join(home, 'proj')))).toBe(join(home, 'proj'));
    expect(registry.isBroad(home)).toBe(true);
    expect(registry.isBroad(join(base, 'home-link'))).toBe(true);
  });

  it('stops below the folder of temporary files: a marker there captures nothing', () => {
    folder(temporary, 'package.json');
    expect(registry.rootOf(folder(join(temporary, 'x/y')))).toBe(join(temporary, 'x/y'));
  });

  it('does not go up to a broad root that is registered, but is it when it is named', () => {
    registry.touch(home, 1);
    expect(registry.rootOf(folder(join(home, 'proj')))).toBe(join(home, 'proj'));
    expect(registry.rootOf(`${home}/proj/..`)).toBe(home);
    expect(registry.nearest(join(home, 'proj'))).toBeUndefined();
    expect(registry.nearest(home)?.root).toBe(home);
  });
});

describe('isBroad', () => {
  it.each(['', '/', '/.', '/proj/..', '//', '/../me'])(
    'is true of the home folder written with %j',
    (end) => {
      folder(join(home, 'proj'));
      expect(registry.isBroad(`${home}${end}`)).toBe(true);
    },
  );

  it.each(['/', '/tmp', '/usr', '/etc', '/var/tmp', '/home', '/proc', '/../tmp/', '/usr/..'])(
    'is true of %s',
    (path) => {
      expect(registry.isBroad(path)).toBe(true);
    },
  );

  it('is true of what is above the home folder, and of a link to it', () => {
    symlinkSync(home, join(base, 'link'));
    for (const path of [dirname(home), base, join(base, 'link'), temporary])
      expect(registry.isBroad(path)).toBe(true);
  });

  it('is false of what is below them', () => {
    for (const path of [join(home, 'x'), join(temporary, 'x'), '/usr/local/x', '/tmp/x'])
      expect(registry.isBroad(path)).toBe(false);
  });
});

describe('touch', () => {
  it('keeps when it was created and the notice, and renews the rest', () => {
    const project = folder(join(home, 'app'));
    const first = registry.touch(project, 1000);
    expect(first.parent).toEqual({ dev: statSync(home).dev, ino: statSync(home).ino });
    registry.setNotice(first.h16, { code: 'too_many_files', message: 'm', at: 1 });
    expect(registry.touch(project, 9000)).toEqual({
      ...first,
      lastTouch: 9000,
      notice: { code: 'too_many_files', message: 'm', at: 1 },
    });
    expect(registryOf().all()).toEqual([registry.touch(project, 9000)]);
  });

  it('goes back with the clock', () => {
    const project = folder(join(home, 'app'));
    registry.touch(project, 9000);
    expect(registry.touch(project, 4000)).toMatchObject({ createdAt: 9000, lastTouch: 4000 });
  });

  it('keeps the identity of the parent that was seen once when the project is gone', () => {
    const project = folder(join(home, 'parent/app'));
    const { parent } = registry.touch(project, 1000);
    renameSync(join(home, 'parent'), join(home, 'moved'));
    folder(join(home, 'parent'));
    expect(registry.touch(project, 9000).parent).toEqual(parent);
  });

  it('makes files that nobody else can read, and leaves no other ones', () => {
    registry.touch(folder(join(home, 'app')), 1);
    const names = readdirSync(join(base, 'store/projects'));
    expect(names).toEqual([`${projectHash(join(home, 'app'))}.json`]);
    expect(statSync(join(base, 'store/projects', names[0] ?? '')).mode & 0o777).toBe(0o600);
  });

  it('writes the documented members', () => {
    const { h16 } = registry.touch(folder(join(home, 'app')), 5);
    const text = readFileSync(join(base, `store/projects/${h16}.json`), 'utf8');
    expect(JSON.parse(text)).toEqual({
      version: 1,
      workdir: join(home, 'app'),
      created_at: 5,
      last_touch: 5,
      workdir_parent_dev: statSync(home).dev,
      workdir_parent_ino: statSync(home).ino,
    });
  });

  it('throws when the store is a file', () => {
    writeFileSync(join(base, 'store'), '');
    expect(() => registry.touch(folder(join(home, 'app')), 1)).toThrow(/ENOTDIR|EEXIST/);
  });
});

describe('a file of a project', () => {
  let path: string;
  let project: string;
  let h16: string;

  beforeEach(() => {
    project = folder(join(home, 'app'));
    ({ h16 } = registry.touch(project, 1000));
    path = join(base, `store/projects/${h16}.json`);
  });

  it('may begin with a byte-order mark', () => {
    writeFileSync(path, `\uFEFF${readFileSync(path, 'utf8')}`);
    expect(registry.read(h16)).toMatchObject({
      type: 'project',
      project: { root: project, createdAt: 1000 },
    });
  });

  it.each([
    ['is empty', ''],
    ['is cut short', '{"version":1,"workdir":"/x"'],
    ['is no object', '[]'],
    ['is null', 'null'],
    ['is of another version', '{"version":2}'],
    ['lacks members', '{"version":1,"workdir":"/x"}'],
    ['is not UTF-8', Buffer.from([0x7b, 0xff, 0x7d])],
  ])('that %s is damage, is kept and is replaced', (_, text) => {
    writeFileSync(path, text);
    expect(registry.read(h16)).toMatchObject({ type: 'damaged', damage: { path } });
    expect(registry.damaged()).toHaveLength(1);
    expect(registry.all()).toEqual([]);
    expect(registry.rootOf(project)).toBe(project);
    registry.setNotice(h16, { code: 'x', message: 'm', at: 1 });
    expect(readFileSync(path)).toEqual(Buffer.from(text));
    registry.touch(project, 2000);
    expect(registry.read(h16)).toMatchObject({ type: 'project', project: { root: project } });
    expect(registry.damaged()).toEqual([
      { path: `${path}.damaged-1`, problem: 'it was damaged, and was replaced' },
    ]);
    expect(readFileSync(`${path}.damaged-1`)).toEqual(Buffer.from(text));
  });

  it('that names another folder is damage', () => {
    writeFileSync(path, readFileSync(path, 'utf8').replace('/app', '/other'));
    expect(registry.read(h16)).toMatchObject({ type: 'damaged' });
  });

  it('that is a folder or a pipe is damage', () => {
    rmSync(path);
    mkdirSync(path);
    expect(registry.read(h16)).toMatchObject({ type: 'damaged' });
  });

  it('is gone after remove', () => {
    expect(registry.remove(h16)).toBe(true);
    expect(registry.remove(h16)).toBe(false);
    expect(registry.read(h16)).toEqual({ type: 'none' });
    expect(existsSync(path)).toBe(false);
  });

  it('loses its notice when that is cleared, by its code if one is given', () => {
    registry.setNotice(h16, { code: 'take_failed', message: 'm', at: 1 });
    registry.clearNotice(h16, ['broad_root']);
    expect(registry.read(h16)).toMatchObject({ project: { notice: { code: 'take_failed' } } });
    registry.clearNotice(h16, ['take_failed']);
    expect(registry.read(h16)).not.toHaveProperty('project.notice');
  });
});

describe('a registry without a store', () => {
  it('has no projects', () => {
    expect([registry.all(), registry.damaged(), registry.hashes()]).toEqual([[], [], []]);
  });
});
