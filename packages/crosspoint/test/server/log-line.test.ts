import { expect, it } from 'vitest';
import { Client } from '../../src/client/index.ts';
import { revisions } from '../../src/revisions/index.ts';
import { McpServer } from '../../src/server/index.ts';
import { InMemoryTransport } from '../../src/transports/memory/in-memory-transport.ts';

it.each(revisions.map(({ id, family }) => [id, family]))(
  'a client of %s is announced in one line with its family',
  async (id, family) => {
    const lines: string[] = [];
    const server = new McpServer({ name: 's', version: '1' }, { log: (line) => lines.push(line) });
    server.registerTool('t', {}, () => ({ content: [] }));
    const [a, b] = InMemoryTransport.createLinkedPair();
    await server.connect(b);
    const client = new Client({ name: 'reader', version: '2' }, { revisions: [id] });
    await client.connect(a);
    await client.callTool({ name: 't' });
    await client.callTool({ name: 't' });
    expect(lines).toEqual([`reader 2 speaks ${id} (${family} family).`]);
    await client.close();
  },
);
