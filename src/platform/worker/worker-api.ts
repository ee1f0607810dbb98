/** What a worker can be asked: arguments and result of each method, all plain data (structured clone). */
export type WorkerMethods<Methods> = {
  readonly [Name in keyof Methods]: { readonly args: readonly unknown[]; readonly result: unknown };
};

/** Those who answer. */
export type WorkerTable<Methods extends WorkerMethods<Methods>> = {
  readonly [Name in keyof Methods]: (...args: Methods[Name]['args']) => Promise<Methods[Name]['result']>;
};

export interface WorkerRequest<Methods extends WorkerMethods<Methods>, Name extends keyof Methods> {
  readonly id: number;
  readonly method: Name;
  readonly args: Methods[Name]['args'];
}

export type WorkerReply<Value> =
  | { readonly id: number; readonly ok: true; readonly value: Value }
  | { readonly id: number; readonly ok: false; readonly message: string };
