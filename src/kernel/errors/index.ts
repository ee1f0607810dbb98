export {
  type Failure,
  fail,
  HermaError,
  messageOf,
  type Result,
  succeed,
  valueOrThrow,
} from './herma-error.ts';
export { suggest } from './suggest.ts';
