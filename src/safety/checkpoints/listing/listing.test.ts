import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ChangeTotals } from './change-totals.ts';
import { groupEntries } from './entries.ts';
import { FakeProject } from './fake-project.ts';
import { listEntries } from './list-entries.ts';
import { type OtherProject, resolveCheckpoint } from './resolve-checkpoint.ts';

function list(project: FakeProject, options: Parameters<typeof listEntries>[1] = {}) {
  return listEntries({ records: project.records, totals: new ChangeTotals(project.contents) }, options);
}

describe('groupEntries', () => {
  it('makes one entry of a turn, newest first', () => {
    const project = new FakeProject();
    const first = project.call({ turn: 't1', reason: 'before patch' }, () => undefined);
    const other = project.call({ turn: 't1', session: 's2' }, () => undefined);
    project.call({ turn: 't1' }, () => undefined);
    const manual = project.open({ kind: 'manual', reason: 'by hand' });
    const rollback = project.open({ kind: 'rollback', turn: 't1' });
    const entries = groupEntries(project.records);
    expect(entries.map(({ id }) => id)).toEqual([rollback.id, manual.id, other.id, first.id]);
    expect(entries.at(-1)).toMatchObject({ reason: 'before patch', seq: 1, owner: { callId: 'call-1' } });
    expect(entries.at(-1)?.calls).toHaveLength(2);
    expect(groupEntries(project.records, { allCalls: true })).toHaveLength(5);
  });

  it('keeps apart what only looks like one turn', () => {
    const project = new FakeProject();
    project.open({ session: 'a', turn: '","b' });
    project.open({ session: 'a","', turn: 'b' });
    project.open({ session: '__proto__', turn: 'constructor' });
    expect(groupEntries(project.records)).toHaveLength(3);
  });

  it('has every call in exactly one entry, whatever the order of the records', () => {
    const step = fc.record({
      turn: fc.option(fc.constantFrom('t1', 't2', 't3'), { nil: undefined }),
      closes: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 20 }), fc.infiniteStream(fc.nat()), (steps, order) => {
        const project = new FakeProject();
        for (const { turn, closes } of steps) {
          const open = project.open(turn === undefined ? {} : { turn });
          if (closes) project.close(open);
        }
        const shuffled = project.records
          .map((record) => [order.next().value ?? 0, record] as const)
          .sort(([one], [other]) => one - other)
          .map(([, record]) => record);
        const entries = groupEntries(shuffled);
        expect(entries).toEqual(groupEntries(project.records));
        const calls = entries.flatMap((entry) => entry.calls.map(({ open }) => open.seq));
        expect(calls.toSorted((a, b) => a - b)).toEqual(
          project.records.filter(({ type }) => type === 'open').map(({ seq }) => seq),
        );
      }),
    );
  });

  it('leaves out the close of a record that is gone', () => {
    const project = new FakeProject();
    const open = project.open();
    project.close(open);
    project.records.shift();
    expect(groupEntries(project.records)).toEqual([]);
  });
});

describe('listEntries', () => {
  it('shows what the calls of the turn did, taken together', () => {
    const project = new FakeProject();
    project.write('a', '1\n2\n');
    project.call({ turn: 't1', named: ['a'], reason: 'before patch' }, () => project.write('a', '1\n2\n3\n'));
    project.write('mine', 'of the person\n');
    project.call({ turn: 't1', isScanned: true }, () => {
      project.write('a', '1\n3\n');
      project.write('tmp', 'x\n');
    });
    project.call({ turn: 't1', isScanned: true }, () => project.tree.delete('tmp'));
    expect(list(project)).toEqual([
      {
        n: 1,
        id: project.records[0]?.type === 'open' ? project.records[0].id : '',
        at: Date.UTC(2026, 2, 16, 4, 31),
        kind: 'call',
        reason: 'before patch',
        callId: 'call-1',
        sessionId: 's1',
        turnId: 't1',
        files: 1,
        folders: 0,
        insertions: 1,
        deletions: 1,
        holes: 0,
        calls: 3,
      },
    ]);
    expect(
      list(project, { allCalls: true }).map(({ files, insertions, deletions }) => [
        files,
        insertions,
        deletions,
      ]),
    ).toEqual([
      [1, 0, 1],
      [2, 1, 1],
      [1, 1, 0],
    ]);
  });

  it('counts nothing for a call that did nothing, or was not heard of again', () => {
    const project = new FakeProject();
    project.write('a', '1\n');
    project.call({ turn: 't1', named: ['a'], isScanned: true }, () => undefined);
    project.open({ turn: 't2', named: ['a'] });
    project.write('a', '2\n');
    expect(list(project).map(({ n, files, insertions }) => [n, files, insertions])).toEqual([
      [1, 0, 0],
      [2, 0, 0],
    ]);
  });

  it('counts binary files, links and modes as files, folders apart, and no holes', () => {
    const project = new FakeProject();
    project.holes.push({ path: 'node_modules', reason: 'ignored' }, { path: '.env', reason: 'ignored' });
    project.write('mode', 'x\n');
    project.write('hidden', 'x\n');
    project.call({ turn: 't1', isScanned: true }, () => {
      project.write('image', '\0');
      project.tree.set('link', project.link('mode'));
      project.write('mode', 'x\n', 0o755);
      project.tree.set('folder', { kind: 'directory', mode: 0o755 });
      project.tree.set('hidden', { kind: 'hole', reason: 'unreadable' });
    });
    expect(list(project)).toMatchObject([{ files: 3, folders: 1, insertions: 1, deletions: 0, holes: 2 }]);
  });

  it('gives only the newest, numbered from 1', () => {
    const project = new FakeProject();
    for (let turn = 1; turn <= 30; turn += 1) project.call({ turn: String(turn) }, () => undefined);
    const shown = list(project, { limit: 20 });
    expect(shown.map(({ n }) => n)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1));
    expect(shown[0]?.turnId).toBe('30');
    expect(list(new FakeProject())).toEqual([]);
  });

  it('reads each content once', () => {
    const project = new FakeProject();
    for (let turn = 1; turn <= 20; turn += 1)
      project.call({ turn: String(turn), named: ['a'] }, () => project.write('a', `${String(turn)}\n`));
    const totals = new ChangeTotals(project.contents);
    listEntries({ records: project.records, totals });
    const { reads } = project;
    expect(reads).toBeGreaterThan(0);
    listEntries({ records: project.records, totals });
    expect(project.reads).toBe(reads);
  });

  it('counts anew when a call was added to an entry, or ended', () => {
    const project = new FakeProject();
    const totals = new ChangeTotals(project.contents);
    const files = (): number | undefined => listEntries({ records: project.records, totals })[0]?.files;
    const open = project.open({ turn: 't1', named: ['a'] });
    expect(files()).toBe(0);
    project.write('a', '1\n');
    project.close(open);
    expect(files()).toBe(1);
    project.call({ turn: 't1', named: ['b'] }, () => project.write('b', '1\n'));
    expect(files()).toBe(2);
  });

  it('counts no lines of a content that is lost', () => {
    const project = new FakeProject();
    const open = project.call({ turn: 't1', named: ['a'] }, () => project.write('a', '1\n'));
    const state = project.tree.get('a');
    if (state !== undefined && 'oid' in state) project.lose(state.oid);
    expect(list(project)).toMatchObject([{ id: open.id, files: 1, insertions: 0 }]);
  });

  it('counts ten thousand changes', () => {
    const project = new FakeProject();
    project.call({ turn: 't1', isScanned: true }, () => {
      for (let index = 0; index < 10_000; index += 1)
        project.write(`d/${String(index)}`, `${String(index)}\n`);
    });
    expect(list(project)).toMatchObject([{ files: 10_000, insertions: 10_000 }]);
  });
});

describe('resolveCheckpoint', () => {
  const ids = ['1234aaaa', '1234bbbb', 'beef0001', 'beef0002', '00010000', 'cafe0000'].map((start) =>
    start.padEnd(40, '7'),
  );

  function made(): FakeProject {
    const project = new FakeProject();
    for (const [index, id] of ids.entries())
      project.call(
        { id, turn: index < 4 ? String(index) : 'last', reason: `before ${String(index)}` },
        () => undefined,
      );
    return project;
  }

  const noOthers = (): readonly OtherProject[] => [];

  function resolve(ref: string, options: Partial<Parameters<typeof resolveCheckpoint>[0]> = {}) {
    const { records } = made();
    return resolveCheckpoint({ ref, directory: '/p', records, otherProjects: noOthers, ...options });
  }

  it.each([
    ['1', ids[4]],
    ['2', ids[3]],
    ['5', ids[0]],
    ['beef0001', ids[2]],
    ['BEEF0001', ids[2]],
    [ids[0] ?? '', ids[0]],
    ['1234a', ids[0]],
    ['0001', ids[4]],
    ['cafe', ids[5]],
  ])('%s is %s', (ref, id) => {
    expect(resolve(ref)).toMatchObject({ ok: true, value: { id } });
  });

  it('gives the rest of a turn for the id of a later call of it', () => {
    const result = resolve('cafe');
    expect(result).toMatchObject({ ok: true, value: { reason: 'before 5', calls: { length: 1 } } });
    expect(resolve('0001')).toMatchObject({ ok: true, value: { calls: { length: 2 } } });
  });

  it('counts calls when the list does', () => {
    expect(resolve('6', { allCalls: true })).toMatchObject({ ok: true, value: { id: ids[0] } });
    expect(resolve('1', { allCalls: true })).toMatchObject({ ok: true, value: { id: ids[5] } });
    expect(resolve('cafe', { allCalls: true })).toMatchObject({ ok: true, value: { id: ids[5] } });
  });

  it('takes digits as a number where the list is long enough, else as an id', () => {
    const project = new FakeProject();
    for (let seq = 0; seq < 1234; seq += 1)
      project.records.push({ ...project.open({ id: 'f'.repeat(40) }), id: 'e'.repeat(40) });
    const records = project.records.filter((_, index) => index % 2 === 0);
    const target = '1234'.padEnd(40, '0');
    const first = records[0];
    if (first?.type !== 'open') throw new Error('no open record');
    records[0] = { ...first, id: target, reason: 'the oldest' };
    const request = { directory: '/p', records, otherProjects: noOthers };
    expect(resolveCheckpoint({ ref: '1234', ...request })).toMatchObject({ ok: true, value: { seq: 1 } });
    expect(resolveCheckpoint({ ref: '1234', ...request, records: records.slice(0, 1000) })).toMatchObject({
      ok: true,
      value: { reason: 'the oldest' },
    });
  });

  it('reaches ids beyond the list, not numbers', () => {
    expect(resolve('5', { limit: 3 })).toMatchObject({ ok: false, code: 'no_such_checkpoint' });
    expect(resolve('1234a', { limit: 3 })).toMatchObject({ ok: true, value: { id: ids[0] } });
  });

  it.each([
    ['', 'No checkpoint was named.'],
    ['-1', '"-1" names no checkpoint.'],
    ['--all', '"--all" names no checkpoint.'],
    ['abc', 'abc names no checkpoint.'],
    ['007', '007 names no checkpoint.'],
    ['1.5', '"1.5" names no checkpoint.'],
    [' 1', '" 1" names no checkpoint.'],
    ['+1', '"+1" names no checkpoint.'],
    ['latest', '"latest" names no checkpoint.'],
    ['constructor', '"constructor" names no checkpoint.'],
    ['HEAD~1', '"HEAD~1" names no checkpoint.'],
    ['../../etc/passwd', '"../../etc/passwd" names no checkpoint.'],
    ['١', '"١" names no checkpoint.'],
    ['beef\u{202e}0001', '"beef\\u{202e}0001" names no checkpoint.'],
    ['beef0001\n', '"beef0001⏎" names no checkpoint.'],
    ['\x1b[2J', '"\\u{1b}[2J" names no checkpoint.'],
    ['a'.repeat(41), `"${'a'.repeat(41)}" names no checkpoint.`],
    ['x'.repeat(500), `"${'x'.repeat(80)}…" names no checkpoint.`],
  ])('%j is a bad reference', (ref, message) => {
    expect(resolve(ref)).toEqual({
      ok: false,
      code: 'bad_ref',
      message,
      remedy: 'Give a number of the list, or the first 4 to 40 digits of an id.',
    });
  });

  it.each([
    ['0', 'There is no checkpoint 0 for /p: there are 5.'],
    ['6', 'There is no checkpoint 6 for /p: there are 5.'],
    ['9999', 'There is no checkpoint 9999 for /p: there are 5.'],
    ['99999999999999999999', 'There is no checkpoint 99999999999999999999 for /p: there are 5.'],
    ['dead', 'No checkpoint of /p has an id that begins with dead; there are 5.'],
  ])('%s names none', (ref, message) => {
    expect(resolve(ref)).toMatchObject({ ok: false, code: 'no_such_checkpoint', message });
  });

  it('lists the candidates of a prefix that fits several', () => {
    expect(resolve('BEEF')).toEqual({
      ok: false,
      code: 'ambiguous_checkpoint',
      message: 'BEEF fits 2 checkpoints: beef0002 (before 3), beef0001 (before 2).',
      remedy: 'Give more digits of the id.',
    });
    expect(resolve('1234')).toMatchObject({ code: 'ambiguous_checkpoint' });
  });

  it('names the project of an id that is elsewhere', () => {
    const elsewhere = new FakeProject();
    elsewhere.open({ id: 'dead'.padEnd(40, '0') });
    const otherProjects = () => [{ directory: '/other\u{202e}', records: elsewhere.records }];
    expect(resolve('dead', { otherProjects })).toMatchObject({
      ok: false,
      code: 'other_project',
      message: 'dead is a checkpoint of /other\\u{202e}, not of this project.',
    });
    expect(resolve('dead', { otherProjects, records: [] })).toMatchObject({ code: 'other_project' });
    expect(resolve('beef0001', { otherProjects })).toMatchObject({ ok: true });
  });

  it('points at projects with checkpoints when this one has none', () => {
    const elsewhere = made();
    const otherProjects = () => [
      { directory: '/other', records: elsewhere.records },
      { directory: '/empty', records: [] },
    ];
    expect(resolve('1', { records: [], otherProjects })).toEqual({
      ok: false,
      code: 'no_checkpoints',
      message: 'There are no checkpoints for /p.',
      remedy: 'There are some for /other (5): use --dir.',
    });
    const none = resolve('1', { records: [] });
    expect(none).toMatchObject({ ok: false, code: 'no_checkpoints' });
    expect(none.ok ? '' : none.remedy).toContain('checkpoints.enabled');
  });

  it('finds every listed entry by its number and by its shown id', () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.string({ unit: fc.constantFrom('1', '2', 'a'), minLength: 8, maxLength: 8 }), {
          maxLength: 12,
        }),
        (starts) => {
          const project = new FakeProject();
          for (const start of starts) project.open({ id: start.padEnd(40, '0') });
          const entries = list(project);
          for (const { n, id } of entries)
            for (const ref of [String(n), id.slice(0, 8)])
              expect(
                resolveCheckpoint({
                  ref,
                  directory: '/p',
                  records: project.records,
                  otherProjects: noOthers,
                }),
              ).toMatchObject({ ok: true, value: { id } });
        },
      ),
    );
  });
});
