import type { JsonObject } from '../../jsonrpc/message.ts';
import { InputRequired } from '../asking/input-required.ts';
import type { ServerContext } from '../calls/context.ts';
import { completed, type HandledRequest } from '../calls/handler.ts';
import { operationOf } from '../calls/middleware.ts';
import type { ServerCore } from '../core.ts';

/** Runs the middleware of a mounted server around a request that another server carries out with its handlers. A suspension is thrown. */
export async function withOwnMiddleware(
  { chain }: ServerCore,
  ctx: ServerContext,
  request: HandledRequest,
  last: (params: JsonObject) => JsonObject | Promise<JsonObject>,
): Promise<JsonObject> {
  if (chain === undefined) return last(request.params);
  let asked: InputRequired | undefined;
  const outcome = await chain.run({ ...operationOf(ctx), ...request }, async (params) => {
    const result: unknown = await last(params);
    if (!(result instanceof InputRequired)) return completed(result as JsonObject);
    asked = result;
    return { kind: 'input-required', asks: result.asks };
  });
  return outcome.kind === 'complete' ? outcome.result : (asked as object as JsonObject);
}
