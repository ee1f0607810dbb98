import { Worker } from 'node:worker_threads';
import type { Environment } from '../environment/index.ts';
import { entryOf } from './entry-of.ts';
import type { WorkerMethods, WorkerReply, WorkerRequest } from './worker-api.ts';

interface Waiting {
  readonly fail: (error: Error) => void;
}

/**
 * A thread of its own for work that would keep the event loop waiting. Its methods are called by name; arguments and
 * results are copied (structured clone), so they must be plain data.
 *
 * The thread starts with the first call and does not keep the process alive. To be closed.
 */
export class WorkerClient<Methods extends WorkerMethods<Methods>> {
  readonly #entry: string;
  readonly #data: unknown;
  readonly #env: Environment | undefined;
  readonly #waiting = new Map<number, Waiting>();
  #worker: Worker | undefined;
  #lastId = 0;
  #isClosed = false;

  /**
   * @param entry see {@link entryOf}.
   * @param data what the thread is told at its start: plain data.
   * @param env all the variables the thread sees as `process.env`; those of this process when left out.
   */
  constructor(entry: string, data: unknown, { env }: { readonly env?: Environment } = {}) {
    this.#entry = entry;
    this.#data = data;
    this.#env = env;
  }

  /**
   * Rejects when the method throws, when an argument cannot be copied, when the thread ends before it answers, and after
   * {@link close}.
   */
  async call<Name extends keyof Methods>(
    method: Name,
    ...args: Methods[Name]['args']
  ): Promise<Methods[Name]['result']> {
    if (this.#isClosed) throw new Error(`${String(method)} was called on a worker that is closed`);
    const worker = this.#running();
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      const listener = (reply: WorkerReply<Methods[Name]['result']>): void => {
        if (reply.id !== id) return;
        settle();
        if (reply.ok) resolve(reply.value);
        else reject(new Error(reply.message));
      };
      const settle = (): void => {
        worker.off('message', listener);
        this.#waiting.delete(id);
        if (this.#waiting.size === 0) worker.unref();
      };
      this.#waiting.set(id, {
        fail: (error) => {
          settle();
          reject(error);
        },
      });
      worker.ref();
      worker.on('message', listener);
      const request: WorkerRequest<Methods, Name> = { id, method, args };
      try {
        worker.postMessage(request);
      } catch (error) {
        settle();
        reject(error);
      }
    });
  }

  /** Ends the thread; calls that have no answer yet are rejected. A second call does nothing. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }

  #running(): Worker {
    if (this.#worker !== undefined) return this.#worker;
    // Copied first: no thread is left behind that was never told what it is for.
    const data: unknown = structuredClone(this.#data);
    const worker = new Worker(entryOf(this.#entry), this.#env === undefined ? {} : { env: { ...this.#env } });
    worker.postMessage(data);
    worker.setMaxListeners(0);
    worker.on('error', (error) => {
      this.#end(worker, error instanceof Error ? error : new Error(String(error)));
    });
    worker.on('exit', (code) => {
      this.#end(worker, new Error(`the worker has ended (${String(code)})`));
    });
    this.#worker = worker;
    return worker;
  }

  /** The next call starts another thread. */
  #end(worker: Worker, error: Error): void {
    if (this.#worker === worker) this.#worker = undefined;
    for (const { fail } of Array.from(this.#waiting.values())) fail(error);
  }
}
