import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { InMemoryTransport } from 'crosspoint/testing';
import { expect, it } from 'vitest';
import { createTracedClient, createTracedServer } from './traced.ts';

it('is one trace on both sides', async () => {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const tracer = provider.getTracer('example');
  const [near, far] = InMemoryTransport.createLinkedPair();
  await createTracedServer({ tracer }).connect(far);
  const client = createTracedClient({ tracer });
  await client.connect(near);
  await client.callTool({ name: 'get_weather', arguments: { city: 'Ghent' } });
  await client.close();
  const [served, sent] = exporter.getFinishedSpans().filter(({ name }) => name === 'tools/call get_weather');
  expect(served?.parentSpanContext?.spanId).toBe(sent?.spanContext().spanId);
  await provider.shutdown();
});
