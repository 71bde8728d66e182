/** The bridge as a program. */
export { runBridge, type MakeBridge } from './run-bridge.ts';
/** Parts of it for other programs: secrets that a command line only names. */
export type { Source } from './bridge-command.ts';
export { ProgramError } from './program-error.ts';
export { SourceReader } from './source-reader.ts';
export { readHeaders, readVariables } from './sources.ts';
export { UsageError } from './usage-error.ts';
