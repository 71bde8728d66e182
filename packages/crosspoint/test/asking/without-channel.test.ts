import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/jsonrpc/message.ts';
import { createMcpHandler, type McpHandlerOptions } from '../../src/server/index.ts';
import { ask, newestHandshake, said, serverOf } from './linked.ts';

/** A handshake client over HTTP, as far as one call needs it. */
async function callOver(options: McpHandlerOptions, timeoutMs: number): Promise<JsonObject | 'silence'> {
  const handler = createMcpHandler(
    serverOf(async (ctx) => said(await ask(ctx, 'm'))),
    options,
  );
  const post = (body: object, session?: string): Promise<Response> =>
    handler.fetch(
      new Request('http://localhost/mcp', {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          host: 'localhost',
          'mcp-protocol-version': newestHandshake.id,
          ...(session !== undefined && { 'mcp-session-id': session }),
        },
        body: JSON.stringify({ jsonrpc: '2.0', ...body }),
      }),
    );
  const opened = await post({
    id: 1,
    method: 'initialize',
    params: {
      protocolVersion: newestHandshake.id,
      capabilities: { elicitation: {} },
      clientInfo: { name: 'c', version: '1' },
    },
  });
  const session = opened.headers.get('mcp-session-id') ?? undefined;
  await post({ method: 'notifications/initialized' }, session);
  const silence = new Promise<'silence'>((resolve) => setTimeout(() => resolve('silence'), timeoutMs));
  const answered = (async () => {
    const response = await post({ id: 2, method: 'tools/call', params: { name: 't', arguments: {} } }, session);
    return JSON.parse((await response.text()).replace(/^[\s\S]*?data: (?=\{)/, '').trim()) as JsonObject;
  })();
  const outcome = await Promise.race([answered, silence]);
  await handler.close();
  return outcome;
}

describe('a handshake client that cannot be reached while its call is answered', () => {
  it.each([
    ['there are no sessions', { sessions: false }, /handshake is not remembered/],
    ['answers are JSON only', { jsonOnly: true }, /JSON/],
  ] as const)('is told at once when %s', async (_what, options, expected) => {
    const { id, error, result } = (await callOver(options, 3000)) as JsonObject;
    expect(id).toBe(2);
    const told = JSON.stringify(error ?? result);
    expect(told).toMatch(expected);
  });
});
