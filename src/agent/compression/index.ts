export {
  type CompressionSettings,
  type CompressOptions,
  type Condensed,
  compress,
  isOverThreshold,
} from './compress.ts';
