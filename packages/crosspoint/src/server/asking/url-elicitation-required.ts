import { isJsonObject } from '../../jsonrpc/message.ts';
import type { ElicitUrlParams } from '../../protocol/elicitation.ts';
import { ProtocolError, isProtocolError } from '../../protocol/errors.ts';
import type { Ask } from '../../protocol/outcome.ts';
import type { ServerContext } from '../context.ts';
import { InputRequired } from './input-required.ts';

/**
 * Thrown by a handler that cannot go on before the user has been to these pages. A handshake client is told so by an error and calls again
 * when they are done; a stateless client is asked to open them, and its call then runs again.
 */
export class UrlElicitationRequiredError extends ProtocolError {
  override readonly name: string = 'ProtocolError';
  readonly elicitations: readonly ElicitUrlParams[];

  constructor(elicitations: readonly Omit<ElicitUrlParams, 'mode'>[], message = 'The user must open a page first.') {
    if (elicitations.length === 0) throw new TypeError('UrlElicitationRequiredError needs at least one elicitation.');
    const whole = elicitations.map((params): ElicitUrlParams => {
      if (typeof params.message !== 'string' || !URL.canParse(params.url))
        throw new TypeError('An elicitation by URL needs a message and a valid url.');
      return { mode: 'url', elicitationId: crypto.randomUUID(), ...params };
    });
    super('url-elicitation-required', message, { elicitations: whole });
    this.elicitations = whole;
  }
}

/** The same as questions, for the family that has no such error. */
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
