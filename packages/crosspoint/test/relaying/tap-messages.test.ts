import { afterEach, describe, expect, it } from 'vitest';
import { StreamableHTTPClientTransport, Client } from '../../src/client/index.ts';
import type { JSONRPCMessage } from '../../src/jsonrpc/message.ts';
import { McpServer, createMcpHandler, text } from '../../src/server/index.ts';
import { tapMessages } from '../../src/server/relaying.ts';
import { CELLS, FAMILIES, closeAll, connected, lines, serveHttp, serveOver } from './carriers.ts';

afterEach(closeAll);

function asking(): McpServer {
  const server = new McpServer({ name: 'tapped', version: '1.0.0' });
  server.registerTool('ask', {}, async ({ elicit, progress }) => {
    progress(1, 2, 'line\nbreak');
    const { action } = await elicit({ message: 'Well?', requestedSchema: { type: 'object', properties: {} } });
    return text(action);
  });
  return server;
}

type Seen = [direction: string, what: string];

function named(message: JSONRPCMessage): string {
  const { method, id, result, error } = message as { method?: string; id?: unknown; result?: object; error?: object };
  if (method !== undefined) return id === undefined ? method : `${method}?`;
  return result === undefined ? `error ${JSON.stringify(error)}` : 'result';
}

const list = (seen: Seen[]) => (direction: 'received' | 'sent', message: JSONRPCMessage) =>
  void seen.push([direction, named(message)]);
/** The messages of one side, sorted, since the two sides may see a different order. */
const of = (seen: Seen[], direction: string): string[] =>
  seen.flatMap(([way, what]) => (way === direction ? [what] : [])).sort();

async function talk(client: Client): Promise<void> {
  await client.callTool({ name: 'ask' }, { onprogress: () => {} });
  await client.listTools();
  await expect(client.request({ method: 'acme/none' })).rejects.toThrow();
}

const options = (family: (typeof FAMILIES)[number]) =>
  ({ revisions: family, capabilities: { elicitation: {} }, cache: false }) as const;
const prepare = (client: Client): void => client.setRequestHandler('elicitation/create', () => ({ action: 'decline' }));

describe.each(FAMILIES)('an HTTP handler, %s', (family) => {
  it('and its client see the same messages', async () => {
    const [there, here]: [Seen[], Seen[]] = [[], []];
    const url = await serveHttp(asking(), { tap: tapMessages(list(there)).handler });
    const client = new Client({ name: 'c', version: '1' }, options(family));
    prepare(client);
    await client.connect(tapMessages(list(here)).transport(new StreamableHTTPClientTransport(url)));
    await talk(client);
    expect(of(there, 'received')).toEqual(of(here, 'sent'));
    // A refusal with a status of HTTP is an error to the client, not a message.
    const isMessage = (what: string): boolean => family === 'handshake' || !what.startsWith('error');
    expect(of(there, 'sent').filter(isMessage)).toEqual(of(here, 'received'));
    expect(of(there, 'sent')).toContain('notifications/progress');
    expect(there.some(([, what]) => what.startsWith('error'))).toBe(true);
    await client.close();
  });

  it('tells the session and the caller of a message', async () => {
    const facts: [string | undefined, unknown][] = [];
    const tap = tapMessages((_direction, message, { sessionId, request }) => {
      if (named(message) === 'tools/list?') facts.push([sessionId, request?.authInfo?.clientId]);
    });
    const authenticate = () => ({ token: 't', clientId: 'ada', scopes: [] });
    const client = await connected(await serveHttp(asking(), { tap: tap.handler, authenticate }), options(family));
    await client.listTools();
    expect(facts).toEqual([[client.transport?.sessionId, 'ada']]);
  });
});

describe.each(FAMILIES)('a client that connects by address, %s', (family) => {
  it('has its transport tapped', async () => {
    const url = await serveHttp(asking());
    const seen: Seen[] = [];
    const client = new Client({ name: 'c', version: '1' }, options(family));
    prepare(client);
    await client.connect(url, { tap: tapMessages(list(seen)).transport });
    await talk(client);
    expect(of(seen, 'sent')).toContain('tools/call?');
    expect(of(seen, 'received')).toContain('notifications/progress');
    await client.close();
  });

  it('is told when the tap fails', async () => {
    const url = await serveHttp(asking());
    const client = new Client({ name: 'c', version: '1' }, options(family));
    const tap = (): never => {
      throw new Error('the tap failed');
    };
    await expect(client.connect(url, { tap })).rejects.toThrow('the tap failed');
  });
});

describe.each(CELLS)('a transport over $carrier, $family', ({ carrier, family }) => {
  it('is tapped on the side of the client, and a tap that fails hurts nothing', async () => {
    const where = await serveOver(carrier, asking());
    const seen: Seen[] = [];
    const tap = tapMessages((direction, message) => {
      list(seen)(direction, message);
      throw new Error('the tap failed');
    });
    const client = new Client({ name: 'c', version: '1' }, options(family));
    prepare(client);
    const transport = typeof where === 'string' ? new StreamableHTTPClientTransport(where) : await lines(where);
    expect(tap.transport(transport)).toBe(transport);
    await client.connect(transport as never);
    await talk(client);
    expect(of(seen, 'sent')).toContain('tools/call?');
    expect(of(seen, 'received')).toContain('result');
    await client.close();
  });
});

it('a handler for fetch, and a body that was parsed already, are tapped as well', async () => {
  const seen: Seen[] = [];
  const handler = createMcpHandler(asking(), { tap: tapMessages(list(seen)).handler });
  const body = { jsonrpc: '2.0', id: 1, method: 'acme/none', params: {} };
  const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
  const post = (extras?: object): Promise<Response> =>
    handler.fetch(
      new Request('http://127.0.0.1/mcp', { method: 'POST', headers, body: extras ? null : JSON.stringify(body) }),
      extras as never,
    );
  await (await post()).text();
  expect(seen[0]).toEqual(['received', 'acme/none?']);
  expect(seen).toHaveLength(2);
  await (await post({ parsedBody: body })).text();
  expect(seen).toHaveLength(4);
  await (await handler.fetch(new Request('http://127.0.0.1/mcp', { method: 'POST', headers, body: 'no json' }))).text();
  expect(of(seen, 'received')).toHaveLength(2);
  await handler.close({ grace: 0 });
});
