import type { JsonObject, JsonValue } from '../../../kernel/json/index.ts';
import type { CommandClass } from '../../../shell/index.ts';

/** What a rule, or the policy as a whole, says of a call. From lax to strict. */
export const DECISIONS = ['allow', 'ask', 'block'] as const;
export type PolicyDecision = (typeof DECISIONS)[number];

/** From harmless to disastrous. */
export const SEVERITIES = ['low', 'medium', 'high', 'critical'] as const;
export type PolicySeverity = (typeof SEVERITIES)[number];

/**
 * Which part of a call text conditions look at: all of it, what a command runs, or what a command only mentions (quoted text,
 * heredocs, patterns). A call that is no command is data as a whole.
 */
export const TEXT_PARTS = ['raw', 'code', 'data'] as const;
export type TextPart = (typeof TEXT_PARTS)[number];

/**
 * What an earlier call did that makes this one suspect: it downloaded or wrote a file that this one runs, or it read or moved
 * a secret before this one sends.
 */
export const TAINTS = ['downloaded-run', 'written-run', 'secret-sent'] as const;
export type Taint = (typeof TAINTS)[number];

/** A word of a program's arguments, or several that stand for each other. */
export type ArgvToken = readonly string[];

export type ArgumentTest =
  | { readonly type: 'eq'; readonly value: JsonValue }
  | { readonly type: 'regex'; readonly source: string }
  /** Characters of a text, items of a list, members of an object; both ends included. */
  | { readonly type: 'len'; readonly min: number; readonly max: number };

/** All but the conditions on time: what a call shows by itself. */
export type CallCondition =
  | { readonly kind: 'shell.class'; readonly classes: readonly CommandClass[] }
  | { readonly kind: 'text.contains'; readonly texts: readonly string[] }
  | { readonly kind: 'text.regex'; readonly sources: readonly string[] }
  | { readonly kind: 'argv.prefix'; readonly prefixes: readonly (readonly ArgvToken[])[] }
  | { readonly kind: 'path.read' | 'path.write' | 'path.glob'; readonly globs: readonly string[] }
  | { readonly kind: 'url.host'; readonly hosts: readonly string[] }
  | { readonly kind: 'argument'; readonly pointer: readonly string[]; readonly test: ArgumentTest }
  | { readonly kind: 'session.unattended'; readonly is: boolean };

/** More than `count` calls that fit the rest of the rule, this one included, within `windowMs`. */
export interface RateCondition {
  readonly kind: 'rate';
  readonly count: number;
  readonly windowMs: number;
}

/** An earlier call among the last `within` of the session was of a kind. */
export interface SequenceCondition {
  readonly kind: 'sequence';
  readonly within: number;
  readonly after:
    | { readonly taints: readonly Taint[] }
    | { readonly tools: readonly string[]; readonly conditions: readonly CallCondition[] };
}

export type PolicyCondition = CallCondition | RateCondition | SequenceCondition;

/** A call in a rule's own tests: a command of the terminal, or any tool with its arguments. */
export interface ExampleCall {
  readonly tool: string;
  readonly args: JsonObject;
  readonly unattended: boolean;
}

/** One call, or several after each other of which the last one counts; with the text a person is shown. */
export interface RuleExample {
  readonly text: string;
  readonly calls: readonly ExampleCall[];
}

export interface PolicyRule {
  readonly id: string;
  readonly severity: PolicySeverity;
  readonly decision: PolicyDecision;
  /** Names of tools in which `*` stands for any text; one of them must fit. */
  readonly tools: readonly string[];
  /** All of them must hold. */
  readonly when: readonly PolicyCondition[];
  /** Undefined: the code of a command, the whole text of any other call. */
  readonly where: TextPart | undefined;
  /** Told to the model and to the person; empty when the rule gives none. */
  readonly message: string;
  readonly tests: { readonly hit: readonly RuleExample[]; readonly miss: readonly RuleExample[] };
}

/** A policy as it is written in a file: version 1. */
export interface PolicyDocument {
  /** What is said of a call that no rule fits. */
  readonly default: PolicyDecision;
  /** Whether the built-in rules are in force beside those of the file. */
  readonly builtin: boolean;
  readonly rules: readonly PolicyRule[];
}
