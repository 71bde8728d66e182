export { logCalls, type CallRecord, type LogCallsOptions } from './log-calls.ts';
export type { Carrier, ConnectionFacts, Middleware, Next, Operation } from '../protocol/operation.ts';
export type { Outcome } from '../protocol/outcome.ts';
