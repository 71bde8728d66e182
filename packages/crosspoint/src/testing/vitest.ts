// A module is found for an addition only where it is imported; nothing of this is left at run time.
// oxlint-disable-next-line unicorn/require-module-specifiers, import/no-empty-named-blocks
import type {} from 'vitest';
import type { FaultKind } from '../protocol/errors.ts';
import type { TranscriptExpectation } from './transcript.ts';

export { mcpMatchers, type MatcherResult } from './matchers.ts';

/** What `expect.extend(mcpMatchers)` adds. */
export interface McpMatchers<R = unknown> {
  /** The result of a tool that failed, and what it told the model. */
  toBeToolError(text?: string | RegExp): R;
  /** Text in what a tool, a prompt or a resource gave: a string is part of it, a pattern finds something in it. */
  toHaveText(text: string | RegExp): R;
  /** Structured content that has at least this. */
  toHaveStructured(pattern: unknown): R;
  /** An error of the protocol, as calls reject with it: `await expect(call).rejects.toBeProtocolError('invalid-params')`. */
  toBeProtocolError(kind?: FaultKind, text?: string | RegExp): R;
  /** What a recorder saw, message by message. */
  toMatchTranscript(expected: readonly TranscriptExpectation[]): R;
}

declare module 'vitest' {
  // The type parameter must be the one that vitest declares.
  // oxlint-disable-next-line typescript/no-explicit-any
  interface Matchers<T = any> extends McpMatchers<T> {}
}
