import { afterEach, describe, expect, it } from 'vitest';
import { Server } from '../../src/server/index.ts';
import { CELLS, closeAll, connected, serveOver } from '../relaying/carriers.ts';

afterEach(closeAll);

const DEEP: unknown = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`);
const RESULTS: Readonly<Record<string, unknown>> = { 'nested too deeply': DEEP, 'with a BigInt': 1n };

describe.each(CELLS)('a result that cannot be written, over $carrier, $family', ({ carrier, family }) => {
  it.each(['at once', 'later', 'after progress'])(
    'is an error that comes in time when it is given %s',
    async (when) => {
      const server = new Server({ name: 'odd', version: '1' }, { revisions: family, capabilities: { tools: {} } });
      const problems: Error[] = [];
      server.onerror = (problem) => problems.push(problem);
      server.setRequestHandler('tools/call', ({ params }, ctx) => {
        const result = { content: [], structuredContent: { odd: RESULTS[String(params['name'])] ?? 1 } } as never;
        if (when === 'at once') return result;
        if (when === 'after progress') ctx.progress(1);
        return new Promise((resolve) => setTimeout(resolve, 10, result));
      });
      const client = await connected(await serveOver(carrier, server), { revisions: family });
      for (const name of Object.keys(RESULTS)) {
        const call = client.callTool({ name }, { timeout: 5000, onprogress: () => {} });
        await expect(call, name).rejects.toMatchObject({ code: -32603 });
        expect((await client.callTool({ name: 'fine' })).structuredContent).toEqual({ odd: 1 });
      }
      expect(problems).toHaveLength(2);
    },
  );
});
