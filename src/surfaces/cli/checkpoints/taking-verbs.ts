import { resolve } from 'node:path';
import { fail } from '../../../kernel/errors/index.ts';
import { displayPath } from '../../../platform/paths/index.ts';
import { EXIT } from '../exit-code.ts';
import { optionalArgument, textOption } from '../inputs.ts';
import type { CheckpointOpener, OpenCheckpoints } from '../rollback/open-checkpoints.ts';
import {
  chosenDirectory,
  directory,
  readFlags,
  restoreOptions,
  undoOptions,
} from '../rollback/rollback-inputs.ts';
import { performRollback } from '../rollback/run-rollback.ts';
import { shortId } from '../rollback/short-ids.ts';
import { counted } from '../rollback/text-style.ts';
import { working } from '../rollback/working.ts';
import type { Verb, VerbContext } from '../verb.ts';
import { checkpoint, files } from './checkpoint-inputs.ts';
import { opened } from './opened.ts';

const RESTORE_REMEDY = 'herma checkpoints restore ID; `herma rollback` lists the checkpoints of this project';

const optionalCheckpoint = optionalArgument('id', 'the checkpoint; left out with --call', {
  completion: 'checkpoint-ids',
});
const folder = optionalArgument('folder', 'in the project; the current one when left out', {
  completion: 'folders',
});
const message = textOption('-m, --message <reason>', 'what the list says of it');

/** Subcommands that take, restore and delete one checkpoint. */
export function takingVerbs(open: CheckpointOpener): readonly Verb[] {
  return [takeVerb(open), restoreVerb(open), undoVerb(open), dropVerb(open)];
}

function takeVerb(open: CheckpointOpener): Verb {
  return {
    name: 'take',
    summary: 'take a checkpoint now, also when checkpoints are off',
    example: 'herma checkpoints take -m "before the upgrade"',
    arguments: [folder],
    options: [message],
    run: opened(open, runTake),
  };
}

function restoreVerb(open: CheckpointOpener): Verb {
  return {
    name: 'restore',
    summary: 'restore everything or some files, as `herma rollback` does',
    example: 'herma checkpoints restore 1 src/main.ts',
    arguments: [optionalCheckpoint, files],
    options: restoreOptions,
    run: async (context) => {
      const ref = context.get(optionalCheckpoint);
      const isNamed = ref === undefined ? readFlags(context).call !== undefined : !/^(diff|undo)$/.test(ref);
      if (!isNamed) return context.fail(fail('usage', 'restore needs a checkpoint', RESTORE_REMEDY));
      return performRollback(context, ref === undefined ? [] : [ref, ...context.get(files)], open);
    },
  };
}

function undoVerb(open: CheckpointOpener): Verb {
  return {
    name: 'undo',
    summary: 'take the last restore back',
    example: 'herma checkpoints undo',
    options: undoOptions,
    run: (context) => performRollback(context, ['undo'], open),
  };
}

function dropVerb(open: CheckpointOpener): Verb {
  return {
    name: 'drop',
    summary: 'delete one checkpoint',
    example: 'herma checkpoints drop 4270a8c',
    arguments: [checkpoint],
    options: [directory],
    run: opened(open, runDrop),
  };
}

async function runTake(context: VerbContext, { store }: OpenCheckpoints): ReturnType<CheckpointOpener> {
  const given = context.get(folder);
  const where = given?.startsWith('/') === true ? given : resolve(context.workingDirectory(), given ?? '.');
  const taken = await working(context, 'reading the project', () =>
    store.take(where, context.get(message) ?? 'taken by hand'),
  );
  if (!taken.ok) return context.fail(taken);
  const { id, root, files: count, holes } = taken.value;
  if (context.json) context.printJson({ id, root, files: count, holes });
  else {
    const missing = holes === 0 ? '' : `, ${counted(holes, 'path')} not captured`;
    context.print(`${shortId(id)}  ${displayPath(root)}  (${counted(count, 'file')}${missing})`);
  }
  return EXIT.done;
}

async function runDrop(context: VerbContext, { store }: OpenCheckpoints): ReturnType<CheckpointOpener> {
  const dropped = await store.drop(chosenDirectory(context), context.get(checkpoint));
  if (!dropped.ok) {
    const code = context.fail(dropped);
    return dropped.code === 'no_checkpoints' ? EXIT.nothing : code;
  }
  if (context.json) context.printJson({ id: dropped.value.id });
  else context.print(`dropped ${shortId(dropped.value.id)}`);
  return EXIT.done;
}
