import * as z from 'zod';
import { Client, type ClientOptions } from '../../src/client/index.ts';
import type { JsonObject } from '../../src/jsonrpc/message.ts';
import type { ElicitParams } from '../../src/protocol/elicitation/elicitation.ts';
import type { Outcome } from '../../src/protocol/outcome.ts';
import type { CallToolResult } from '../../src/protocol/tools.ts';
import { revisions } from '../../src/revisions/index.ts';
import type { Revision } from '../../src/revisions/revision.ts';
import { McpServer, type ServerContext } from '../../src/server/index.ts';
import type { McpServerOptions } from '../../src/server/index.ts';
import { InMemoryTransport } from '../../src/transports/memory/in-memory-transport.ts';
import type { AuthInfo } from '../../src/transports/transport.ts';
import { Wire, newestHandshake, stateless } from '../server/wire.ts';
import { clientWordsOf } from '../../src/revisions/client-words.ts';

export { newestHandshake, stateless, Wire };

/** Every revision that can ask a user. */
export const asking: readonly Revision[] = revisions.filter(
  (revision) => revision.family === 'per-request' || revision.methods.has('elicitation/create'),
);
export const everyAsking: readonly string[] = asking.map(({ id }) => id);
export const bothFamilies: readonly string[] = [stateless.id, newestHandshake.id];

export const Value = z.object({ value: z.string() });
export type Handler = (ctx: ServerContext) => unknown;

/** Asks for one text; the answer of `answers` below is `<the message>`. */
export async function ask(ctx: ServerContext, message: string, key?: string): Promise<string> {
  const answer = await ctx.elicit({ message, schema: Value, ...(key !== undefined && { key }) });
  return answer.action === 'accept' ? answer.content.value : answer.action;
}

export function serverOf(handler: Handler, options: McpServerOptions = {}): McpServer {
  const server = new McpServer({ name: 's', version: '1' }, options);
  server.registerTool(
    't',
    { inputSchema: z.object({ x: z.number().optional() }) },
    (_args, ctx) => handler(ctx) as CallToolResult,
  );
  return server;
}

export const said = (value: unknown): CallToolResult => ({ content: [{ type: 'text', text: String(value) }] });

export interface Linked {
  client: Client;
  /** The messages of the questions, in the order they came. */
  asked: string[];
}

export async function linked(
  server: McpServer,
  revision: string,
  options: ClientOptions & { answer?: (message: string, params: ElicitParams) => JsonObject } = {},
): Promise<Linked> {
  const asked: string[] = [];
  const { answer, ...rest } = options;
  const client = new Client(
    { name: 'c', version: '1' },
    { revisions: [revision], capabilities: { elicitation: { form: {}, url: {} } }, maxRounds: 50, ...rest },
  );
  if (rest.capabilities === undefined || rest.capabilities.elicitation) {
    client.setRequestHandler('elicitation/create', (request) => {
      asked.push(request.params.message);
      return (answer?.(request.params.message, request.params) ?? {
        action: 'accept',
        content: { value: `<${request.params.message}>` },
      }) as never;
    });
  }
  const [a, b] = InMemoryTransport.createLinkedPair({ text: true });
  await server.connect(b);
  await client.connect(a);
  return { client, asked };
}

/** The text that the tool of `serverOf` gives, and what was asked on the way. */
export async function call(
  revision: string,
  handler: Handler,
  options: McpServerOptions = {},
): Promise<{ text: string; isError: boolean; asked: string[] }> {
  const { client, asked } = await linked(serverOf(handler, options), revision);
  try {
    const result = await client.callTool({ name: 't', arguments: { x: 1 } });
    return { text: (result.content[0] as { text: string }).text, isError: result.isError === true, asked };
  } finally {
    await client.close();
  }
}

export const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

export interface RawCall {
  state?: string | undefined;
  answers?: JsonObject;
  authInfo?: AuthInfo;
  method?: string;
  params?: JsonObject;
}

/** A stateless client in raw messages: one exchange of a call of the tool. */
export async function exchange(
  server: McpServer,
  { state, answers, authInfo, method = 'tools/call', params = { name: 't', arguments: { x: 1 } } }: RawCall = {},
): Promise<Outcome & { error?: undefined }> {
  const wire = await Wire.open(server, { elicitation: { form: {}, url: {} }, sampling: { tools: {} }, roots: {} });
  const retry =
    answers === undefined ? {} : { inputResponses: answers, ...(state !== undefined && { requestState: state }) };
  try {
    const frame = await wire.request(
      method,
      { ...params, ...retry },
      stateless,
      authInfo === undefined ? {} : { authInfo },
    );
    if (frame.error)
      throw Object.assign(new Error(frame.error.message), {
        code: frame.error.code,
        data: frame.error.data as unknown,
      });
    return clientWordsOf(stateless).readResult(method, frame.result as JsonObject);
  } finally {
    await wire.close();
  }
}

export function requireAsks(outcome: Outcome): Extract<Outcome, { kind: 'input-required' }> {
  if (outcome.kind !== 'input-required') throw new Error(`Nothing was asked: ${JSON.stringify(outcome)}`);
  return outcome;
}

export function textIn(outcome: Outcome): string {
  if (outcome.kind !== 'complete') throw new Error(`Not complete: ${JSON.stringify(outcome)}`);
  return (outcome.result as unknown as { content: { text: string }[] }).content[0]!.text;
}

/** Accepts every question of a round. */
export function accepting(outcome: Outcome, value?: (message: string) => string): JsonObject {
  return Object.fromEntries(
    Object.entries(requireAsks(outcome).asks).map(([key, { params }]) => {
      const message = String(params['message']);
      return [key, { action: 'accept', content: { value: value?.(message) ?? `<${message}>` } }];
    }),
  );
}
