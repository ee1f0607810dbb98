import { approveHook } from '../hooks/approve-hook.ts';
import { diagnoseHooks } from '../hooks/diagnose-hooks.ts';
import { listHooks } from '../hooks/list-hooks.ts';
import { readEvent, withHooks } from '../hooks/open-hooks.ts';
import { revokeHook } from '../hooks/revoke-hook.ts';
import { testHooks } from '../hooks/test-hooks.ts';
import { textArgument, textOption } from '../inputs.ts';
import type { Verb } from '../verb.ts';

const event = textArgument('event', 'the event, such as pre_tool_call', { completion: 'hook-events' });
const command = textArgument('command', 'the command, exactly as it is configured, in quotes', {
  completion: 'hook-commands',
});
const forTool = textOption('--for-tool <name>', 'as if this tool was called; applies the matchers');
const payloadFile = textOption('--payload-file <file>', 'fields of the event, as a JSON object', {
  completion: 'files',
});

const list: Verb = {
  name: 'list',
  summary: 'list the configured hooks, whether they may run, and where they are live',
  example: 'herma hooks list',
  run: async (context) => withHooks(context, async (hooks) => listHooks(context, hooks)),
};

const test: Verb = {
  name: 'test',
  summary: 'run the hooks of an event on a made-up payload',
  details:
    'Runs scripts that are not approved too: a passing test is no consent. Prints what the scripts read, what they answered, and what the gate would do. In the file, the arguments of the call may be called args or tool_input. Exit code 1 when a hook blocks, 2 when one does not work.',
  example: 'herma hooks test pre_tool_call --for-tool terminal',
  arguments: [event],
  options: [forTool, payloadFile],
  run: async (context) => {
    const known = readEvent(context.get(event));
    if (!known.ok) return context.fail(known);
    const choice = {
      event: known.value,
      tool: context.get(forTool),
      payloadFile: context.get(payloadFile),
    };
    return withHooks(context, async (hooks) => testHooks(context, hooks, choice));
  },
};

const approve: Verb = {
  name: 'approve',
  summary: 'let a hook run, as its script is now',
  details:
    'Shows the script and asks; -y does not ask. Not possible in the shell of an agent. Exit code 1 when the answer is no.',
  example: "herma hooks approve pre_tool_call '~/hooks/guard.sh'",
  arguments: [event, command],
  run: async (context) => {
    const known = readEvent(context.get(event));
    if (!known.ok) return context.fail(known);
    const choice = { event: known.value, command: context.get(command) };
    return withHooks(context, async (hooks) => approveHook(context, hooks, choice));
  },
};

const revoke: Verb = {
  name: 'revoke',
  summary: 'take back the consent to a command, at once',
  details: 'For all its events. Not possible in the shell of an agent.',
  example: "herma hooks revoke '~/hooks/guard.sh'",
  arguments: [command],
  run: async (context) =>
    withHooks(context, async (hooks) => revokeHook(context, hooks, context.get(command))),
};

const doctor: Verb = {
  name: 'doctor',
  summary: 'check that the hooks are there, approved, unchanged and work',
  details:
    'Tries approved scripts on a made-up payload, and never runs others. Asks running agents which hooks they have. Exit code 1 when there is something to mend.',
  example: 'herma hooks doctor',
  run: async (context) => withHooks(context, async (hooks) => diagnoseHooks(context, hooks)),
};

export const verb: Verb = {
  name: 'hooks',
  summary: 'see, try, approve and check the scripts that are asked about calls',
  example: 'herma hooks doctor',
  subcommands: [
    list,
    test,
    approve,
    revoke,
    doctor,
    alias(list, 'ls'),
    alias(revoke, 'remove'),
    alias(revoke, 'rm'),
  ],
};

/** The same command under a name that Hermes Agent has for it. */
function alias(verbOf: Verb, name: string): Verb {
  const example = verbOf.example.replace(`hooks ${verbOf.name}`, `hooks ${name}`);
  return { ...verbOf, name, example, isHidden: true };
}
