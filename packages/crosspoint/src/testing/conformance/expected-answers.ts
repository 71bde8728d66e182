import type { JsonObject } from '../../jsonrpc/message.ts';
import { show } from '../match-value.ts';
import type { Answer } from './probe.ts';
import { Broken } from './rule.ts';

/** Throws `Broken` unless the answer is an error with this code. `what` begins the sentence: "an unknown tool". */
export function ensureError(answer: Answer, code: number | readonly number[], what: string): void {
  const codes = typeof code === 'number' ? [code] : code;
  if (answer.kind === 'error' && codes.includes(answer.error.code)) return;
  const got =
    answer.kind === 'error'
      ? `the error ${answer.error.code}, ${show(answer.error.message)}`
      : `a result, ${show(answer.result)}`;
  throw new Broken(`${what} was answered with ${got} instead of the error ${codes.join(' or ')}`);
}

export function ensureResult(answer: Answer, what: string): JsonObject {
  if (answer.kind === 'result') return answer.result;
  throw new Broken(`${what} was answered with the error ${answer.error.code}, ${show(answer.error.message)}`);
}
