export { serveWorker } from './serve-worker.ts';
export type { WorkerMethods, WorkerTable } from './worker-api.ts';
export { WorkerClient } from './worker-client.ts';
