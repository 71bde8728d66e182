import { expect } from 'vitest';
import { newestOf } from '../../src/revisions/index.ts';
import { McpServer, createMcpHandler, text } from '../../src/server/index.ts';
import { proves } from '../requirements/proves.ts';
import { clientWordsOf } from '../../src/revisions/client-words.ts';

proves('M-PROG-010').it(
  'progress comes on the stream of the request it belongs to, whatever else is being answered',
  async () => {
    const server = new McpServer({ name: 's', version: '1' });
    let release: () => void = () => {};
    const both = new Promise<void>((resolve) => (release = resolve));
    let running = 0;
    server.registerTool('count', {}, async ({ progress }) => {
      progress(1);
      if (++running === 2) release();
      await both;
      progress(2);
      return text('done');
    });
    const handler = createMcpHandler(server);
    const revision = newestOf('per-request');
    const call = async (token: string): Promise<string> => {
      const params =
        revision &&
        clientWordsOf(revision).writeRequest({
          method: 'tools/call',
          params: { name: 'count' },
          facts: { capabilities: {} },
          progressToken: token,
        });
      const headers = {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        'mcp-protocol-version': revision?.id ?? '',
        'mcp-method': 'tools/call',
        'mcp-name': 'count',
      };
      const body = JSON.stringify({ jsonrpc: '2.0', id: token, method: 'tools/call', params });
      return (await handler.fetch(new Request('http://127.0.0.1/mcp', { method: 'POST', headers, body }))).text();
    };
    const streams = await Promise.all([call('a'), call('b')]);
    for (const [index, own] of (['a', 'b'] as const).entries()) {
      expect(streams[index]?.match(/"progressToken":"(\w)"/g)).toEqual([
        `"progressToken":"${own}"`,
        `"progressToken":"${own}"`,
      ]);
      expect(streams[index]).toContain(`"id":"${own}"`);
    }
    await handler.close();
  },
);
