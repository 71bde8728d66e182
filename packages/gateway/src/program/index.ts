/** The bridge as a program. */
export { serveBridge, type MakeBridge, type ServeBridgeOptions } from './serve-bridge.ts';
export type {
  AddressTarget,
  BridgeCommand,
  FaceAuthentication,
  HttpFace,
  ListenAddress,
  LogLevel,
  ProgramTarget,
  Source,
  StdioFace,
  StoreChoice,
} from './bridge-command.ts';
export { ProgramError } from './program-error.ts';
/** Secrets that a command line only names. */
export { SourceReader } from './source-reader.ts';
export { isSecretName, readHeaders, readVariables, secretSource } from './sources.ts';
export { UsageError } from './usage-error.ts';
