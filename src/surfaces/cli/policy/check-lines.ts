import { type Failure, fail, type Result, succeed } from '../../../kernel/errors/index.ts';
import { getOwn, isJsonObject, type JsonObject, type JsonValue, parseJson } from '../../../kernel/json/index.ts';
import { errnoOf, isFileError } from '../../../platform/paths/index.ts';
import { errorDocument } from '../create-context.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import type { VerbContext } from '../verb.ts';
import type { CheckedText, Checker } from './checker-types.ts';
import { inputLines } from './input-lines.ts';
import { verdictDocument } from './verdict-text.ts';
