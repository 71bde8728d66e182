// A list in pages: a server with resources and a client, in this process.
import { Client } from 'crosspoint/client';
import { McpServer } from 'crosspoint/server';
import { InMemoryTransport } from 'crosspoint/testing';
import { SERVER_INFO } from '../tools.mjs';

const PAGE = 20;

async function connectTo(count, config) {
  const server = new McpServer(SERVER_INFO, { pageSize: PAGE });
  for (let at = 0; at < count; at += 1) {
    const uri = `bench://entry/${at}`;
    server.registerResource(`entry-${at}`, uri, config, () => ({ contents: [{ uri, text: 'text' }] }));
  }
  const [near, far] = InMemoryTransport.createLinkedPair({ text: true });
  await server.connect(far);
  const client = new Client({ name: 'bench-client', version: '1.0.0' }, { revisions: ['2025-11-25'] });
  await client.connect(near);
  return client;
}

async function walk(client, count, times) {
  for (let left = times; left > 0; left -= 1) {
    const { resources } = await client.listResources();
    if (resources.length !== count) throw new Error(`The list has ${resources.length} in place of ${count}.`);
  }
}

export function start() {
  let same;
  let varied;
  let count = 0;
  return {
    commands: {
      async make({ pages }) {
        count = pages * PAGE;
        same = await connectTo(count, {});
        varied = await connectTo(count, { visible: () => true });
      },
      walk: ({ times }) => walk(same, count, times),
      walkVaried: ({ times }) => walk(varied, count, times),
    },
  };
}
