export { connectLinked, type Connectable, type Linked, type LinkedOptions } from './linked.ts';
export {
  conformanceRules,
  expectConformant,
  type ConformanceOptions,
  type ConformanceSubject,
} from './conformance/expect-conformant.ts';
export { ConformanceError, type CheckOutcome, type ConformanceReport } from './conformance/report.ts';
export { ManualClock } from './manual-clock.ts';
export { describeMismatch, matchValue, type Matched, type Mismatch } from './match-value.ts';
export { Placeholder, some } from './placeholder.ts';
export { Recorder } from './recorder.ts';
export type { RecorderOptions } from './recorder.ts';
export { answer, ScriptedAnswers, ScriptError, type AskedQuestion, type ScriptedAnswer } from './scripted-answers.ts';
export {
  matchTranscript,
  type TranscriptExpectation,
  type TranscriptMatch,
  type TranscriptSource,
} from './transcript.ts';
export { InMemoryTransport, type InMemoryOptions } from '../transports/memory/in-memory-transport.ts';
