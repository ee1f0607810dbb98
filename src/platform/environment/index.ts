export { credentialFreeEnvironment, credentialNames } from './credential-free-environment.ts';
export { nodeVersion, platformName } from './machine.ts';
export { type Environment, freezeVariables, readEnvironment } from './read-environment.ts';
export { colourEnabled, isTerminal, type MaybeTerminal } from './terminal.ts';
