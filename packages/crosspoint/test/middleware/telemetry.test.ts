import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { context, propagation, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  SimpleSpanProcessor,
  type ReadableSpan,
} from '@opentelemetry/sdk-trace-base';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { Client, StreamableHTTPClientTransport } from '../../src/client/index.ts';
import { telemetry, type TelemetryOptions } from '../../src/middleware/telemetry/index.ts';
import { w3c } from '../../src/middleware/telemetry/trace-context.ts';
import { revisions } from '../../src/revisions/index.ts';
import { createMcpHandler, McpServer, text, type ServerContext } from '../../src/server/index.ts';
import { connectLinked } from '../../src/testing/index.ts';
import { proves } from '../requirements/proves.ts';
import { until } from '../until.ts';

const IDS = revisions.map(({ id }) => id);
const NEWEST = revisions.find(({ family }) => family === 'per-request')?.id ?? '';
const HANDSHAKE = revisions.find(({ family }) => family === 'handshake')?.id ?? '';
const TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;

const ends: (() => Promise<void>)[] = [];
beforeAll(() => {
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
});
afterAll(() => context.disable());
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

class Sdk {
  readonly spans = new InMemorySpanExporter();
  readonly #metrics = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
  readonly #reader = new PeriodicExportingMetricReader({ exporter: this.#metrics, exportIntervalMillis: 1e8 });
  readonly options: Required<Pick<TelemetryOptions, 'tracer' | 'meter'>>;

  constructor() {
    const tracers = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(this.spans)] });
    const meters = new MeterProvider({ readers: [this.#reader] });
    this.options = { tracer: tracers.getTracer('test'), meter: meters.getMeter('test') };
    ends.push(async () => {
      await tracers.shutdown();
      await meters.shutdown();
    });
  }

  span(kind: SpanKind, name: string): ReadableSpan {
    const found = this.spans.getFinishedSpans().filter((span) => span.kind === kind && span.name === name);
    expect(
      found.map((span) => span.name),
      `${SpanKind[kind]} ${name}`,
    ).toHaveLength(1);
    return found[0] as ReadableSpan;
  }

  async points(): Promise<{ name: string; unit: string; attributes: Record<string, unknown>; count: number }[]> {
    await this.#reader.forceFlush();
    const scopes = this.#metrics.getMetrics().at(-1)?.scopeMetrics ?? [];
    return scopes
      .flatMap(({ metrics }) => metrics)
      .flatMap(({ descriptor, dataPoints }) =>
        dataPoints.map(({ attributes, value }) => ({
          name: descriptor.name,
          unit: descriptor.unit,
          attributes,
          count: (value as { count: number }).count,
        })),
      );
  }
}

function makeServer(seen: ServerContext[] = []): McpServer {
  const server = new McpServer({ name: 'traced', version: '1.0.0' });
  server.registerTool('echo', { inputSchema: { said: z.string() } }, ({ said }, ctx) => {
    seen.push(ctx);
    return text(said);
  });
  server.registerTool('fails', {}, () => {
    throw new Error('no');
  });
  server.registerTool('greet', {}, async (ctx) => {
    await ctx.elicit({ message: 'Who?', schema: z.object({ name: z.string() }) });
    return text('Hello!');
  });
  server.registerPrompt('haiku', {}, () => ({ messages: [] }));
  server.registerResource('note', 'note://one', {}, () => ({ contents: [{ uri: 'note://one', text: 'x' }] }));
  return server;
}

async function link(server: McpServer, sdk: Sdk | undefined, revision: string): Promise<Client> {
  const { client, close } = await connectLinked(server, {
    revision,
    capabilities: { elicitation: { form: {} } },
    prepare: (made) => {
      made.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { name: 'Ada' } }));
      if (sdk) made.use(telemetry(sdk.options));
    },
  });
  ends.push(close);
  return client;
}

async function serveHttp(server: McpServer): Promise<URL> {
  const handler = createMcpHandler(server, { path: '/mcp' });
  const http = createServer((request, response) => void handler.node(request, response)).listen(0, '127.0.0.1');
  await once(http, 'listening');
  ends.push(async () => {
    await handler.close({ grace: 0 });
    http.closeAllConnections();
    http.close();
  });
  return new URL(`http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`);
}

async function connect(url: URL, sdk: Sdk, revision: string): Promise<Client> {
  const client = new Client({ name: 'c', version: '1' }, { revisions: [revision] });
  client.use(telemetry(sdk.options));
  await client.connect(new StreamableHTTPClientTransport(url));
  ends.unshift(() => client.close());
  return client;
}

describe.each(IDS)('telemetry in %s', (revision) => {
  it('makes a span on each side, the one of the server below that of the client', async () => {
    const sdk = new Sdk();
    const seen: ServerContext[] = [];
    const server = makeServer(seen);
    server.use(telemetry(sdk.options));
    const client = await link(server, sdk, revision);
    await client.callTool({ name: 'echo', arguments: { said: 'hi' } });
    const sent = sdk.span(SpanKind.CLIENT, 'tools/call echo');
    const served = sdk.span(SpanKind.SERVER, 'tools/call echo');
    expect(served.spanContext().traceId).toBe(sent.spanContext().traceId);
    expect(served.parentSpanContext?.spanId).toBe(sent.spanContext().spanId);
    for (const span of [sent, served])
      expect(span.attributes).toMatchObject({
        'mcp.method.name': 'tools/call',
        'gen_ai.tool.name': 'echo',
        'gen_ai.operation.name': 'execute_tool',
        'mcp.protocol.version': revision,
        'jsonrpc.request.id': String(seen[0]?.requestId),
      });
  });

  proves('M-TRC-001, M-TRC-002').it(
    'writes the three keys of trace context without a prefix, in their formats',
    async () => {
      const sdk = new Sdk();
      const seen: ServerContext[] = [];
      const client = await link(makeServer(seen), sdk, revision);
      const remote = w3c.extract(
        ROOT_CONTEXT,
        {
          traceparent: '00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01',
          tracestate: 'vendor=abc,other=1',
          baggage: 'user=a%20b;secret=no,plain=1',
        },
        { keys: (from) => Object.keys(from), get: (from: Record<string, string>, key) => from[key] },
      );
      await context.with(remote, () => client.callTool({ name: 'echo', arguments: { said: 'hi' } }));
      const meta = seen[0]?._meta ?? {};
      expect(meta['traceparent']).toMatch(TRACEPARENT);
      expect(String(meta['traceparent']).split('-')[1]).toBe('0af7651916cd43dd8448eb211c80319c');
      expect(meta['tracestate']).toBe('vendor=abc,other=1');
      expect(meta['baggage']).toBe('user=a%20b;secret=no,plain=1');
      const others = Object.keys(meta).filter((key) => /trace|baggage/i.test(key));
      expect(others.toSorted()).toEqual(['baggage', 'traceparent', 'tracestate']);
    },
  );

  proves('M-TRC-001, M-TRC-003').it('takes what it is sent in those formats, and nothing that is not', async () => {
    const sdk = new Sdk();
    const server = makeServer();
    server.use(telemetry(sdk.options));
    const baggage: unknown[] = [];
    server.registerTool('carried', {}, () => {
      baggage.push(propagation.getActiveBaggage()?.getAllEntries());
      return text('ok');
    });
    const client = await link(server, undefined, revision);
    const good = '00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01';
    await client.callTool({ name: 'carried', _meta: { traceparent: good, baggage: 'a=1,b=%zz,=2,c=x%20y' } });
    expect(sdk.span(SpanKind.SERVER, 'tools/call carried').parentSpanContext?.spanId).toBe('00f067aa0ba902b7');
    expect(baggage).toEqual([
      [
        ['a', { value: '1' }],
        ['c', { value: 'x y' }],
      ],
    ]);
    const bad: unknown[] = [
      '00-00000000000000000000000000000000-00f067aa0ba902b7-01',
      '00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01',
      'ff-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01',
      '00-0AF7651916CD43DD8448EB211C80319C-00f067aa0ba902b7-01',
      '00-0af7651916cd43dd8448eb211c80319c-00f067aa0ba902b7-01-more',
      'x'.repeat(100_000),
      42,
      { nested: true },
      null,
    ];
    for (const traceparent of bad) {
      sdk.spans.reset();
      const meta = { traceparent, tracestate: '\u0000,,=', baggage: 'x'.repeat(9000) };
      expect(await client.callTool({ name: 'echo', arguments: { said: 'fine' }, _meta: meta })).toMatchObject(
        text('fine'),
      );
      expect(sdk.span(SpanKind.SERVER, 'tools/call echo').parentSpanContext).toBeUndefined();
    }
  });
});

describe('telemetry', () => {
  proves('M-TRC-004').it.each([NEWEST, HANDSHAKE])(
    'joins the spans of a client, a server over HTTP and the server that its tool calls, in %s',
    async (revision) => {
      const sdk = new Sdk();
      const back = makeServer();
      back.use(telemetry(sdk.options));
      const inner = await connect(await serveHttp(back), sdk, revision);
      const front = new McpServer({ name: 'front', version: '1.0.0' });
      front.registerTool('relay', {}, async () => {
        await new Promise((resolve) => setImmediate(resolve));
        await inner.callTool({ name: 'echo', arguments: { said: 'far' } });
        return text('relayed');
      });
      front.use(telemetry(sdk.options));
      const client = await connect(await serveHttp(front), sdk, revision);
      await client.callTool({ name: 'relay' });
      const chain = [
        sdk.span(SpanKind.CLIENT, 'tools/call relay'),
        sdk.span(SpanKind.SERVER, 'tools/call relay'),
        sdk.span(SpanKind.CLIENT, 'tools/call echo'),
        sdk.span(SpanKind.SERVER, 'tools/call echo'),
      ];
      expect(chain.slice(1).map((span) => span.parentSpanContext?.spanId)).toEqual(
        chain.slice(0, -1).map((span) => span.spanContext().spanId),
      );
      expect(new Set(chain.map((span) => span.spanContext().traceId)).size).toBe(1);
      for (const span of chain)
        expect(span.attributes).toMatchObject({ 'network.transport': 'tcp', 'network.protocol.name': 'http' });
      expect(chain[1]?.attributes['mcp.session.id'] === undefined).toBe(revision === NEWEST);
    },
  );

  it('tells how each operation ended, in spans and metrics', async () => {
    const sdk = new Sdk();
    const server = makeServer();
    server.use(telemetry(sdk.options));
    const client = await link(server, sdk, HANDSHAKE);
    await client.callTool({ name: 'fails' });
    await client.getPrompt({ name: 'haiku' });
    await client.readResource({ uri: 'note://one' });
    await expect(client.request({ method: 'made/up' })).rejects.toThrow();
    await client.close();
    const failed = sdk.span(SpanKind.SERVER, 'tools/call fails');
    expect(failed.status.code).toBe(SpanStatusCode.ERROR);
    expect(failed.attributes['error.type']).toBe('tool_error');
    expect(sdk.span(SpanKind.SERVER, 'prompts/get haiku').attributes['gen_ai.prompt.name']).toBe('haiku');
    expect(sdk.span(SpanKind.CLIENT, 'resources/read').attributes['mcp.resource.uri']).toBe('note://one');
    expect(sdk.span(SpanKind.CLIENT, 'made/up').attributes).toMatchObject({
      'error.type': '-32601',
      'rpc.response.status_code': '-32601',
    });
    let points = await sdk.points();
    const ended = (name: string): boolean => points.some((point) => point.name === name);
    const deadline = Date.now() + 15_000;
    while (!(ended('mcp.server.session.duration') && ended('mcp.client.session.duration')) && Date.now() < deadline)
      points = await sdk.points();
    expect(new Set(points.map(({ name, unit }) => `${name} ${unit}`))).toEqual(
      new Set([
        'mcp.client.operation.duration s',
        'mcp.server.operation.duration s',
        'mcp.client.session.duration s',
        'mcp.server.session.duration s',
      ]),
    );
    const methods = points
      .filter(({ name }) => name === 'mcp.server.operation.duration')
      .map(({ attributes }) => attributes);
    expect(methods).toContainEqual(
      expect.objectContaining({
        'mcp.method.name': 'tools/call',
        'gen_ai.tool.name': 'fails',
        'error.type': 'tool_error',
      }),
    );
    expect(methods.map((attributes) => attributes['mcp.method.name'])).not.toContain('made/up');
    expect(methods.map((attributes) => attributes['mcp.method.name'])).toContain('_OTHER');
  });

  it('takes questions in an answer for what they are, and not for errors', async () => {
    const sdk = new Sdk();
    const server = makeServer();
    server.use(telemetry(sdk.options));
    const client = await link(server, sdk, NEWEST);
    await client.callTool({ name: 'greet' });
    const spans = sdk.spans
      .getFinishedSpans()
      .filter(({ kind, name }) => kind === SpanKind.SERVER && name === 'tools/call greet');
    expect(spans.map(({ attributes }) => attributes['crosspoint.outcome'])).toEqual(['input-required', undefined]);
    expect(spans.map(({ status }) => status.code)).toEqual([SpanStatusCode.UNSET, SpanStatusCode.UNSET]);
    expect(sdk.span(SpanKind.SERVER, 'elicitation/create').attributes['error.type']).toBeUndefined();
  });

  it('uses the global API, links what was active, and leaves the rest alone', async () => {
    const sdk = new Sdk();
    const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(sdk.spans)] });
    trace.setGlobalTracerProvider(provider);
    ends.push(async () => trace.disable());
    const server = makeServer();
    server.use(telemetry({ only: ({ method }) => method === 'tools/call' }));
    const client = await link(server, undefined, HANDSHAKE);
    await client.callTool({ name: 'echo', arguments: { said: 'hi' } });
    await until(() => sdk.spans.getFinishedSpans().length > 0);
    expect(sdk.spans.getFinishedSpans().map(({ name }) => name)).toEqual(['tools/call echo']);
  });

  it('breaks no call when its parts break', async () => {
    const sdk = new Sdk();
    const broken = {
      fields: () => [],
      inject: () => {
        throw new Error('inject');
      },
      extract: () => {
        throw new Error('extract');
      },
    };
    const server = makeServer();
    server.use(telemetry({ ...sdk.options, propagator: broken }));
    const { client, close } = await connectLinked(server, {
      prepare: (made) => made.use(telemetry({ ...sdk.options, propagator: broken })),
    });
    ends.push(close);
    expect(await client.callTool({ name: 'echo', arguments: { said: 'hi' } })).toMatchObject(text('hi'));
    expect(sdk.span(SpanKind.SERVER, 'tools/call echo').status.code).toBe(SpanStatusCode.UNSET);
  });
});
