import { dirname } from 'node:path';
import type { Tool, ToolOutcome } from '../../../gate/index.ts';
import { fail } from '../../../kernel/errors/index.ts';
import { getString, type JsonObject } from '../../../kernel/json/index.ts';
import type { ForeseenChange } from '../../../kernel/tool-call/index.ts';
import { textArgument } from '../arguments.ts';
import { defineTool } from '../define-tool.ts';
import { NEW_FILE_MODE, NEW_FOLDER_MODE, removeEmptyFolders } from '../files/commit-changes.ts';
import { diskFiles } from '../files/file-store.ts';
import { type WritableTarget, type WritingPorts, writableTarget } from '../files/writable-target.ts';
import { failed, succeeded } from '../outcomes.ts';

/**
 * `write_file`: the whole content of a file, in one step. Creates the folders above it, keeps the mode of a file that is
 * there, and writes to where a symbolic link leads. The result is JSON: `{path, bytes_written, created, dirs_created?}`.
 */
export function createWriteFileTool(ports: WritingPorts): Tool {
  return defineTool(
    {
      name: 'write_file',
      description:
        'Write a whole file, replacing what is in it. Creates missing folders. To change a part of a file use patch instead.',
      parameters: {
        type: 'object',
        properties: {
          path: {
            type: 'string',
            description: 'The file: absolute, relative to the working directory, or from ~/.',
          },
          content: { type: 'string', description: 'Everything the file is to contain.' },
        },
        required: ['path', 'content'],
      },
      effect: 'write',
      idempotent: true,
      pathArguments: ['path'],
      foresee: ({ args, cwd }) => Promise.resolve(foreseeWhole(args, cwd, ports)),
    },
    async ({ call }) => {
      const { files = diskFiles, home } = ports;
      const content = textArgument(call.args, 'content');
      return files.exclusively(async () => {
        const target = writableTarget(textArgument(call.args, 'path'), { cwd: call.cwd, home }, ports);
        return target.ok ? writeWhole(target.value, content) : failed(target);
      });
    },
  );
}

function foreseeWhole(args: JsonObject, cwd: string, ports: WritingPorts): readonly ForeseenChange[] {
  const [path, content] = [getString(args, 'path'), getString(args, 'content')];
  if (path === undefined || content === undefined) return [];
  const target = writableTarget(path, { cwd, home: ports.home }, ports);
  return target.ok ? [{ path: target.value.realPath, after: { content } }] : [];
}

async function writeWhole({ shown, realPath, files }: WritableTarget, content: string): Promise<ToolOutcome> {
  const existing = await files.stat(realPath);
  if (!existing.ok) return failed(existing);
  if (existing.value?.kind === 'directory') {
    return failed(fail('not_a_file', `${shown} is a folder.`, 'Name a file in it.'));
  }
  const folders = await files.makeDirectory(dirname(realPath), { mode: NEW_FOLDER_MODE });
  if (!folders.ok) return failed(folders);
  const written = await files.write(realPath, content, { mode: NEW_FILE_MODE, keepMode: true });
  if (!written.ok) {
    await removeEmptyFolders(folders.value, files);
    return failed(written);
  }
  return succeeded(
    JSON.stringify({
      path: shown,
      bytes_written: Buffer.byteLength(content),
      created: written.value.isNew,
      ...(folders.value.length > 0 ? { dirs_created: folders.value.length } : {}),
      ...(content.isWellFormed() ? {} : { warning: 'lone surrogates in content were written as U+FFFD' }),
    }),
  );
}
