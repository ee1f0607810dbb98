import { Socket } from 'node:net';
import { errnoOf } from './errno-of.ts';

export type PipeWatch =
  | {
      readonly ok: true;
      /** Stops watching and closes the descriptor; the callback is not called any more. */
      readonly close: () => void;
    }
  | { readonly ok: false; readonly code: 'not-a-pipe'; readonly message: string; readonly remedy: string };

/**
 * Watches the reading end of a pipe (or socket) inherited as a file descriptor, and calls back once when its other end is
 * closed: then the process that held it is gone, however it ended. What is written to the pipe is thrown away. Does not keep
 * the program running by itself.
 *
 * Fails with `not-a-pipe`, and never calls back, when the descriptor is not open or is a file: the program would then outlive
 * its launcher, so the caller has to refuse or to say so.
 */
export function endWhenPipeCloses(fd: number, onClose: () => void): PipeWatch {
  try {
    const pipe = new Socket({ fd, readable: true, writable: false });
    const finish = (): void => {
      pipe.off('close', finish);
      onClose();
    };
    pipe.on('close', finish);
    // A broken pipe is a closed one: 'close' follows every error.
    pipe.on('error', () => pipe.destroy());
    pipe.resume();
    pipe.unref();
    return {
      ok: true,
      close: () => {
        pipe.off('close', finish);
        pipe.destroy();
      },
    };
  } catch (error) {
    const reason = errnoOf(error) ?? 'unknown reason';
    return {
      ok: false,
      code: 'not-a-pipe',
      message: `file descriptor ${fd} is not an open pipe (${reason})`,
      remedy: 'start the program through its launcher, which passes the pipe',
    };
  }
}
