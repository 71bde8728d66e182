import type { CompleteResult, GetPromptResult, ReadResourceResult } from 'crosspoint/client';
import { CliError } from '../../errors/cli-error.ts';

type Values = Readonly<Record<string, unknown>>;

/** The result of reading, if it has the form of the specification. */
export function checkedRead(result: ReadResourceResult): ReadResourceResult {
  const isFine = areAll(
    result.contents,
    ({ uri, text, blob }) => typeof uri === 'string' && (typeof text === 'string' || typeof blob === 'string'),
  );
  if (!isFine) throw broken('resources/read', 'contents with an address and a text or bytes');
  return result;
}

export function checkedPrompt(result: GetPromptResult): GetPromptResult {
  const isFine = areAll(result.messages, ({ role, content }) => {
    if (typeof role !== 'string' || !isObject(content)) return false;
    return content['type'] !== 'text' || typeof content['text'] === 'string';
  });
  if (!isFine) throw broken('prompts/get', 'messages with a role and a content');
  return result;
}

export function checkedCompletion(result: CompleteResult): CompleteResult {
  const completion: unknown = result.completion;
  const values = isObject(completion) ? completion['values'] : undefined;
  if (!Array.isArray(values) || !values.every((value) => typeof value === 'string'))
    throw broken('completion/complete', 'values that are texts');
  return result;
}

function areAll(items: unknown, isFine: (item: Values) => boolean): boolean {
  return Array.isArray(items) && items.every((item: unknown) => isObject(item) && isFine(item));
}

function isObject(value: unknown): value is Values {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function broken(method: string, wanted: string): CliError {
  return new CliError('invalid', `The answer of the server to ${method} must have ${wanted}, and has not.`);
}
