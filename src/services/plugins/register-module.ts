import { pathToFileURL } from 'node:url';
import { isFunction, memberOf, type UnknownFunction } from './member-of.ts';
import { type ContextParts, createPluginContext } from './plugin-context.ts';
import type { RegistrationRecorder } from './registration-recorder.ts';

/**
 * Imports the module of a plugin and lets it register. What it registered stands in the recorder, also when this rejects:
 * for a module that cannot be loaded or exports no `register`, and for a `register` that throws.
 *
 * @param entry absolute path of the module.
 */
export async function registerModule(
  entry: string,
  parts: ContextParts,
  recorder: RegistrationRecorder,
): Promise<void> {
  const register = await importRegister(entry);
  try {
    await register(createPluginContext(parts, recorder.registrar()));
  } finally {
    recorder.end();
  }
}

async function importRegister(entry: string): Promise<UnknownFunction> {
  const module: unknown = await import(pathToFileURL(entry).href);
  const byDefault = memberOf(module, 'default');
  // A CommonJS module may show its exports under `default` only.
  const candidates = [memberOf(module, 'register'), memberOf(byDefault, 'register'), byDefault];
  const register = candidates.find(isFunction);
  if (register === undefined) throw new Error('its module exports no function "register"');
  return register;
}
