export { ManualClock } from './manual-clock.ts';
export { Recorder } from './recorder.ts';
export type { RecorderOptions } from './recorder.ts';
