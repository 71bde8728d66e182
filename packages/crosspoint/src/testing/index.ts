export { connectLinked, type Connectable, type Linked, type LinkedOptions } from './linked.ts';
export { ManualClock } from './manual-clock.ts';
export { Recorder } from './recorder.ts';
export type { RecorderOptions } from './recorder.ts';
export { InMemoryTransport, type InMemoryOptions } from '../transports/memory/in-memory-transport.ts';
