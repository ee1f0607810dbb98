import { describe, expect, it } from 'vitest';
import { freezeVariables } from '../environment/index.ts';
import { describeProblem } from './config-problem.ts';
import { defaultConfig } from './default-config.ts';
import { validateConfig } from './validate-config.ts';

const environment = freezeVariables([['TOKEN', 'secret-of-the-environment']]);

function validate(text: string): ReturnType<typeof validateConfig> {
  return validateConfig(text, 'config.yaml', environment);
}

/** `severity place message -> remedy` of each problem. */
function problemsOf(text: string): readonly string[] {
  return validate(text).problems.map(
    (problem) => `${problem.severity} ${describeProblem(problem)} -> ${problem.remedy}`,
  );
}

describe('a configuration', () => {
  it.each(['', '# nothing\n', 'agent:\nmodel:\nmcp_servers:\n', 'agent: {}\n'])(
    'is the default when it says nothing: %j',
    (text) => {
      expect(validate(text)).toMatchObject({ config: defaultConfig, problems: [] });
    },
  );

  it('overrides the default key by key', () => {
    const { config } = validate(
      'agent:\n  max_iterations: 5\n  verify: [npm test]\n  system_prompt: Be brief.\napprovals:\n  timeout: 1.5\n  ask: [terminal, "mcp__*"]\n',
    );
    expect(config?.agent).toEqual({
      maxIterations: 5,
      verify: ['npm test'],
      maxVerifyNudges: 3,
      systemPrompt: 'Be brief.',
    });
    expect(config?.approvals).toEqual({ timeoutMs: 1500, ask: ['terminal', 'mcp__*'] });
    expect(config?.compression).toEqual(defaultConfig.compression);
  });

  it('takes a model as a name or as a mapping', () => {
    expect(validate('model: openai:gpt-5').config?.model).toEqual({ name: 'openai:gpt-5' });
    expect(
      validate('model: {name: m, base_url: "http://127.0.0.1:1/v1", api_key_env: KEY, context_window: 8000}')
        .config?.model,
    ).toEqual({ name: 'm', baseUrl: 'http://127.0.0.1:1/v1', apiKeyEnv: 'KEY', contextWindow: 8000 });
  });

  it('reads values as YAML 1.1 does', () => {
    const { config } = validate('compression:\n  enabled: off\nagent:\n  max_iterations: 012\n');
    expect([config?.compression.enabled, config?.agent.maxIterations]).toEqual([false, 10]);
  });

  it('knows the two kinds of MCP servers', () => {
    const { config } = validate(
      `mcp_servers:
  files:
    command: npx
    args: [-y, server, "\${TOKEN}"]
    env: {ROOT: /tmp}
    cwd: /work
    effects: {read: none, "*": write}
  web: {url: "https://mcp.example/", headers: {Authorization: "Bearer \${TOKEN}"}, timeout: 5, enabled: no}
`,
    );
    expect(config?.mcpServers.get('files')).toEqual({
      transport: 'stdio',
      enabled: true,
      timeoutMs: 120_000,
      command: 'npx',
      args: ['-y', 'server', 'secret-of-the-environment'],
      env: new Map([['ROOT', '/tmp']]),
      cwd: '/work',
      effects: new Map([
        ['read', 'none'],
        ['*', 'write'],
      ]),
    });
    expect(config?.mcpServers.get('web')).toMatchObject({
      transport: 'http',
      enabled: false,
      timeoutMs: 5000,
    });
  });

  it('understands the names of Hermes Agent, and uses them in its answers', () => {
    const { config, problems } = validate(
      'model: {default: m, context_length: 9000}\nagent: {max_turns: 7}\nterminal: {env_passthrough: [HF_TOKEN]}\ndelegation: {max_spawn_depth: 1, max_concurrent_children: 2}\ncompression: {protect_first_n: 3}\n',
    );
    expect(problems).toEqual([]);
    expect(config).toMatchObject({
      model: { name: 'm', contextWindow: 9000 },
      agent: { maxIterations: 7 },
      terminal: { env: ['HF_TOKEN'] },
      delegation: { maxDepth: 1, maxChildren: 2 },
      compression: { keepFirst: 3 },
    });
    expect(problemsOf('agent:\n  max_turns: many\n')[0]).toContain(
      'config.yaml:2:14: agent.max_turns is "many" (text), expected a whole number from 1 to 10000',
    );
  });

  it('refuses a setting that is there under both names', () => {
    expect(problemsOf('agent: {max_turns: 7, max_iterations: 8}')[0]).toContain(
      'agent.max_turns is not a setting',
    );
  });
});

describe('a problem', () => {
  it('names the place, the key, the value, what was expected and what to do', () => {
    expect(problemsOf('# top\nagent:\n  max_iterations: ninety   # hm\n')).toEqual([
      'error config.yaml:3:19: agent.max_iterations is "ninety" (text), expected a whole number from 1 to 10000' +
        ' -> correct it, or remove the line: the default is 90',
    ]);
  });

  it.each([
    ['agent: {verfy: []}', 'agent.verfy is not a setting -> did you mean verify?'],
    ['agnet: {}', 'agnet is not a setting -> did you mean agent?'],
    ['approvals: {timeot: 5}', 'approvals.timeot is not a setting -> did you mean timeout?'],
    ['tools: {whatever: 1}', 'tools.whatever is not a setting -> remove it, or write one of: disabled'],
    ['constructor: 1', 'constructor is not a setting'],
    ['agent: {toString: 1}', 'agent.toString is not a setting'],
    [
      'agent: {max_iterations: "50"}',
      'is "50" (text), expected a whole number from 1 to 10000 -> write it without quotes: `max_iterations: 50`',
    ],
    ['agent: {max_iterations: 0}', 'is 0 (a number), expected a whole number from 1 to 10000'],
    ['agent: {max_iterations: 2.5}', 'is 2.5 (a number), expected a whole number'],
    ['agent: {max_iterations: .inf}', 'is .inf, which YAML reads as Infinity, expected'],
    ['agent: {max_iterations: }', 'agent.max_iterations is empty, expected'],
    [
      'agent: {verify: npm test}',
      'is "npm test" (text), expected a list -> write a list: `verify: ["npm test"]`',
    ],
    [
      'agent: {verify: [no]}',
      'agent.verify[0] is no, which YAML reads as false, expected a shell command -> put it in quotes: "no"',
    ],
    ['agent: {verify: [""]}', 'agent.verify[0] is "" (text), expected a shell command'],
    ['agent: {system_prompt: "a\\0b"}', 'agent.system_prompt is'],
    ['agent: [1]', 'agent is a list, expected a mapping'],
    ['agent: 2024-01-01', 'agent is "2024-01-01" (text), expected a mapping'],
    [
      'compression: {enabled: "yes"}',
      'is "yes" (text), expected true or false -> write `enabled: true` or `enabled: false`',
    ],
    ['compression: {threshold: 1.5}', 'is 1.5 (a number), expected a number from 0.05 to 0.95'],
    ['logging: {level: loud}', 'is "loud" (text), expected one of debug, info, warn, error'],
    [
      'terminal: {env: ["A B"]}',
      'terminal.env[0] is "A B" (text), expected the name of an environment variable',
    ],
    ['model: 012', 'model is 012, which YAML reads as 10, expected the name of a model'],
    ['model: ""', 'model is "" (text), expected the name of a model'],
    ['model: [a]', 'model is a list, expected the name of a model'],
    ['model: {base_url: "http://x"}', 'model lacks name -> add `name:` with the name of a model'],
    [
      'model: {name: m, base_url: "ftp://x"}',
      'model.base_url is "ftp://x" (text), expected an address that begins with http',
    ],
    ['model: {name: m, base_url: 5}', 'model.base_url is 5 (a number), expected an address'],
    [
      'model: {name: m, provider: x}',
      'model.provider is not a setting -> write the provider before the model',
    ],
    ['mcp_servers: {a: {}}', 'mcp_servers.a lacks command (a program to start) or url (a running server)'],
    ['mcp_servers: {a: {command: x, url: "http://x"}}', 'mcp_servers.a has both command and url'],
    [
      'mcp_servers: {a: {url: "http://x", env: {}}}',
      'mcp_servers.a has env, which belongs to command, not to url',
    ],
    ['mcp_servers: {a: {command: x, headers: {}}}', 'mcp_servers.a has headers, which belong to url'],
    ['mcp_servers: {a__b: {command: x}}', 'mcp_servers.a__b cannot have the name "a__b"'],
    [
      'mcp_servers: {a: {command: x, env: {PORT: 80}}}',
      'mcp_servers.a.env.PORT is 80 (a number), expected text -> put it in quotes: "80"',
    ],
    [
      'mcp_servers: {a: {command: x, effects: {t: nothing}}}',
      'mcp_servers.a.effects.t is "nothing" (text), expected one of none, write, execute, external',
    ],
    [
      'mcp_servers: {a: {url: "http://x", headers: {"A B": c}}}',
      'cannot have the name "A B": expected the name of an HTTP header',
    ],
  ])('of %s is said in words', (text, expected) => {
    expect(problemsOf(text).join('\n')).toContain(expected);
    expect(validate(text).config).toBeUndefined();
  });

  it('is found through an alias', () => {
    expect(problemsOf('agent: &a {max_iterations: x}\nterminal: *a')).toContainEqual(
      expect.stringContaining('config.yaml:1:28: agent.max_iterations is "x"'),
    );
  });

  it('comes in the order of the lines, all of them at once', () => {
    const lines = problemsOf('terminal: {timeout: x}\nagent: {a: 1}\nzz: 1\nmodel: {}\n');
    expect(lines.map((line) => line.split(':')[1])).toEqual(['1', '2', '3', '4']);
  });

  it('stays on one line and is cut, however long and strange the value is', () => {
    const [line = ''] = problemsOf(`agent: {max_iterations: "${'x'.repeat(5000)}\\n\\e[31m"}`);
    expect(line.length).toBeLessThan(300);
    expect(problemsOf('agent: {max_iterations: "\\n\\e[31m"}')[0]).not.toMatch(/[\n\u001b]/);
  });
});

describe('a section this version does not have', () => {
  it.each(['egress'])('is an error when it would protect: %s', (name) => {
    const text = `${name}:\n  enabled: true\n`;
    expect(problemsOf(text)).toEqual([
      `error config.yaml:1:1: ${name} is not supported by this version -> remove the section: it would protect nothing here`,
    ]);
    expect(validate(text).config).toBeUndefined();
  });

  it.each(['gateway', 'cron', 'kanban', 'dashboard'])('is a warning otherwise: %s', (name) => {
    const { config, problems } = validate(`${name}: {a: 1}\n`);
    expect(problems).toMatchObject([{ severity: 'warning', key: name }]);
    expect(config).toBeDefined();
  });

  it.each(['hooks:', 'hooks: {}', 'egress: {enabled: false}', 'egress: off', 'egress: []'])(
    'is fine as long as it asks for nothing: %s',
    (text) => {
      expect(problemsOf(text)).toEqual([]);
    },
  );
});

describe('hooks that never run', () => {
  it('are warned about: they are for events that do not happen here', () => {
    const text =
      'hooks:\n  kanban_task_claimed: [{command: a}]\n  outbound: [{url: "http://127.0.0.1:1/x", events: [post_tool_call]}]\n';
    const { config, problems } = validate(text);
    expect(problems.map(({ severity, line, key }) => [severity, line, key])).toEqual([
      ['warning', 2, 'hooks.kanban_task_claimed'],
    ]);
    expect(config?.hooks.shell).toEqual([]);
  });

  it('do not hide a mistake: an event nobody knows is an error with what was meant', () => {
    const { config, problems } = validate('hooks:\n  pre_tool_cal: [{command: a}]\n');
    expect(config).toBeUndefined();
    expect(problems[0]?.message).toContain('did you mean pre_tool_call?');
  });
});

describe('an outbound webhook', () => {
  it.each([
    ['http://hooks.example/x', true],
    ['http://192.168.1.5:8080/x', true],
    ['https://hooks.example/x', false],
    ['http://localhost:5678/x', false],
    ['http://127.0.0.1/x', false],
    ['http://[::1]:5678/x', false],
  ])('is warned about when it is not encrypted on its way: %s', (url, isWarned) => {
    const { config, problems } = validate(
      `hooks: {outbound: [{url: "https://a.example", events: [post_tool_call]}, {url: "${url}", events: [post_tool_call]}]}`,
    );
    expect(problems.map(({ severity, key, remedy }) => [severity, key, remedy])).toEqual(
      isWarned ? [['warning', 'hooks.outbound[1].url', 'use https']] : [],
    );
    expect(config?.hooks.outbound).toHaveLength(2);
  });

  it('is warned about when its key is in the file, with the setting that names a variable', () => {
    const { problems } = validate(
      'hooks: {outbound: [{url: "https://a.example", events: [post_tool_call], secret: hunter2hunter2}]}',
    );
    expect(problems).toMatchObject([
      { severity: 'warning', key: 'hooks.outbound[0].secret', remedy: expect.stringContaining('secret_env') },
    ]);
  });
});

describe('a secret in the file', () => {
  it.each([
    [
      'mcp_servers: {a: {url: "http://x", headers: {Authorization: Bearer abc}}}',
      'mcp_servers.a.headers.Authorization',
    ],
    ['mcp_servers: {a: {command: x, env: {GITHUB_TOKEN: abc}}}', 'mcp_servers.a.env.GITHUB_TOKEN'],
    ['mcp_servers: {a: {command: x, args: [sk-abcdefghijklmnopqrst]}}', 'mcp_servers.a.args[0]'],
    ['mcp_servers: {a: {command: x, args: [--token, hunter2secret]}}', 'mcp_servers.a.args[1]'],
  ])('is warned about: %s', (text, key) => {
    const { config, problems } = validate(text);
    expect(problems).toMatchObject([{ severity: 'warning', key }]);
    expect(config).toBeDefined();
  });

  it.each([
    'mcp_servers: {a: {url: "http://x", headers: {Authorization: "Bearer ${TOKEN}"}}}',
    'model: {name: m, api_key_env: OPENAI_API_KEY}',
    'mcp_servers: {a: {command: x, env: {HOME_DIR: /tmp}}}',
  ])('is none when only a variable is named: %s', (text) => {
    expect(problemsOf(text)).toEqual([]);
  });

  it('is never shown', () => {
    for (const text of [
      'model: {name: m, api_key: sk-topsecret0123456789}',
      'model: {name: m, api_key_env: sk-topsecret0123456789}',
      'mcp_servers: {a: {command: x, env: {TOKEN: topsecret}, effects: {t: ghp_topsecret0123456789}}}',
      'agent: {max_iterations: sk-topsecret0123456789}',
    ]) {
      expect(problemsOf(text).length).toBeGreaterThan(0);
      expect(problemsOf(text).join('\n')).not.toContain('topsecret');
    }
  });
});

describe('${NAME} in a server', () => {
  it('is warned about when the variable is not set', () => {
    const { config, problems } = validate('mcp_servers: {a: {command: x, args: ["${NOPE}"]}}');
    expect(problems).toMatchObject([{ severity: 'warning', key: 'mcp_servers.a.args[0]' }]);
    expect(problems[0]?.message).toContain('refers to NOPE, which is not set');
    expect(config?.mcpServers.get('a')).toMatchObject({ args: ['${NOPE}'] });
  });

  it("is nobody's business when the server is off", () => {
    expect(problemsOf('mcp_servers: {a: {command: x, enabled: false, args: ["${NOPE}"]}}')).toEqual([]);
  });
});
