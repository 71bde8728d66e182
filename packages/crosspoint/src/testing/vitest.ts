// The import makes TypeScript find the module that is extended below; nothing of it is left at run time.
// oxlint-disable-next-line unicorn/require-module-specifiers, import/no-empty-named-blocks
import type {} from 'vitest';
import type { FaultKind } from '../protocol/errors.ts';
import type { TranscriptExpectation } from './transcript.ts';

export { mcpMatchers } from './matchers.ts';

/** The matchers that `expect.extend(mcpMatchers)` adds. */
export interface McpMatchers<R = unknown> {
  /** Expects a tool result with `isError`, and its text. */
  toBeToolError(text?: string | RegExp): R;
  /** Expects text in the result of a tool, a prompt or a resource: a string must be part of it, a pattern must match in it. */
  toHaveText(text: string | RegExp): R;
  /** Expects structured content with at least these members. */
  toHaveStructured(pattern: unknown): R;
  /** Expects a `ProtocolError`, as calls reject with it: `await expect(call).rejects.toBeProtocolError('invalid-params')`. */
  toBeProtocolError(kind?: FaultKind, text?: string | RegExp): R;
  /** Expects the messages of a recorder, one by one. */
  toMatchTranscript(expected: readonly TranscriptExpectation[]): R;
}

declare module 'vitest' {
  // The type parameter must be the one that vitest declares.
  // oxlint-disable-next-line typescript/no-explicit-any
  interface Matchers<T = any> extends McpMatchers<T> {}
}
