import { suggest } from '../../kernel/errors/index.ts';
import { EVENT_NAMES, isEventName } from '../../kernel/events/index.ts';
import { isJsonObject, type JsonObject, toJsonValue } from '../../kernel/json/index.ts';
import { EFFECTS, isEffect, type ToolDeclaration } from '../../kernel/tool-call/index.ts';
import { isFunction, memberOf, methodOf, type UnknownFunction } from './member-of.ts';
import type { PluginContext, PluginSection } from './plugin-api.ts';
import type { CommandNote, HookNote, Registered, RegisteredFunctions } from './registration.ts';
import { MAX_SECTION_CHARS, SECTION_ID } from './system-prompt-limits.ts';

/** What model providers take as the name of a tool. */
const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/;
const COMMAND_NAME = /^[a-z][a-z0-9_-]{0,31}$/;
const ANY_OBJECT: JsonObject = { type: 'object' };
const DAY_SECONDS = 24 * 60 * 60;

/** The methods of a context that register something. */
export type Registrar = Pick<
  PluginContext,
  'registerHook' | 'registerTool' | 'registerProbe' | 'registerCommand' | 'registerSystemPromptSection'
>;

/**
 * Notes what a plugin registers; nothing takes effect. What is malformed is left out and becomes a problem, except for a
 * hook: that throws, as a guard of a misspelt event would guard nothing.
 */
export class RegistrationRecorder {
  readonly #hooks: HookNote[] = [];
  readonly #tools: ToolDeclaration[] = [];
  readonly #probes: string[] = [];
  readonly #commands: CommandNote[] = [];
  readonly #sections: PluginSection[] = [];
  readonly #problems: string[] = [];
  readonly #functions = {
    hooks: new Array<UnknownFunction>(),
    tools: new Array<UnknownFunction>(),
    probes: new Array<UnknownFunction>(),
    commands: new Array<UnknownFunction>(),
  };
  #isOver = false;

  /** For the context of the plugin. Every method throws once {@link end} was called. */
  registrar(): Registrar {
    return {
      registerHook: (event, callback, options) => this.#hook(event, callback, options),
      registerTool: (tool) => this.#tool(tool),
      registerProbe: (tool, probe) => this.#probe(tool, probe),
      registerCommand: (command) => this.#command(command),
      registerSystemPromptSection: (section) => this.#section(section),
    };
  }

  end(): void {
    this.#isOver = true;
  }

  /** So far. */
  registered(): Registered {
    return {
      hooks: [...this.#hooks],
      tools: [...this.#tools],
      probes: [...this.#probes],
      commands: [...this.#commands],
      sections: [...this.#sections],
      problems: [...this.#problems],
    };
  }

  functions(): RegisteredFunctions {
    return this.#functions;
  }

  #open(method: string): void {
    if (this.#isOver) throw new Error(`${method} was called after register had ended`);
  }

  #leaveOut(what: string, why: string): void {
    this.#problems.push(`${what} was left out: ${why}`);
  }

  #hook(event: unknown, callback: unknown, options: unknown): void {
    this.#open('registerHook');
    if (typeof event !== 'string' || !isEventName(event)) throw unknownEvent(event);
    if (!isFunction(callback)) throw new Error(`the callback of ${event} is no function`);
    const timeout = memberOf(options, 'timeout');
    if (timeout !== undefined && !(typeof timeout === 'number' && timeout > 0 && timeout <= DAY_SECONDS)) {
      throw new Error(`the timeout of ${event} is a number of seconds above 0, and at most a day`);
    }
    this.#hooks.push({
      event,
      ...(timeout === undefined ? {} : { timeLimitMs: Math.ceil(timeout * 1000) }),
      ...(memberOf(options, 'recheck') === false ? { recheck: false } : {}),
    });
    this.#functions.hooks.push(callback);
  }

  #tool(tool: unknown): void {
    this.#open('registerTool');
    const name = memberOf(tool, 'name');
    if (typeof name !== 'string' || !TOOL_NAME.test(name)) {
      const rule = 'a name has 1 to 64 letters, digits, "_" and "-"';
      return this.#leaveOut(`the tool ${shown(name)}`, rule);
    }
    const read = readTool(tool, name);
    if (typeof read === 'string') return this.#leaveOut(`the tool ${name}`, read);
    this.#tools.push(read.declaration);
    this.#functions.tools.push(read.run);
  }

  #probe(tool: unknown, probe: unknown): void {
    this.#open('registerProbe');
    if (typeof tool !== 'string' || !isFunction(probe))
      return this.#leaveOut(`the probe of ${shown(tool)}`, 'a probe is a name of a tool and a function');
    if (this.#probes.includes(tool))
      return this.#leaveOut(`the probe of ${shown(tool)}`, 'there is one already');
    this.#probes.push(tool);
    this.#functions.probes.push(probe);
  }

  #command(command: unknown): void {
    this.#open('registerCommand');
    const [name, summary, usage] = ['name', 'summary', 'usage'].map((key) => memberOf(command, key));
    if (typeof name !== 'string' || !COMMAND_NAME.test(name)) {
      const rule = 'a name begins with a lower-case letter and goes on with those, digits, "_" and "-"';
      return this.#leaveOut(`the command ${shown(name)}`, `${rule}, 32 at most`);
    }
    const run = methodOf(command, 'run');
    if (run === undefined) return this.#leaveOut(`the command ${name}`, 'it has no function "run"');
    this.#commands.push({
      name,
      summary: typeof summary === 'string' ? oneLine(summary) : '',
      ...(typeof usage === 'string' && usage.trim() !== '' ? { usage: oneLine(usage) } : {}),
    });
    this.#functions.commands.push(run);
  }

  #section(section: unknown): void {
    this.#open('registerSystemPromptSection');
    const [id, text] = [memberOf(section, 'id'), memberOf(section, 'text')];
    if (typeof id !== 'string' || !SECTION_ID.test(id)) {
      const rule = 'an id begins with a lower-case letter or a digit and goes on with those and ". _ -"';
      return this.#leaveOut(`the section ${shown(id)}`, `${rule}, 128 at most`);
    }
    if (typeof text !== 'string' || text.trim() === '')
      return this.#leaveOut(`the section ${id}`, 'it has no text');
    if (text.length > MAX_SECTION_CHARS) {
      const size = `${String(text.length)} characters, and ${String(MAX_SECTION_CHARS)} are allowed`;
      return this.#leaveOut(`the section ${id}`, `it has ${size}`);
    }
    this.#sections.push({ id, text });
  }
}

/** A tool, or what is wrong with it. */
function readTool(
  tool: unknown,
  name: string,
): { readonly declaration: ToolDeclaration; readonly run: UnknownFunction } | string {
  if (name.startsWith('mcp__')) return 'names that begin with mcp__ belong to MCP servers';
  const run = methodOf(tool, 'execute');
  if (run === undefined) return 'it has no function "execute"';
  const description = memberOf(tool, 'description');
  if (typeof description !== 'string' || description.trim() === '') return 'it has no description';
  const effect = memberOf(tool, 'effect') ?? 'external';
  if (!isEffect(effect)) return `its effect is ${shown(effect)}; the effects are ${EFFECTS.join(', ')}`;
  const given = memberOf(tool, 'parameters');
  const parameters = given === undefined ? ANY_OBJECT : toJsonValue(given);
  if (!isJsonObject(parameters) || parameters['type'] !== 'object')
    return 'its parameters are no JSON Schema of type object';
  const paths = memberOf(tool, 'pathArguments') ?? [];
  if (!Array.isArray(paths) || !paths.every((path) => typeof path === 'string'))
    return 'its pathArguments are no list of names';
  const declaration = {
    name,
    description,
    parameters,
    effect,
    idempotent: memberOf(tool, 'idempotent') === true,
    pathArguments: paths.map(String),
  };
  return { declaration, run };
}

function unknownEvent(event: unknown): Error {
  const near = typeof event === 'string' ? suggest(event, EVENT_NAMES) : undefined;
  const remedy =
    near === undefined ? `The events are: ${EVENT_NAMES.join(', ')}.` : `Did you mean "${near}"?`;
  return new Error(`there is no event ${shown(event)}. ${remedy}`);
}

function shown(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 80)) : `of type ${typeof value}`;
}

function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ').trim().slice(0, 200);
}
