/** A command text of bash as this house sees it: what runs, in which order, and what every word is made of. */
export interface ShellScript {
  readonly statements: readonly Statement[];
}

export interface Statement {
  readonly command: Command;
  /** Ended by `&`. */
  readonly isBackground: boolean;
}

export type Command = SimpleCommand | AndOrList | Pipeline | CompoundCommand | FunctionDefinition | Coprocess;

export interface SimpleCommand {
  readonly type: 'simple';
  readonly assignments: readonly Assignment[];
  /** Arrays among the arguments of `declare` and the like; in `words` they are as well. */
  readonly declarations: readonly Assignment[];
  /** The name of the program first; empty when only variables are set or files are opened. */
  readonly words: readonly Word[];
  readonly redirects: readonly Redirect[];
}

export interface AndOrList {
  readonly type: 'and-or';
  readonly commands: readonly Command[];
  /** One less than commands: what stands behind each but the last. */
  readonly operators: readonly ('&&' | '||')[];
}

export interface Pipeline {
  readonly type: 'pipeline';
  readonly commands: readonly Command[];
}

/** Everything with a body, and `[[ … ]]` and `(( … ))`. */
export interface CompoundCommand {
  readonly type: 'compound';
  readonly kind: 'subshell' | 'group' | 'if' | 'loop' | 'case' | 'test' | 'arithmetic';
  /** The variable a loop sets. */
  readonly variable: string | undefined;
  /** `for x; do …`: the loop goes over the arguments. */
  readonly isOverArguments: boolean;
  readonly words: readonly Word[];
  readonly tests: readonly Test[];
  readonly arithmetic: readonly Arithmetic[];
  readonly bodies: readonly ShellScript[];
  readonly redirects: readonly Redirect[];
}

export interface FunctionDefinition {
  readonly type: 'function';
  readonly name: string;
  readonly body: Command;
}

export interface Coprocess {
  readonly type: 'coprocess';
  readonly body: Command;
}

/** One question of `[[ … ]]`. */
export interface Test {
  readonly operator: string;
  readonly operands: readonly Word[];
}

export interface Assignment {
  readonly name: string;
  /** `a[i]=…`: the index is arithmetic. */
  readonly index: Word | undefined;
  readonly isArray: boolean;
  /** `a+=…` */
  readonly isAppended: boolean;
  /** The elements when it is an array, else one word. */
  readonly values: readonly Word[];
}

export interface Redirect {
  /** `text` is a here-document or here-string. */
  readonly type: 'read' | 'write' | 'duplicate' | 'text';
  readonly target: Word;
  /** The number in front of it; undefined where the operator's own holds. */
  readonly descriptor: number | undefined;
  readonly isAppended: boolean;
  /** A here-string: a line break follows its text. */
  readonly isString: boolean;
  /** `{name}>file` puts the descriptor into a variable. */
  readonly setsVariable: boolean;
}

/** Numbers only, or an expression whose variables bash evaluates again, which can run commands. */
export interface Arithmetic {
  readonly isConstant: boolean;
  /** What stands inside, as parts of words. */
  readonly parts: readonly WordPart[];
}

export interface Word {
  readonly parts: readonly WordPart[];
}

export type WordPart =
  | { readonly type: 'literal'; readonly value: string; readonly isQuoted: boolean }
  | ParameterPart
  | { readonly type: 'commands'; readonly script: ShellScript; readonly isQuoted: boolean }
  /** `isWritten` for `>( … )`. */
  | { readonly type: 'process'; readonly script: ShellScript; readonly isWritten: boolean }
  | { readonly type: 'arithmetic'; readonly arithmetic: Arithmetic; readonly isQuoted: boolean }
  /** `text` is the pattern as it is written. */
  | { readonly type: 'pattern'; readonly parts: readonly WordPart[]; readonly text: string }
  /** `alternatives` are what stands between the commas; undefined when that is not known. */
  | {
      readonly type: 'braces';
      readonly parts: readonly WordPart[];
      readonly alternatives: readonly Word[] | undefined;
    }
  /** A text in which a tilde stands for a home directory. */
  | { readonly type: 'tilde'; readonly text: string };

export interface ParameterPart {
  readonly type: 'parameter';
  readonly name: string;
  readonly isQuoted: boolean;
  /** `assigns`: `${x:=…}`. `evaluates`: its value, or an index or an offset, may be run as code. */
  readonly effect: 'none' | 'assigns' | 'evaluates';
  /** More than one field even in quotes. */
  readonly isList: boolean;
  /** `${#x}` and `${!x}`. */
  readonly prefix: '#' | '!' | undefined;
  /** What stands in brackets behind the name, as it is written. */
  readonly index: string | undefined;
  /** The operation on the value, without the operands that follow it. */
  readonly operator: string | undefined;
  /** All words in it: first the index if there is one, then those of the operation. */
  readonly operands: readonly Word[];
}
