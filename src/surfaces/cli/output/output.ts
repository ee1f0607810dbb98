/** Where a command writes: standard output or standard error. */
export interface Output {
  readonly isTty: boolean;
  /** Width of the terminal; undefined for a pipe or a file. */
  readonly columns: number | undefined;
  /** The stream itself, for a line editor or a full-screen view. */
  readonly stream: NodeJS.WritableStream;
  /** Never throws, and does nothing once nobody reads any more. */
  write(text: string): void;
}

/** An {@link Output} with what the program itself needs of it. */
export interface OwnedOutput extends Output {
  /** Why nothing can be written any more; undefined as long as it can. `EPIPE` means that the reader went away. */
  failure(): string | undefined;
  /** Resolves when everything is handed to the system, or cannot be any more. */
  flush(): Promise<void>;
}

/** What is asked of a stream. */
export type OutputStream = NodeJS.WritableStream & {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly destroyed?: boolean;
};

/** @param onFailure called once, with the name of the error, when the stream can no longer be written to. */
export function createOutput(stream: OutputStream, onFailure: (code: string) => void): OwnedOutput {
  let failure: string | undefined;
  const give = (error: Error & { readonly code?: string }): void => {
    if (failure !== undefined) return;
    failure = error.code ?? error.message;
    onFailure(failure);
  };
  stream.on('error', give);
  return {
    stream,
    get isTty() {
      return stream.isTTY === true;
    },
    get columns() {
      return stream.isTTY === true ? stream.columns : undefined;
    },
    write: (text) => {
      if (failure === undefined && text !== '') stream.write(text);
    },
    failure: () => failure,
    flush: () => flush(stream, () => failure !== undefined),
  };
}

function flush(stream: OutputStream, hasFailed: () => boolean): Promise<void> {
  if (hasFailed() || stream.destroyed === true) return Promise.resolve();
  return new Promise((resolve) => {
    const finish = (): void => {
      stream.off('error', finish);
      resolve();
    };
    stream.once('error', finish);
    stream.write('', finish);
  });
}
