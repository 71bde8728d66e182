import type { Client } from 'crosspoint/client';
import type { Caller, ServerSource } from 'crosspoint/server';
import type { CallerClient } from './caller-client.ts';
import { CallerClients } from './caller-clients.ts';
import { relayCall } from './relay-call.ts';

/** Options of a source that is the server of a client. */
export interface FromClientOptions {
  /** Most clients at a time. 100 when absent; then a request is refused until one of them is unused. */
  readonly atMost?: number;
  /** Milliseconds that a client without a call stays connected. Five minutes when absent. */
  readonly idleMs?: number;
  /** The group of a caller that is told when its lists change, as `byCaller` of the server names it. Its principal when absent. */
  readonly groupOf?: (caller: Caller) => string | undefined;
  /** Called with problems that ended no request. */
  readonly onproblem?: (problem: Error) => void;
}

type Change = Parameters<Parameters<NonNullable<ServerSource['watch']>>[0]>[0];

/** Reports a problem to the program, whose own failure is dropped. */
function report(listener: FromClientOptions['onproblem'], problem: unknown): void {
  try {
    const told: unknown = listener?.(problem instanceof Error ? problem : new Error(String(problem)));
    Promise.resolve(told).catch(() => {});
  } catch {
    // An error of the listener itself is dropped.
  }
}

/**
 * A source whose offers are those of another server, to be mounted: one client for each caller, which `connectFor` makes and connects. Callers are told apart
 * by their principal, or by their session without one. Clients are closed when unused, and when the source is unmounted.
 *
 * ```ts
 * const github = fromClient(async ({ principal, capabilities }) => {
 *   const client = new Client({ name: 'office', version: '1.0.0' }, { capabilities, relayed: true });
 *   await client.connect('https://mcp.example.com/mcp', { authProvider: loginOf(principal) });
 *   return client;
 * });
 * await mount(server, 'github', github);
 * ```
 */
export function fromClient(
  connectFor: (caller: Caller) => Client | Promise<Client>,
  options: FromClientOptions = {},
): ServerSource {
  const { atMost = 100, idleMs = 300_000, groupOf = ({ principal }) => principal } = options;
  const onproblem = (problem: unknown): void => report(options.onproblem, problem);
  const clients = new CallerClients(connectFor, { atMost, idleMs }, onproblem);
  const listeners = new Set<(change: Change) => void>();
  const follow = async (client: CallerClient, caller: Caller): Promise<void> => {
    const group = groupOf(caller);
    if (group !== undefined && typeof group !== 'string')
      throw new TypeError('groupOf must return a text, or undefined for a caller in no group.');
    await client.watch((change) => {
      for (const listener of listeners) listener({ ...change, ...(group !== undefined && { group }) });
    });
  };
  clients.onconnected = (client, caller) => void follow(client, caller).catch(onproblem);
  return {
    offersTo: (ctx) => clients.with(ctx, (client) => client.offers(onproblem)),
    callTool: (params, ctx) => clients.with(ctx, (client) => relayCall(client, { method: 'tools/call', params }, ctx)),
    getPrompt: (params, ctx) =>
      clients.with(ctx, (client) => relayCall(client, { method: 'prompts/get', params }, ctx)),
    readResource: (params, ctx) =>
      clients.with(ctx, (client) => relayCall(client, { method: 'resources/read', params }, ctx)),
    complete: (params, ctx) =>
      clients.with(ctx, async ({ client }) =>
        client.getServerCapabilities()?.completions === undefined
          ? { completion: { values: [] } }
          : client.complete(params, { signal: ctx.signal }),
      ),
    watch: (onchange) => {
      listeners.add(onchange);
      return () => void listeners.delete(onchange);
    },
    close: () => clients.close(),
  };
}
