export { type CommandFootprint, footprintOf } from './footprint/footprint-of.ts';
