// Paths that the official package publishes without documenting them.
import { setTimeout as sleep } from 'node:timers/promises';
import { InMemoryOAuthClientProvider } from '@modelcontextprotocol/sdk/examples/client/simpleOAuthClientProvider.js';
import { InMemoryEventStore } from '@modelcontextprotocol/sdk/examples/shared/inMemoryEventStore.js';
import {
  DEFAULT_MAX_REQUEST_BODY_SIZE,
  MAX_BATCH_SIZE,
  readRequestBody,
  requestBodyTooLargeMessage,
  resolveMaxRequestBodySize,
} from '@modelcontextprotocol/sdk/server/requestBody.js';
import { DEFAULT_SSE_KEEP_ALIVE_MS, armSseKeepAlive } from '@modelcontextprotocol/sdk/server/sseKeepAlive.js';
import {
  INTERNAL_ERROR,
  INVALID_PARAMS,
  INVALID_REQUEST,
  JSONRPC_VERSION,
  LATEST_PROTOCOL_VERSION,
  METHOD_NOT_FOUND,
  PARSE_ERROR,
  URL_ELICITATION_REQUIRED,
  type CallToolResult,
  type Error as WireError,
  type Tool,
  type URLElicitationRequiredError,
} from '@modelcontextprotocol/sdk/spec.types.js';
import { refusal, say } from '../say.mjs';

const posted = (body: BodyInit | null): Request =>
  new Request('http://localhost/', { method: 'POST', body, ...({ duplex: 'half' } as object) });
const streamed = (...parts: string[]): ReadableStream<Uint8Array> =>
  new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(new TextEncoder().encode(part));
      controller.close();
    },
  });

say('body', {
  limits: [
    DEFAULT_MAX_REQUEST_BODY_SIZE,
    MAX_BATCH_SIZE,
    resolveMaxRequestBodySize(undefined),
    resolveMaxRequestBodySize(7),
  ],
  message: requestBodyTooLargeMessage(7),
  whole: await readRequestBody(posted('grüß')),
  none: await readRequestBody(posted(null)),
  pieces: await readRequestBody(posted(streamed('one ', 'two')), 7),
  declared: await readRequestBody(
    new Request('http://localhost/', { method: 'POST', body: 'x', headers: { 'content-length': '8' } }),
    7,
  ),
  tooMuch: await readRequestBody(posted(streamed('one ', 'two ', 'three')), 7),
});
for (const bad of [0, -1, Infinity, Number.NaN])
  say('bad limit', await refusal(Promise.resolve().then(() => resolveMaxRequestBodySize(bad))));

const ticked = new Promise<void>((resolve) => {
  const timer = armSseKeepAlive(1, () => {
    clearInterval(timer);
    resolve();
  });
});
const waiting = setTimeout(() => undefined, 10_000);
await ticked;
clearTimeout(waiting);
say('keep alive', {
  interval: DEFAULT_SSE_KEEP_ALIVE_MS,
  none: [0, -5, Infinity, Number.NaN].map((interval) => armSseKeepAlive(interval, () => undefined) === undefined),
});

const failure: WireError = { code: INTERNAL_ERROR, message: 'failed' };
const asks: URLElicitationRequiredError = {
  jsonrpc: '2.0',
  id: 1,
  error: {
    code: URL_ELICITATION_REQUIRED,
    message: 'open it first',
    data: { elicitations: [{ mode: 'url', message: 'open', url: 'https://example.com/', elicitationId: 'a' }] },
  },
};
const tool: Tool = { name: 'echo', inputSchema: { type: 'object' } };
const result: CallToolResult = { content: [{ type: 'text', text: 'hello' }] };
say('specification', {
  codes: [PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL_ERROR, URL_ELICITATION_REQUIRED],
  versions: [JSONRPC_VERSION, LATEST_PROTOCOL_VERSION],
  values: [failure, asks, tool, result],
});

const store = new InMemoryEventStore();
const first = await store.storeEvent('stream', { jsonrpc: '2.0', method: 'first' });
await store.storeEvent('other', { jsonrpc: '2.0', method: 'elsewhere' });
await sleep(5);
const second = await store.storeEvent('stream', { jsonrpc: '2.0', method: 'second' });
const replayed: unknown[] = [];
const send = async (eventId: string, message: unknown): Promise<void> => {
  replayed.push({ isSecond: eventId === second, message });
};
say('events', {
  stream: await store.replayEventsAfter(first, { send }),
  last: await store.replayEventsAfter(second, { send }),
  unknown: [await store.replayEventsAfter('stream_0_x', { send }), await store.replayEventsAfter('', { send })],
  replayed,
});

const opened: string[] = [];
const metadata = { redirect_uris: ['http://localhost:1/callback'], client_name: 'a client' };
const provider = new InMemoryOAuthClientProvider(
  'http://localhost:1/callback',
  metadata,
  (url) => opened.push(url.href),
  'https://example.com/client.json',
);
const before = { client: provider.clientInformation() === undefined, tokens: provider.tokens() === undefined };
const unsaved = await refusal(Promise.resolve().then(() => provider.codeVerifier()));
provider.saveClientInformation({ client_id: 'a' });
provider.saveTokens({ access_token: 't', token_type: 'bearer' });
provider.saveCodeVerifier('v');
provider.redirectToAuthorization(new URL('https://example.com/authorize'));
say('login', {
  before,
  unsaved,
  url: String(provider.redirectUrl),
  metadata: provider.clientMetadata,
  document: provider.clientMetadataUrl,
  client: provider.clientInformation(),
  tokens: provider.tokens(),
  verifier: provider.codeVerifier(),
  opened,
});
say('done');
