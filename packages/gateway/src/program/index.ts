/** The bridge as a program. */
export { runBridge, type MakeBridge } from './run-bridge.ts';
