import { expect } from 'vitest';
import { Client } from '../../src/client/index.ts';
import { revisions } from '../../src/revisions/index.ts';
import { McpServer } from '../../src/server/index.ts';
import { InMemoryTransport } from '../../src/transports/memory/in-memory-transport.ts';
import { proves } from '../requirements/proves.ts';

proves('L-PAGINATION-008').it.each(revisions.map(({ id }) => id))(
  'a new session with %s lists from the start, whatever the last one had come to',
  async (id) => {
    const server = new McpServer({ name: 's', version: '1' }, { pageSize: 1 });
    for (const name of ['a', 'b', 'c']) server.registerTool(name, {}, () => ({ content: [] }));
    const client = new Client({ name: 'c', version: '1' }, { revisions: [id] });
    const connect = async (): Promise<unknown[]> => {
      const [near, far] = InMemoryTransport.createLinkedPair();
      const cursors: unknown[] = [];
      far.onmessage = (message) => {
        if ('method' in message && message.method === 'tools/list') cursors.push(message.params?.['cursor']);
      };
      await server.connect(far);
      await client.connect(near);
      return cursors;
    };
    await connect();
    const first = await client.listTools({}, { pages: 1 });
    expect(first.nextCursor).toBeTypeOf('string');
    await client.close();
    const cursors = await connect();
    expect((await client.listTools()).tools.map((tool) => tool.name)).toEqual(['a', 'b', 'c']);
    expect(cursors[0]).toBeUndefined();
    expect(cursors).toHaveLength(3);
    await client.close();
  },
);
