export { connectLinked, type Linked, type LinkedOptions } from './linked.ts';
export { conformanceRules, expectConformant } from './conformance/expect-conformant.ts';
export { ConformanceError, type ConformanceReport } from './conformance/report.ts';
export { ManualClock } from './manual-clock.ts';
export { some } from './placeholder.ts';
export { Recorder } from './recorder.ts';
export { answer, ScriptError } from './scripted-answers.ts';
export { matchTranscript } from './transcript.ts';
export { InMemoryTransport } from '../transports/memory/in-memory-transport.ts';
