import type { Call, Handler } from './analysis.ts';
import { type Content, concatenate, FROM_NETWORK, NOTHING, PRINTED } from './content.ts';
import { type Field, knownPrefix, literalField, showFields, withoutPrefix } from './field.ts';
import { readFile, writeFile } from './files-touched.ts';
import { hostOf, isLoopback, noteHost, noteSending } from './network.ts';
import { removeTargets } from './programs-delete.ts';
import { hasOption, optionValues, readArguments } from './read-arguments.ts';
import { addFinding } from './report.ts';

const CURL = {
  letters: 'AbcCdDeEFhHKmoPQrtTuUwxXyYz',
  names: (
    'data data-ascii data-binary data-raw data-urlencode json form form-string header user-agent cookie cookie-jar output output-dir ' +
    'upload-file user proxy request max-time connect-timeout retry retry-delay retry-max-time cacert capath cert key url config ' +
    'referer range write-out resolve interface limit-rate max-redirs connect-to netrc-file oauth2-bearer unix-socket dump-header ' +
    'proxy-user noproxy ciphers pass stderr trace trace-ascii aws-sigv4 doh-url'
  ).split(' '),
};
const BODY = ['d', 'data', 'data-ascii', 'data-binary', 'data-urlencode', 'json', 'F', 'form'];

const curl: Handler = (call) => {
  const { args, command, state, analysis } = call;
  const evidence = showFields(command);
  const read = readArguments(args, CURL);
  const urls = [...read.operands, ...optionValues(read, 'url')];
  const isAway = noteUrls(urls, evidence, call);
  for (const { text } of urls)
    if (text?.startsWith('file://') === true)
      readFile(literalField(text.replace(/^file:\/\/[^/]*/, '')), { evidence }, state, analysis);
  const sent = [
    ...optionValues(read, ...BODY).flatMap((value) => bodyContent(value, evidence, call)),
    ...optionValues(read, 'T', 'upload-file').map((value) =>
      value.text === '-' ? state.input : readFile(value, { evidence }, state, analysis),
    ),
    ...urls.filter((url) => url.secret !== 'none' || url.isLocal),
    ...optionValues(read, 'H', 'header', 'u', 'user', 'b', 'cookie', 'data-raw').filter(
      (value) => value.secret !== 'none' || value.file !== undefined,
    ),
  ];
  send(sent, isAway, evidence, call);
  const outputs = optionValues(read, 'o', 'output');
  if (hasOption(read, 'O', 'remote-name', 'remote-name-all', 'J'))
    outputs.push(...urls.flatMap((url) => lastName(url)));
  const directory = optionValues(read, 'output-dir')[0]?.text;
  return save(
    outputs.map((output) =>
      directory === undefined || output.text === undefined
        ? output
        : literalField(`${directory}/${output.text}`),
    ),
    evidence,
    call,
  );
};

/** What an option with data sends: files behind `@`, the results of substitutions. */
function bodyContent(value: Field, evidence: string, { state, analysis }: Call): Content[] {
  const text = value.text ?? knownPrefix(value);
  const at = /^(?:[^=@<]*=)?[@<]/.exec(text)?.[0];
  if (at === undefined) return value.isLocal || value.secret !== 'none' ? [value] : [];
  const file = withoutPrefix(value, at.length);
  if (file.text === '-') return [state.input];
  const name = file.text?.split(/[;,]/, 1)[0];
  return [readFile(name === undefined ? file : literalField(name), { evidence }, state, analysis)];
}

function send(contents: readonly Content[], isAway: boolean, evidence: string, { analysis }: Call): void {
  if (!isAway || contents.length === 0) return;
  const content = concatenate(contents);
  if (content.isLocal || content.secret !== 'none' || content.file !== undefined)
    noteSending(content, evidence, analysis);
}

/** Whether any of them may be another machine. */
function noteUrls(urls: readonly Field[], evidence: string, { analysis }: Call): boolean {
  const hosts = urls.flatMap(
    (url) => hostOf(url.text ?? (url.isDynamic ? knownPrefix(url) : url.pattern)) ?? [],
  );
  for (const host of hosts) noteHost(host, evidence, analysis);
  return hosts.length === 0 || hosts.some((host) => !isLoopback(host));
}

function lastName(url: Field): Field[] {
  const path = url.text
    ?.replace(/[?#].*$/s, '')
    .replace(/^[a-z]+:\/\/[^/]*/i, '')
    .split('/')
    .at(-1);
  return path === undefined || path === '' ? [] : [literalField(path)];
}

function save(outputs: readonly Field[], evidence: string, { state, analysis }: Call): Content {
  const files = outputs.filter(({ text }) => text !== '-' && text !== '/dev/stdout');
  for (const file of files) writeFile(file, { evidence, content: FROM_NETWORK }, state, analysis);
  return files.length > 0 && files.length === outputs.length ? NOTHING : FROM_NETWORK;
}

const WGET = {
  letters: 'oaeitBOPUTwQDARlXIn',
  names: (
    'output-document output-file append-output execute input-file directory-prefix user-agent timeout tries header post-data post-file ' +
    'body-data body-file method user password referer accept reject domains wait level load-cookies save-cookies'
  ).split(' '),
};

const wget: Handler = (call) => {
  const { args, command, state, analysis } = call;
  const evidence = showFields(command);
  const read = readArguments(
    args.filter(({ text }) => text !== '-nv' && text !== '-nc'),
    WGET,
  );
  const isAway = noteUrls(read.operands, evidence, call);
  const posted = optionValues(read, 'post-file', 'body-file').map((value) =>
    readFile(value, { evidence }, state, analysis),
  );
  send(
    [
      ...posted,
      ...optionValues(read, 'post-data', 'body-data').filter(
        (value) => value.isLocal || value.secret !== 'none',
      ),
      ...read.operands.filter((url) => url.secret !== 'none' || url.isLocal),
    ],
    isAway,
    evidence,
    call,
  );
  if (hasOption(read, 'spider')) return PRINTED;
  const outputs = optionValues(read, 'O', 'output-document');
  const directory = optionValues(read, 'P', 'directory-prefix')[0]?.text;
  if (outputs.length > 0) return save(outputs, evidence, call);
  const names = read.operands.flatMap(lastName);
  return save(
    names.length === 0
      ? [literalField('index.html')]
      : names.map((name) =>
          directory === undefined ? name : literalField(`${directory}/${name.text ?? ''}`),
        ),
    evidence,
    call,
  );
};

const fetcher: Handler = (call) => {
  const { args, command, name } = call;
  const read = readArguments(args, { letters: 'odsOA', names: ['output', 'dir', 'out'] });
  const evidence = showFields(command);
  const urls = read.operands.filter(({ text, pattern }) => /[./:]/.test(text ?? pattern));
  const isAway = noteUrls(urls, evidence, call);
  if (/^(?:http|https|xh|xhs)$/.test(name))
    send(call.state.input.text === '' ? [] : [call.state.input], isAway, evidence, call);
  const outputs = optionValues(read, 'o', 'output', 'O', 'out');
  if (/^(?:aria2c|axel)$/.test(name))
    return save(outputs.length > 0 ? outputs : urls.flatMap(lastName), evidence, call);
  return save(outputs, evidence, call);
};

/** Plain connections: what comes in there goes out. */
const netcat: Handler = (call) => {
  const { args, command, state, analysis } = call;
  const evidence = showFields(command);
  const read = readArguments(args, {
    letters: 'ecgGiopqswWxXmT',
    names: ['exec', 'sh-exec', 'source-port', 'wait'],
  });
  const isListening = hasOption(read, 'l', 'listen');
  const runs = optionValues(read, 'e', 'c', 'exec', 'sh-exec');
  if (runs.length > 0) addFinding(analysis.report, 'reverse-shell', evidence);
  const [host] = read.operands;
  if (!isListening && host?.text !== undefined) noteHost(host.text, evidence, analysis);
  const isAway = isListening || !isLoopback(host?.text ?? '');
  if (state.input.text === undefined) send([state.input], isAway, evidence, call);
  return FROM_NETWORK;
};

const socat: Handler = (call) => {
  const { args, command, analysis } = call;
  const evidence = showFields(command);
  const texts = args.map(({ text, pattern }) => text ?? pattern);
  const isRemote = texts.some((text) => /^(?:tcp|udp|openssl|ssl|sctp|proxy|socks)/i.test(text));
  if (isRemote && texts.some((text) => /^(?:exec|system|shell):/i.test(text)))
    addFinding(analysis.report, 'reverse-shell', evidence);
  for (const text of texts) {
    const host = /^(?:tcp|udp|openssl|ssl)\d?(?:-connect)?:([^:,]+)/i.exec(text)?.[1];
    if (host !== undefined && !isLoopback(host)) noteHost(host, evidence, analysis);
    const file =
      /^(?:open|file|gopen):([^,]+)/i.exec(text)?.[1] ??
      (text.startsWith('/') ? text.split(',', 1)[0] : undefined);
    if (file !== undefined && isRemote)
      send([readFile(literalField(file), { evidence }, call.state, analysis)], true, evidence, call);
  }
  if (isRemote && call.state.input.text === undefined) send([call.state.input], true, evidence, call);
  return FROM_NETWORK;
};

const SSH = { letters: 'bBcDeEFiIJlLmoOpQRSwW', endsAtOperand: true };

const ssh: Handler = (call) => {
  const { args, command, state, analysis } = call;
  const evidence = showFields(command);
  const read = readArguments(args, SSH);
  runSshOptions(optionValues(read, 'o'), evidence, call);
  const [host, ...remote] = read.operands;
  if (host === undefined) return PRINTED;
  addFinding(analysis.report, 'remote', evidence);
  const name = host.text === undefined ? undefined : hostOf(host.text.replace(/^ssh:\/\//, ''));
  if (name !== undefined) noteHost(name, evidence, analysis);
  // Commands for the other machine say nothing of this one; what comes in goes out.
  if (remote.length > 0 && state.input.text === undefined && state.input.isLocal)
    send([state.input], true, evidence, call);
  analysis.report.sends = true;
  return FROM_NETWORK;
};

function runSshOptions(options: readonly Field[], evidence: string, { state, analysis }: Call): void {
  for (const option of options) {
    const match = /^(ProxyCommand|LocalCommand|KnownHostsCommand)\s*[= ]\s*(.*)$/is.exec(option.text ?? '');
    if (match === null) continue;
    addFinding(analysis.report, 'interpreter-exec', evidence);
    if (match[2] !== 'none') analysis.runText((match[2] ?? '').replaceAll(/%[hpr]/g, 'x'), state);
  }
}

/** Copies between machines. */
const remoteCopy: Handler = (call) => {
  const { args, name, command, state, analysis } = call;
  const evidence = showFields(command);
  const read = readArguments(args, {
    letters: name === 'rsync' ? 'efTBM' : 'cDFiJloPSX',
    names: [
      'rsh',
      'exclude',
      'include',
      'filter',
      'exclude-from',
      'files-from',
      'rsync-path',
      'log-file',
      'chmod',
      'out-format',
      'bwlimit',
      'max-size',
    ],
  });
  for (const { text } of optionValues(read, 'e', 'rsh', 'rsync-path', 'S'))
    if (text !== undefined && !/^ssh\b[^;|&$]*$/.test(text) && text !== 'rsync')
      analysis.runText(text, state);
  runSshOptions(optionValues(read, 'o'), evidence, call);
  const sources = read.operands.slice(0, -1);
  const target = read.operands.at(-1);
  const isTree = name === 'rsync' || hasOption(read, 'r');
  for (const place of read.operands) noteRemote(place, evidence, call);
  const contents = sources
    .filter((source) => !isRemotePlace(source))
    .map((source) => readFile(source, { evidence, isTree, isCopy: true }, state, analysis));
  if (target === undefined) return NOTHING;
  if (isRemotePlace(target)) {
    if (contents.length > 0) noteSending(concatenate(contents), evidence, analysis);
    return NOTHING;
  }
  if (
    read.options.some(({ name: option }) => /^(?:delete|del)/.test(option)) &&
    !hasOption(read, 'n', 'dry-run')
  )
    removeTargets([target], { evidence, isTree: true }, state, analysis);
  const comes = sources.some(isRemotePlace);
  writeFile(target, { evidence, content: comes ? FROM_NETWORK : contents[0] }, state, analysis);
  return NOTHING;
};

function isRemotePlace({ text, pattern }: Field): boolean {
  return (
    /^(?:[\w.-]+@)?(?:[\w.-]+|\[[0-9a-f:]+\]):|^rsync:\/\//i.test(text ?? pattern) &&
    !/^[.~/]/.test(text ?? pattern)
  );
}

function noteRemote(place: Field, evidence: string, { analysis }: Call): void {
  const host = isRemotePlace(place) ? hostOf((place.text ?? '').replace(/^rsync:\/\//, '')) : undefined;
  if (host !== undefined) noteHost(host, evidence, analysis);
}

/** Stores of clouds: `aws s3 cp a s3://b` and the like. */
const cloud: Handler = (call) => {
  const { args, name, command, state, analysis } = call;
  const evidence = showFields(command);
  const { operands } = readArguments(args, {
    names: ['profile', 'region', 'output', 'query', 'endpoint-url'],
  });
  const verb = operands.findIndex(({ text }) =>
    /^(?:cp|mv|sync|copy|move|rsync|put|upload|copyto)$/.test(text ?? ''),
  );
  if (verb === -1) return FROM_NETWORK;
  const places = operands.slice(verb + 1);
  const isStore = ({ text }: Field): boolean => /^(?:s3|gs|az|b2):\/\/|^[\w-]+:/.test(text ?? '');
  const target = places.at(-1);
  if (target !== undefined && (isStore(target) || name === 's3cmd')) {
    const contents = places
      .slice(0, -1)
      .map((source) =>
        source.text === '-'
          ? state.input
          : readFile(source, { evidence, isTree: true, isCopy: true }, state, analysis),
      );
    if (contents.length > 0) noteSending(concatenate(contents), evidence, analysis);
    return NOTHING;
  }
  if (target !== undefined && target.text !== '-')
    writeFile(target, { evidence, content: FROM_NETWORK }, state, analysis);
  return FROM_NETWORK;
};

const mail: Handler = (call) => {
  const { args, command, state } = call;
  const evidence = showFields(command);
  const attachments = optionValues(readArguments(args, { letters: 'aAsrcb' }), 'a', 'A').map((file) =>
    readFile(file, { evidence }, state, call.analysis),
  );
  send([...attachments, ...(state.input.text === undefined ? [state.input] : [])], true, evidence, call);
  return NOTHING;
};

export const NETWORK_PROGRAMS: readonly (readonly [string, Handler])[] = [
  ['curl', curl],
  ['wget', wget],
  ...[
    'wget2',
    'aria2c',
    'axel',
    'http',
    'https',
    'xh',
    'xhs',
    'fetch',
    'lynx',
    'w3m',
    'links',
    'elinks',
    'ftp',
    'tftp',
    'lwp-request',
    'GET',
    'telnet',
  ].map((name) => [name, fetcher] as const),
  ...['nc', 'ncat', 'netcat', 'nc.openbsd', 'nc.traditional'].map((name) => [name, netcat] as const),
  ['socat', socat],
  ['ssh', ssh],
  ['mosh', ssh],
  ['autossh', ssh],
  ['scp', remoteCopy],
  ['sftp', remoteCopy],
  ['rsync', remoteCopy],
  ...['aws', 'gsutil', 'gcloud', 'az', 'rclone', 's3cmd', 'mc'].map((name) => [name, cloud] as const),
  ...['mail', 'mailx', 'mutt', 'sendmail'].map((name) => [name, mail] as const),
];
