/** The bridge as a program. */
export { runBridge } from './run-bridge.ts';
export type { MakeBridge, MakeRecorder, ProgramParts, SessionRecorder } from './parts.ts';
