import { afterEach, describe, expect, it } from 'vitest';
import { Client, SSEClientTransport, type ClientOptions } from 'crosspoint/client';
import { bridge } from '../../src/index.ts';
import { atEnd, closeAll, connected, serveHttp } from '../carriers.ts';
import { ABLE, answering } from '../cells/cell.ts';
import { behind } from '../cells/behind.ts';

afterEach(closeAll);

const told = (result: unknown): unknown => JSON.parse((result as { content: [{ text: string }] }).content[0].text);
const INTERVIEW = [{ name: 'my name' }, 'accept', { type: 'text', text: 'Hi' }];

/** Where the two endpoints of the older transport are, beside an address of `serveHttp`. */
const sseOf = (url: string): string => url.replace('/mcp', '/sse');

describe('the transport of two endpoints', () => {
  it.each(['handshake', 'per-request'] as const)(
    'reaches a server for a %s client, with its questions',
    async (revisions) => {
      const url = sseOf(await serveHttp(behind('handshake').server));
      const face = bridge({ url, transport: 'sse' });
      atEnd(() => face.close());
      const client = await connected(await serveHttp(face), { revisions, ...ABLE }, answering);
      expect(told(await client.callTool({ name: 'interview' }))).toEqual(INTERVIEW);
      const all = await Promise.all(Array.from({ length: 3 }, () => client.callTool({ name: 'interview' })));
      expect(all.map(told)).toEqual([INTERVIEW, INTERVIEW, INTERVIEW]);
    },
  );

  it.each(['handshake', 'per-request'] as const)(
    'lets an old client reach a %s server, with its questions and changes',
    async (revisions) => {
      const { server } = behind(revisions);
      const face = bridge(await serveHttp(server));
      atEnd(() => face.close());
      const url = sseOf(await serveHttp(face));
      const options: ClientOptions = { revisions: 'handshake', ...ABLE };
      const client = new Client({ name: 'older', version: '1' }, options);
      answering(client);
      await client.connect(new SSEClientTransport(new URL(url)));
      atEnd(() => client.close());
      expect(told(await client.callTool({ name: 'interview' }))).toEqual(INTERVIEW);
      const changes: unknown[] = [];
      await client.watch({ tools: true }, { onchange: (change) => void changes.push(change) });
      await client.callTool({ name: 'grow' });
      await expect.poll(() => changes).toContainEqual({ kind: 'tools' });
    },
  );
});
