export { logCalls, type CallRecord } from './log-calls.ts';
export type { Middleware, Next, Operation } from '../protocol/operation.ts';
export type { Outcome } from '../protocol/outcome.ts';
export { redact } from '../protocol/redaction/redact.ts';
