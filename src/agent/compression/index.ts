export { type CompressionSettings, compress, isOverThreshold } from './compress.ts';
