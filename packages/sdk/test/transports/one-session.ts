import type {
  EventStore,
  StreamableHTTPServerTransportOptions,
} from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import { afterEach } from 'vitest';
import { listen } from '../listening.ts';
import type { Library } from './both-libraries.ts';
import { ask, initialize, type Answered } from './raw-http.ts';

/** Closed after each test. */
export const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0).toReversed()) await each.close();
});

export interface Served {
  readonly url: string;
  readonly transport: InstanceType<Library['Streamable']>;
  /** Messages that `onerror` of the transport was told. */
  readonly told: string[];
  /** Observations of the handlers. */
  readonly seen: unknown[];
  /** Lets the tool `wait` return. */
  release(): void;
}

/** One session, or one request, on a port of its own. */
export async function serve(library: Library, options: StreamableHTTPServerTransportOptions = {}): Promise<Served> {
  const transport = new library.Streamable({ sessionIdGenerator: () => 'the-session', ...options });
  const told: string[] = [];
  const seen: unknown[] = [];
  let release = (): void => {};
  const server = new library.McpServer({ name: 'served', version: '1' }, { capabilities: { logging: {} } });
  server.registerTool('echo', {}, async ({ requestInfo }) => {
    seen.push(requestInfo?.url?.pathname, requestInfo?.url?.search);
    return { content: [{ type: 'text', text: 'echoed' }] };
  });
  server.registerTool('wait', {}, async (extra) => {
    seen.push(typeof extra.closeSSEStream, typeof extra.closeStandaloneSSEStream);
    await new Promise<void>((resolve) => (release = resolve));
    return { content: [{ type: 'text', text: 'waited' }] };
  });
  server.registerTool('leave', {}, async (extra) => {
    await extra.sendNotification({ method: 'notifications/message', params: { level: 'info', data: 'leaving' } });
    extra.closeSSEStream?.();
    await new Promise<void>((resolve) => (release = resolve));
    return { content: [{ type: 'text', text: 'came back' }] };
  });
  transport.onerror = (error) => told.push(error.message.replace(FIRST_DRAFT, ''));
  await server.connect(transport);
  const listening = await listen((request, response) => void transport.handleRequest(request, response));
  open.push(listening, { close: () => server.close() });
  return { url: listening.url, transport, told, seen, release: () => release() };
}

export const SESSION = { 'mcp-session-id': 'the-session', 'mcp-protocol-version': '2025-11-25' };

/** The draft before the first revision, which not every list of versions names. */
const FIRST_DRAFT = ', 2024-10-07';

/** An answer by what programs look at. Members of messages come in any order. */
export async function shown(answer: Answered): Promise<{ status: number | undefined; body: unknown }> {
  const { status, headers } = answer;
  const text = await answer.whole;
  const isJson = headers['content-type'] === 'application/json';
  const seen = {
    status,
    type: headers['content-type'],
    session: headers['mcp-session-id'],
    allow: headers.allow,
    body: isJson ? (JSON.parse(text.replace(FIRST_DRAFT, '')) as unknown) : eventsOf(text),
  };
  return seen;
}

/** The events of a stream, with their ids replaced by the order in which they came. */
export function eventsOf(text: string): unknown[] {
  return text
    .split('\n\n')
    .filter((event) => event !== '')
    .map((event) => {
      const fields = event.split('\n').map((line) => /^(\w*): ?([^]*)$/.exec(line)?.slice(1) ?? [line]);
      return fields.map(([name = '', value = '']) => {
        if (name === 'id') return 'id';
        return name === 'data' && value !== '' ? (JSON.parse(value) as unknown) : `${name}: ${value}`;
      });
    });
}

export async function openSession({ url }: Served, version = '2025-11-25'): Promise<void> {
  const opened = await ask(url, { body: initialize(version) });
  await opened.whole;
  const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' };
  await (
    await ask(url, { headers: { ...SESSION, 'mcp-protocol-version': version }, body: initialized })
  ).whole;
}

/** Events as programs keep them; ids say their stream. */
export function memoryEvents(withStreams = false): EventStore & { readonly kept: unknown[] } {
  const kept: { id: string; stream: string; message: object }[] = [];
  return {
    kept,
    async storeEvent(stream, message) {
      const id = `${stream}_${kept.length}`;
      kept.push({ id, stream, message });
      return id;
    },
    ...(withStreams && { getStreamIdForEventId: async (id) => kept.find((event) => event.id === id)?.stream }),
    async replayEventsAfter(last, { send }) {
      const at = kept.findIndex(({ id }) => id === last);
      const stream = kept[at]?.stream ?? '';
      for (const event of kept.slice(at + 1)) if (event.stream === stream) await send(event.id, event.message as never);
      return stream;
    },
  };
}

export const list = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'echo', arguments: {} } };
export const ping = { jsonrpc: '2.0', id: 2, method: 'ping' };
