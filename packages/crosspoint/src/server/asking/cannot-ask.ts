import { ProtocolError, isProtocolError } from '../../protocol/errors.ts';
import type { Ask } from '../../protocol/outcome.ts';
import { noWords } from '../../revisions/faults.ts';
import type { ServerContext } from '../calls/context.ts';
import { prepareAsk } from './questions.ts';

/**
 * Why the client of a request cannot be asked a question: its revision has no words for it, the method of the request may not ask, or the client has not
 * declared it. `undefined` when it can be asked. For handlers that pass on the questions of others, and have to tell them.
 *
 * ```ts
 * const fault = cannotAsk(ctx, { method: 'sampling/createMessage', params });
 * if (fault) throw fault;
 * ```
 */
export function cannotAsk(ctx: ServerContext, ask: Ask): ProtocolError | undefined {
  const { call, family, inbound, revision } = ctx;
  // A task asks by itself, whatever its request was.
  const mayAsk =
    family === 'handshake' ||
    call.edge.openAsker !== undefined ||
    revision.methods.get(inbound.method)?.mayAsk === true;
  if (!mayAsk)
    return new ProtocolError(
      'cannot-ask',
      `${inbound.method} cannot ask the client anything in this protocol revision.`,
    );
  try {
    const words = revision.writeAsk(prepareAsk(ctx, ask, true));
    return words === undefined ? noWords(`This ${ask.method}`, revision) : undefined;
  } catch (error) {
    if (isProtocolError(error)) return error;
    throw error;
  }
}
