import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createTemporaryHome, type TemporaryHome } from '../../src/testing/index.ts';
import { FakeOpenAi, type FakeReplies } from './fake-openai.ts';
import { eventually, Herma, type HermaExit, type HermaOptions } from './herma.ts';

export interface SceneOptions {
  /** `config.yaml`; may name the base address of the model server. */
  readonly config?: string | ((baseUrl: string) => string);
  /** What the model server answers. */
  readonly replies?: FakeReplies;
}

type StartOptions = Partial<HermaOptions>;

/** A home, a project and a model server of their own for one test, and the program that is started in them. */
export class Scene implements AsyncDisposable {
  readonly home: string;
  readonly project: string;
  readonly server: FakeOpenAi;
  /** What `herma chat` takes to reach the server. */
  readonly model: readonly string[];
  readonly #place: TemporaryHome;
  readonly #started: Herma[] = [];

  private constructor(place: TemporaryHome, server: FakeOpenAi) {
    this.home = place.home;
    this.project = place.project;
    this.server = server;
    this.model = ['--model', 'openai-compatible:gpt-test', '--base-url', server.baseUrl];
    this.#place = place;
  }

  static async create({ config, replies = [] }: SceneOptions = {}): Promise<Scene> {
    const [place, server] = await Promise.all([createTemporaryHome(), FakeOpenAi.start(replies)]);
    if (config !== undefined)
      await place.writeConfig(typeof config === 'string' ? config : config(server.baseUrl));
    return new Scene(place, server);
  }

  /** Starts the program and lets it run. */
  start(args: readonly string[], options: StartOptions = {}): Herma {
    const { env, ...rest } = options;
    const herma = new Herma(args, {
      cwd: this.project,
      ...rest,
      env: { HERMA_HOME: this.home, ...env },
    });
    this.#started.push(herma);
    return herma;
  }

  async run(args: readonly string[], options: StartOptions = {}): Promise<HermaExit> {
    return this.start(args, options).exited;
  }

  /** `herma chat -q` with the model of the server. */
  async ask(text: string, args: readonly string[] = [], options: StartOptions = {}): Promise<HermaExit> {
    return this.run(['chat', '-q', text, ...this.model, ...args], options);
  }

  path(name: string): string {
    return join(this.project, name);
  }

  /** The content of a file of the project, undefined when there is none. */
  read(name: string): string | undefined {
    const path = this.path(name);
    return existsSync(path) ? readFileSync(path, 'utf8') : undefined;
  }

  /** The whole number in a file of the project, once there is one with a line break. */
  async numberIn(name: string): Promise<number> {
    return eventually(() => {
      const text = this.read(name) ?? '';
      if (!/^\d+\n$/.test(text)) throw new Error(`${name} holds ${JSON.stringify(text)}`);
      return Number(text);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#started.map((herma) => herma.end()));
    await this.server[Symbol.asyncDispose]();
    await this.#place.remove();
  }
}
