/** The bridge as a program. */
export { runBridge } from './run-bridge.ts';
export type { BridgeSettings, MakeBridge, MakeRecorder, ProgramParts, SessionRecorder } from './parts.ts';
