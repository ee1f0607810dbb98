import { parentPort } from 'node:worker_threads';
import { messageOf } from '../../kernel/errors/index.ts';
import type { WorkerMethods, WorkerReply, WorkerRequest, WorkerTable } from './worker-api.ts';

/**
 * Answers the calls of the thread that started this one, with the methods that `create` makes of the data it was given
 * in the first message.
 *
 * @throws Error when this thread is the main one.
 */
export function serveWorker<Methods extends WorkerMethods<Methods>, Data>(
  create: (data: Data) => WorkerTable<Methods>,
): void {
  const port = parentPort;
  if (port === null) throw new Error('this file is a worker, and not a program');
  port.once('message', (data: Data) => {
    const table = create(data);
    port.on('message', (request: WorkerRequest<Methods, keyof Methods>) => {
      const answer = async (): Promise<void> => {
        port.postMessage(await replyTo(request, table));
      };
      void answer();
    });
  });
}

async function replyTo<Methods extends WorkerMethods<Methods>, Name extends keyof Methods>(
  { id, method, args }: WorkerRequest<Methods, Name>,
  table: WorkerTable<Methods>,
): Promise<WorkerReply<Methods[Name]['result']>> {
  try {
    return { id, ok: true, value: await table[method](...args) };
  } catch (error) {
    return { id, ok: false, message: messageOf(error) };
  }
}
