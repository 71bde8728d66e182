import { afterEach, describe, expect, it } from 'vitest';
import { McpServer, text } from 'crosspoint/server';
import type { Client } from 'crosspoint/client';
import { CARRIERS, FAMILIES, closeAll, connected, lines, serveOver, type CarrierName } from '../carriers.ts';
import { bridge, type Upstream } from '../../src/index.ts';

afterEach(closeAll);

function upstreamServer(revisions: 'handshake' | 'per-request'): McpServer {
  const server = new McpServer({ name: 'behind', version: '3.0.0' }, { revisions, capabilities: { logging: {} } });
  const form = (name: string) => ({ type: 'object', properties: { [name]: { type: 'string' } } }) as const;
  server.registerTool('interview', {}, async (ctx) => {
    const first = await ctx.elicit({ message: 'Name?', requestedSchema: form('name') });
    const second = await ctx.elicit({ message: 'Town?', requestedSchema: form('town') });
    const { content } = await ctx.sample({
      messages: [{ role: 'user', content: { type: 'text', text: 'Greet' } }],
      maxTokens: 9,
    });
    return text(`${first.content?.['name']} ${second.content?.['town']} ${JSON.stringify(content)}`);
  });
  server.registerTool('plain', {}, () => text('plain'));
  return server;
}

function reach(carrier: CarrierName, where: string | number): string | Upstream {
  return carrier === 'http'
    ? (where as string)
    : { connect: async (client) => client.connect(await lines(where as number)) };
}

function answering(client: Client): void {
  client.setRequestHandler('elicitation/create', ({ params }) => ({
    action: 'accept',
    content: { name: 'Ada', town: 'Turin', [`${params.message}`]: 'asked' },
  }));
  client.setRequestHandler('sampling/createMessage', () => ({
    role: 'assistant',
    model: 'm',
    content: { type: 'text', text: 'Hi' },
  }));
}

const CELLS = FAMILIES.flatMap((down) =>
  FAMILIES.flatMap((up) => CARRIERS.flatMap((downBy) => CARRIERS.map((upBy) => ({ down, up, downBy, upBy })))),
);

describe.each(CELLS)('$down client over $downBy, $up server over $upBy', ({ down, up, downBy, upBy }) => {
  it('carries a call that asks three times', async () => {
    const behind = await serveOver(upBy, upstreamServer(up));
    const face = bridge(reach(upBy, behind), { onproblem: (problem) => console.error(problem) });
    const client = await connected(
      await serveOver(downBy, face),
      { revisions: down, capabilities: { elicitation: {}, sampling: {} } },
      answering,
    );
    expect(await client.callTool({ name: 'plain' })).toMatchObject({ content: [{ text: 'plain' }] });
    const { content } = await client.callTool({ name: 'interview' });
    expect(content).toEqual([{ type: 'text', text: 'Ada Turin {"type":"text","text":"Hi"}' }]);
    await face.close();
  });
});
