import { expect } from 'vitest';
import * as z from 'zod';
import { Client } from '../../src/client/index.ts';
import { McpServer, text } from '../../src/server/index.ts';
import { Recorder } from '../../src/testing/index.ts';
import { InMemoryTransport } from '../../src/transports/memory/in-memory-transport.ts';
import { proves } from '../requirements/proves.ts';

proves('M-BASE-001').it('request and answer, rounds of input, and subscriptions work in one build', async () => {
  const server = new McpServer({ name: 's', version: '1' });
  server.registerTool('plain', {}, () => text('plain'));
  server.registerTool('asks', {}, async (ctx) =>
    text((await ctx.elicit({ message: '?', schema: z.object({ name: z.string() }) })).action),
  );
  const [near, far] = InMemoryTransport.createLinkedPair({ text: true });
  await server.connect(far);
  const client = new Client(
    { name: 'c', version: '1' },
    { revisions: 'per-request', capabilities: { elicitation: {} } },
  );
  client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { name: 'Ann' } }));
  const recorder = new Recorder(near);
  await client.connect(recorder);

  expect((await client.discover()).supportedVersions).toEqual([client.getNegotiatedProtocolVersion()]);
  expect((await client.callTool({ name: 'plain' })).content).toEqual([{ type: 'text', text: 'plain' }]);
  expect((await client.callTool({ name: 'asks' })).content).toEqual([{ type: 'text', text: 'accept' }]);
  const changed = new Promise<string>((resolve) => {
    void client
      .listen({ toolsListChanged: true }, { onnotification: ({ method }) => resolve(method) })
      .then(() => server.registerTool('more', {}, () => text('')));
  });
  expect(await changed).toBe('notifications/tools/list_changed');

  expect(recorder.text).toContain('"resultType":"input_required"');
  expect(recorder.text).toContain('notifications/subscriptions/acknowledged');
  await client.close();
});
