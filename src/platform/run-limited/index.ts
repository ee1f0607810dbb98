export { createLimitedRunner, type Limited, type RunLimited } from './create-limited-runner.ts';
