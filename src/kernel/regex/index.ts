export { loadRegexCompiler, type Regex, type RegexCompiler } from './load-regex-compiler.ts';
