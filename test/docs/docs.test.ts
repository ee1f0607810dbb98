import { existsSync, mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { PROVIDER_NAMES } from '../../src/agent/llm/index.ts';
import { EVENT_NAMES } from '../../src/kernel/events/index.ts';
import { getConfigValue, listConfigKeys } from '../../src/platform/config/index.ts';
import { type Page, readPage } from './markdown.ts';
import { mentionedCommands } from './mentioned-commands.ts';
import { helpOf, herma, root } from './program.ts';

const PAGES: readonly string[] = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => `docs/${file}`),
];
const SOURCES = /^(src|test|bench|tools|docs|bin|\.ci)\//;
const ROOT_FILE = /^\.?[\w-]+(\.[\w-]+)*\.(md|json|cjs|ts)$/;
/** Names of settings, and none of files such as `policy.json`; a value may follow. */
const SETTING =
  /^(model|agent|approvals|checkpoints|compression|delegation|hooks|ledger|logging|mcp_servers|plugins|policy|terminal|tools)\.(?!\S*\b(json|db|key)\b)\w+(\.\w+)*(?=$|[:\s])/;
const EVENT = /^(pre|post|on|transform|subagent)_[a-z_]+$/;

const page = (file: string): Page => readPage(textOf(file));

function textOf(file: string): string {
  return readFileSync(join(root, file), 'utf8');
}

/** The table whose first cell of the first row is this one. */
function tableOf(file: string, firstCell: string): readonly (readonly string[])[] {
  const table = page(file).tables.find(([row]) => row?.[0] === firstCell);
  if (table === undefined) throw new Error(`${file} has no table that begins with ${firstCell}`);
  return table;
}

/** What stands in code spans in the first column. */
function namesIn(table: readonly (readonly string[])[]): readonly string[] {
  return table.flatMap(([first = '']) => readPage(first).spans);
}

describe.each(PAGES)('%s', (file) => {
  const { blocks, links, spans } = page(file);

  it('leads to what is there', () => {
    const broken = links.filter((link) => {
      if (/^[a-z]+:/.test(link)) return false;
      const [path = '', anchor] = link.split('#');
      const target = path === '' ? file : join(dirname(file), path);
      if (!existsSync(join(root, target))) return true;
      return anchor !== undefined && !page(target).anchors.includes(anchor);
    });
    expect(broken).toEqual([]);
  });

  it('shows commands and options that exist', () => {
    const wrong = mentionedCommands(page(file)).flatMap(({ text, words }) => {
      const problem = problemOf(words);
      return problem === undefined ? [] : [`${text}: ${problem}`];
    });
    expect(wrong).toEqual([]);
  });

  it('shows JSON that parses', () => {
    const json = blocks.filter(({ language }) => language === 'json');
    expect(json.filter(({ text }) => !parses(text))).toEqual([]);
  });

  it('names files of the sources that exist', () => {
    const named = spans.filter((span) => SOURCES.test(span)).map((span) => beforePlaceholder(span));
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  it('names settings that exist', async () => {
    const settings = spans.flatMap((span) => SETTING.exec(span)?.[0] ?? []);
    const unknown: string[] = [];
    for (const setting of settings) {
      if (!(await getConfigValue(join(root, 'no home'), setting, {})).ok) unknown.push(setting);
    }
    expect(unknown).toEqual([]);
  });

  it('names events that exist', () => {
    const known = new Set<string>(EVENT_NAMES);
    expect(spans.filter((span) => EVENT.test(span) && !known.has(span))).toEqual([]);
  });
});

/** What is wrong with a command line; undefined when nothing is. */
function problemOf(words: readonly string[]): string | undefined {
  const [verb = '', second = ''] = words.filter((word) => !word.startsWith('-'));
  if (words[0]?.startsWith('-') !== true && !helpOf([]).subcommands.has(verb))
    return `there is no command ${verb}`;
  const path = helpOf([]).subcommands.has(verb) ? [verb] : [];
  const { subcommands } = helpOf(path);
  const chosen = path.length === 1 && second !== '' && subcommands.size > 0 ? second.split('|') : [];
  const unknown = chosen.find((name) => !subcommands.has(name));
  if (unknown !== undefined) return `${verb} has no command ${unknown}`;
  const { options } = helpOf([...path, ...chosen.slice(0, 1)]);
  const option = words.find((word) => word.startsWith('--') && word !== '--version' && !options.has(word));
  return option === undefined ? undefined : `there is no option ${option}`;
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** `src/safety/<name>/index.ts` says that `src/safety` exists, or will. */
function beforePlaceholder(path: string): string {
  const end = path.search(/<|NNNN/);
  return end === -1 ? path : dirname(path.slice(0, end + 1));
}

describe('CONTRIBUTING.md', () => {
  it('names files at the root that exist', () => {
    const named = page('CONTRIBUTING.md').spans.filter((span) => ROOT_FILE.test(span) && span !== 'index.ts');
    expect(named.length).toBeGreaterThan(2);
    expect(named.filter((path) => !existsSync(join(root, path)))).toEqual([]);
  });

  it('names scripts that exist', () => {
    const { scripts }: { scripts: Record<string, string> } = JSON.parse(textOf('package.json'));
    const named = page('CONTRIBUTING.md').spans.flatMap((span) =>
      [...span.matchAll(/npm run (\S+)/g)].map(([, name = '']) => name),
    );
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });
});

describe('README.md', () => {
  it('has the two commands in a block of their own', () => {
    expect(page('README.md').blocks[0]?.text).toBe('npm ci && npm start\nnpm ci && npm test\n');
  });

  it('stays short', () => {
    expect(textOf('README.md').split('\n').length).toBeLessThanOrEqual(200);
  });

  it('names every command', () => {
    const named = new Set(mentionedCommands(page('README.md')).map(({ words: [verb = ''] }) => verb));
    expect([...helpOf([]).subcommands].filter((verb) => !named.has(verb))).toEqual([]);
  });
});

describe('the table of settings', () => {
  it('says what the schema says', async () => {
    const keys = await listConfigKeys();
    const isSection = (key: string): boolean => keys.some((other) => other.key.startsWith(`${key}.`));
    const rows = keys
      .filter(({ key }) => key === 'model' || !isSection(key))
      .map(({ key, expected, default: value, description }) => [
        `\`${key}\``,
        expected.replace(/ \(.*\)$/, ''),
        value === undefined ? '' : `\`${JSON.stringify(value)}\``,
        description,
      ]);
    expect(tableOf('docs/configuration.md', '`model`')).toEqual(rows);
  });
});

describe('what the pages list', () => {
  it('is every slash command of the chat', () => {
    const { stdout } = herma(['chat', '--model', `scripted:${scriptFile}`], '/help\n/exit\n');
    const listed = [...stdout.matchAll(/^ {2}\/(\S+)/gm), ...stdout.matchAll(/also \/(\w+)/g)];
    const documented = namesIn(tableOf('docs/chat.md', '`/help`')).map((name) => name.split(' ', 1).join(''));
    expect(documented.toSorted()).toEqual(listed.map(([, name = '']) => `/${name}`).toSorted());
  });

  it('is every tool', () => {
    const steps = join(mkdtempSync(join(tmpdir(), 'docs-')), 'steps.json');
    writeFileSync(steps, JSON.stringify([{ tool_calls: [{ name: 'zzzzzz', args: {} }] }, 'Done.']));
    const { stderr } = herma(['chat', '-q', 'go', '--model', `scripted:${steps}`]);
    const tools = /The tools are: ([\w, ]+)/.exec(stderr)?.[1]?.split(', ');
    expect(namesIn(tableOf('docs/chat.md', '`read_file`')).filter((name) => name !== 'mcp__…')).toEqual(
      tools,
    );
  });

  it('is every provider of models', () => {
    expect(namesIn(tableOf('docs/models.md', '`openai`')).toSorted()).toEqual(PROVIDER_NAMES.toSorted());
  });
});

const scriptFile = join(root, 'docs/examples/hello.json');
