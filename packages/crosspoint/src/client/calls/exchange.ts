import type { JsonObject } from '../../jsonrpc/message.ts';
import { isProtocolError } from '../../protocol/errors.ts';
import type { Facts, Outcome } from '../../protocol/outcome.ts';
import type { CallToolParams } from '../../protocol/tools.ts';
import type { Message } from '../answering/handlers.ts';
import type { TransportClient } from '../client.ts';
import { engineOf, type Engine } from '../engine.ts';
import type { CallToolOptions, RequestOptions } from './request-options.ts';

interface ExchangeOptions extends RequestOptions, Pick<CallToolOptions, 'toolDefinition' | 'idempotencyKey'> {
  /**
   * Who makes this request, in place of the client's own name, capabilities or log level: for the requests of others. Has no effect after a handshake, which
   * says it once for all requests.
   */
  facts?: Partial<Facts> | undefined;
}

/**
 * Sends one request and resolves with the server's answer as it is: a result, questions (`input-required`), or a task. For programs that pass answers
 * on, such as bridges: questions are not answered, tasks not waited for, results neither cached nor checked. Headers that repeat arguments are made from
 * the tool's definition: `toolDefinition`, or the one last listed. The answers to questions go back with `retry`, in another exchange.
 *
 * ```ts
 * const outcome = await exchange(client, { method: 'tools/call', params: { name: 'interview' } });
 * if (outcome.kind === 'input-required') console.log(Object.keys(outcome.asks), outcome.state);
 * ```
 */
export function exchange(
  client: TransportClient,
  { method, params = {} }: Message<object>,
  options?: ExchangeOptions,
): Promise<Outcome> {
  const engine = engineOf(client);
  if (method === 'tools/call') return exchangeTool(engine, params as CallToolParams, options);
  const exchanged = engine.calls.exchange(method, params as JsonObject, { options, facts: factsOf(engine, options) });
  return method === 'tools/list'
    ? exchanged.then((outcome) => learn(engine, outcome, params as JsonObject))
    : exchanged;
}

/** Keeps the definitions of a listed page, from which the headers of later calls are made. */
function learn({ tools }: Engine, outcome: Outcome, { cursor }: JsonObject): Outcome {
  if (outcome.kind === 'complete') tools.learn(outcome.result, cursor === undefined);
  return outcome;
}

/** Facts that name everything are used as they are: the same object, sent again, has its envelope already. */
function factsOf({ facts }: Engine, options: ExchangeOptions | undefined): Facts | undefined {
  const given = options?.facts;
  if (given === undefined || ('client' in given && 'capabilities' in given && 'logLevel' in given))
    return given as Facts | undefined;
  return { ...facts, ...given };
}

async function exchangeTool(
  engine: Engine,
  params: CallToolParams,
  options: ExchangeOptions | undefined,
): Promise<Outcome> {
  const { calls, tools } = engine;
  const send = (): Promise<Outcome> => {
    // Member by member: a member after a spread is slow, and made this function 3 % of a bridged call.
    const { tool, headers, idempotencyKey } = tools.details(params, options);
    const facts = factsOf(engine, options);
    return calls.exchange('tools/call', { ...params }, { options, tool, headers, idempotencyKey, facts });
  };
  try {
    return await send();
  } catch (error) {
    if (!isProtocolError(error) || error.kind !== 'header-mismatch' || options?.toolDefinition) throw error;
    // Refused before anything ran: the headers were made from an outdated definition, or from none.
    await tools.list(undefined, { cacheMode: 'refresh', signal: options?.signal });
    return send();
  }
}
