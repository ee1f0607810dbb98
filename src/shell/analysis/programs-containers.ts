import type { Call, Handler } from './analysis.ts';
import { PRINTED } from './content.ts';
import { holdsCredentials, isCredential } from './credentials.ts';
import { type Field, literalField, showFields } from './field.ts';
import { locate } from './locate-path.ts';
import { hasOption, optionValues, readArguments } from './read-arguments.ts';
import { addFinding } from './report.ts';

const RUN = {
  letters: 'vepwuhlmatc',
  names: (
    'volume mount env publish workdir user name network hostname label memory cpus entrypoint env-file platform restart add-host ' +
    'cap-add security-opt device tmpfs pull gpus ulimit file project-name context namespace container'
  ).split(' '),
  endsAtOperand: true,
};

/** Containers: what of this machine they are given counts, and that commands run in one that is already there. */
const container: Handler = (call) => {
  const { args, command, analysis } = call;
  const own = readArguments(args, {
    letters: 'HcfpnDl',
    names: ['host', 'context', 'config', 'file', 'project-name', 'namespace', 'kubeconfig', 'profile'],
    endsAtOperand: true,
  });
  const isCompose = own.operands[0]?.text === 'compose' || own.operands[0]?.text === 'container';
  const inner = isCompose
    ? readArguments(own.operands.slice(1), {
        letters: 'fp',
        names: ['file', 'project-name', 'profile'],
        endsAtOperand: true,
      }).operands
    : own.operands;
  const [verb, ...rest] = inner;
  if (verb?.text === 'exec' || verb?.text === 'attach')
    addFinding(analysis.report, 'remote', showFields(command));
  if (verb?.text === 'run' || verb?.text === 'create') mount(rest, call);
  return PRINTED;
};

function mount(args: readonly Field[], call: Call): void {
  const { command, analysis } = call;
  const read = readArguments(args, RUN);
  const evidence = showFields(command);
  if (hasOption(read, 'privileged')) addFinding(analysis.report, 'privilege', evidence);
  const volumes = optionValues(read, 'v', 'volume').map(({ text }) => text?.split(':', 1)[0]);
  const mounts = optionValues(read, 'mount').map(
    ({ text }) => /(?:^|,)(?:source|src)=([^,]*)/.exec(text ?? '')?.[1],
  );
  for (const source of [...volumes, ...mounts])
    if (source !== undefined && /^[./~]/.test(source)) noticeMount(source, evidence, call);
}

function noticeMount(source: string, evidence: string, { state, analysis }: Call): void {
  const { place, report } = analysis;
  const text = source === '~' || source.startsWith('~/') ? place.home + source.slice(1) : source;
  const path = locate(literalField(text), state.directory, place)?.path;
  if (path === undefined) return;
  if (path.endsWith('/docker.sock')) addFinding(report, 'privilege', evidence, [path]);
  if (path === '/' || path === '/etc' || isCredential(path, place) || holdsCredentials(path, place))
    addFinding(report, 'cred-expose', evidence, [path]);
}

export const CONTAINER_PROGRAMS: readonly (readonly [string, Handler])[] = [
  'docker',
  'podman',
  'nerdctl',
  'docker-compose',
  'podman-compose',
  'kubectl',
  'oc',
  'lxc',
  'machinectl',
].map((name) => [name, container] as const);
