import { readSecretName } from './secret-name.ts';

/** Anything longer is taken as the value itself. */
const MAX_STAND_IN_CHARS = 256;

/**
 * Whether a text stands where a secret would, but is none: a reference to a variable or a file, a placeholder, the name
 * of a type, a mask, a version. When in doubt the answer is no, and the text is redacted.
 */
export function isStandIn(value: string): boolean {
  if (value.length > MAX_STAND_IN_CHARS) return false;
  const text = value.trim().replace(/\\{1,15}(?=\$)/g, '');
  if (text === '' || WORDS.has(text.toLowerCase().replace(/[.,:;!?]{1,3}$/, ''))) return true;
  if (PATTERNS.some((pattern) => pattern.test(text))) return true;
  return VARIABLE_NAME.test(text) && readSecretName(text) !== undefined;
}

const WORDS = new Set(
  (
    'true false yes no on off null nil none undefined void never unknown any string number boolean bool int ' +
    'integer float str bytes object array symbol bigint date buffer uint8array ' +
    'required optional invalid expired missing empty unset hidden redacted masked default latest next auto ' +
    'inherit include omit same-origin prompt ask disabled enabled bearer basic jwt oauth oidc saml read write ' +
    'valid unauthorized forbidden denied failed error revoked rejected the a an this that your'
  ).split(' '),
);

const PATTERNS: readonly RegExp[] = [
  // $NAME, $name, $env:NAME; ${NAME}, ${object.member}, {x}, #{x} and %s, also several; never one with a default value in it
  /^\$(?:[A-Z_][A-Z0-9_]{0,80}|[a-z_]{1,80}|env:\w{1,80})$/,
  /^(?:\$\{[\w$.?()[\]'" ]{1,120}\}|\$\{\w{1,80}:\?[^{}]{0,80}\}|#?\{[\w.]{0,64}\}|%[sdvqr@]|[:/@._-]){1,16}$/,
  // an unfinished ${…}, when the text is searched up to its brace
  /^\$\{(?:[\w$.?({['" ]{1,120}$|\w{1,80}:\?)/,
  // ${{ secrets.X }}, {{ x }}, <%= x %>, <x>, [x], %NAME%, %(x)s
  /^\$?\{\{[^{}]{0,160}\}\}$/,
  /^<%[^%]{0,160}%>$/,
  /^<[^<>]{1,80}>$/,
  /^\[[A-Za-z _-]{1,40}\]$/,
  /^%(?:\w{1,64}%|\(\w{1,64}\)s)$/,
  // a colour
  /^#[0-9a-f]{3,8}$/i,
  // your-token-here, xxxx, ****, ***redacted***, one or two signs of punctuation
  /^your[-_ ][\w -]{1,60}$/i,
  /^x{3,256}$/i,
  /^([^A-Za-z0-9])\1{0,255}$/,
  /^[^A-Za-z0-9]{0,8}(?:redacted|masked|hidden|removed)[^A-Za-z0-9]{0,8}$/i,
  /^[^\p{L}\p{N}]{1,2}$/u,
  // a version or another specifier of a dependency: `cookie` and `jsonwebtoken` are packages too
  /^[\^~><=v ]{0,4}\d{1,5}(?:\.(?:\d{1,6}|x|\*)){1,3}(?:[-+][\w.]{1,40})?$/,
  /^(?:workspace|catalog|link|npm|github):[\w.@^~*/#-]{0,120}$/,
  // a path with a familiar beginning or a familiar ending, or the address of a secret in a store
  /^(?:~|\.{1,2}|\/(?:home|Users|root|run|etc|var|usr|tmp|opt|mnt|dev|proc|srv|app|workspace|secrets|vault|keys|certs)|[A-Za-z]:)[\\/][\w .@+\\/-]{0,240}$/,
  /^\/?[\w.-]{1,60}(?:\/[\w.-]{1,60}){0,8}\.(?:pem|key|crt|txt|json|ya?ml|ts|js|env|toml|conf|asc|gpg|pub|p12|pfx|jks)$/i,
  /^(?:op|vault|keyring|ssm|env|file):\/{0,3}[\w .@+/-]{1,160}$/,
  /^arn:[\w:/-]{1,200}$/,
];

/** `OPENAI_API_KEY` as a value is the name of a variable, unless it holds digits. */
const VARIABLE_NAME = /^[A-Z]{1,30}(?:_[A-Z]{1,30}){1,8}$/;

/** Whether a quoted text under a secret's name is a message about it, such as `Password is required`. */
export function isSentence(value: string): boolean {
  if (value.length > MAX_STAND_IN_CHARS) return false;
  const words = value.trim().split(/\s{1,16}/);
  if (
    words.length < 2 ||
    !words.every((word) => /^["'(]?[A-Za-z]{1,24}(?:['’][a-z]{1,2})?[.,:;!?…)"']{0,3}$/.test(word))
  ) {
    return false;
  }
  return words.some((word) => MESSAGE_WORDS.has(word.toLowerCase().replace(/[^a-z]{1,4}$/, '')));
}

const MESSAGE_WORDS = new Set(
  'required invalid must enter your please is missing expired wrong incorrect cannot not'.split(' '),
);
