export { HeldFolder } from './held-folder.ts';
export { RawReader, RawWriter } from './open-file.ts';
export {
  type CreateOptions,
  chmodRaw,
  createRawFile,
  ensureRawFolder,
  linkRaw,
  makeRawFolder,
  type RawContent,
  type RawEntry,
  type RawKind,
  type RawStat,
  rawContent,
  rawEntries,
  rawKindOf,
  rawLink,
  rawNames,
  rawStat,
  removeRawFolder,
  renameRaw,
  symlinkRaw,
  syncRawFolder,
  touchRaw,
  unlinkRaw,
} from './raw-files.ts';
export { hasReliableTimes, readSteady, type SteadyRead } from './read-steady.ts';
