export { compileGlob, type PathMatcher } from './compile-glob.ts';
export { type IgnoreAnswer, type IgnoreRules, parseIgnoreFile } from './ignore-rules.ts';
