import { isJsonObject, type JsonObject } from '../jsonrpc/message.ts';
import { isProtocolError, type FaultKind } from '../protocol/errors.ts';
import { describeMismatch, matchValue, show } from './match-value.ts';
import { matchTranscript, type TranscriptExpectation, type TranscriptSource } from './transcript.ts';

/** The result of a matcher, for `expect.extend`. */
export interface MatcherResult {
  readonly pass: boolean;
  readonly message: () => string;
}

/** Matchers for `expect.extend(mcpMatchers)`, in any test runner that has it. */
export const mcpMatchers: {
  toBeToolError(received: unknown, text?: string | RegExp): MatcherResult;
  toHaveText(received: unknown, text: string | RegExp): MatcherResult;
  toHaveStructured(received: unknown, pattern: unknown): MatcherResult;
  toBeProtocolError(received: unknown, kind?: FaultKind, text?: string | RegExp): MatcherResult;
  toMatchTranscript(received: TranscriptSource, expected: readonly TranscriptExpectation[]): MatcherResult;
} = {
  /** Expects a tool result with `isError`, and its text. */
  toBeToolError(received, text) {
    const isError = isJsonObject(received) && received['isError'] === true;
    const found = resultText(received);
    const wanted = `a tool error${text === undefined ? '' : ` that says ${shown(text)}`}`;
    return verdict(isError && (text === undefined || says(found, text)), wanted, received);
  },

  /** Expects text in the result of a tool, a prompt or a resource: a string must be part of it, a pattern must match in it. */
  toHaveText(received, text) {
    return verdict(says(resultText(received), text), `a text with ${shown(text)}`, received);
  },

  /** Expects structured content with at least these members. */
  toHaveStructured(received, pattern) {
    const structured = isJsonObject(received) ? received['structuredContent'] : undefined;
    const matched = matchValue(pattern, structured);
    return {
      pass: matched.ok,
      message: () =>
        matched.ok
          ? `Expected structured content other than ${show(pattern)}.`
          : `Expected structured content ${show(pattern)}:\n  ${describeMismatch(matched.mismatch)}`,
    };
  },

  /** Expects a `ProtocolError`, as calls reject with it. */
  toBeProtocolError(received, kind, text) {
    const isKind = isProtocolError(received) && (kind === undefined || received.kind === kind);
    const wanted = `a ProtocolError${kind === undefined ? '' : ` of kind "${kind}"`}${text === undefined ? '' : ` that says ${shown(text)}`}`;
    return verdict(isKind && (text === undefined || says(received.message, text)), wanted, received);
  },

  /** Expects the messages of a recorder, one by one. */
  toMatchTranscript(received, expected) {
    const matched = matchTranscript(received, expected);
    return {
      pass: matched.ok,
      message: () => (matched.ok ? 'The transcript matches, and should not.' : matched.message),
    };
  },
};

const shown = (text: string | RegExp): string => (typeof text === 'string' ? `“${text}”` : String(text));
const says = (found: string, text: string | RegExp): boolean =>
  typeof text === 'string' ? found.includes(text) : found.search(text) !== -1;

function verdict(pass: boolean, wanted: string, received: unknown): MatcherResult {
  const got =
    received instanceof Error
      ? `${received.name}${isProtocolError(received) ? ` of kind "${received.kind}"` : ''}: ${received.message}`
      : show(received);
  return { pass, message: () => `Expected ${pass ? 'anything but ' : ''}${wanted}, got ${got}` };
}

/** All texts of a result, one per line. */
function resultText(result: unknown): string {
  if (!isJsonObject(result)) return '';
  const { content, contents, messages } = result;
  const blocks = [
    ...list(content),
    ...list(contents),
    ...list(messages).flatMap((message) => message['content'] as JsonObject),
  ];
  return blocks
    .flatMap((block) => (isJsonObject(block) && typeof block['text'] === 'string' ? block['text'] : []))
    .join('\n');
}

const list = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.filter(isJsonObject) : []);
