import { isJsonObject } from '../../jsonrpc/message.ts';
import { isProtocolError } from '../../protocol/errors.ts';
import type { Ask } from '../../protocol/outcome.ts';
import type { ServerContext } from '../calls/context.ts';
import { InputRequired } from './input-required.ts';

/** The pages of the error as questions, for the family that has no such error. */
export function urlsRequired({ family }: ServerContext, error: unknown): InputRequired | undefined {
  if (family !== 'per-request' || !isProtocolError(error) || error.kind !== 'url-elicitation-required')
    return undefined;
  const elicitations: unknown = isJsonObject(error.data) ? error.data['elicitations'] : undefined;
  if (!Array.isArray(elicitations) || elicitations.length === 0 || !elicitations.every(isJsonObject)) return undefined;
  const asks = elicitations.map((params, index): [string, Ask] => [
    `url${index === 0 ? '' : index + 1}`,
    { method: 'elicitation/create', params: { ...params, mode: 'url' } },
  ]);
  return new InputRequired(Object.fromEntries(asks), undefined);
}
