import { readSession, type SessionLine } from '@crosspoint/recording';
import { McpServer, text } from 'crosspoint/server';
import { StdioServerTransport } from 'crosspoint/server/stdio';
import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, it } from 'vitest';
import { bridge, record, type Upstream } from '../../src/index.ts';
import { CARRIERS, FAMILIES, closeAll, connected, lines, serveHttp, serveOver } from '../carriers.ts';
import { newClient } from './relay.ts';

afterEach(closeAll);

function upstreamServer(revisions: (typeof FAMILIES)[number]): McpServer {
  const server = new McpServer({ name: 'behind', version: '1.0.0' }, { revisions });
  server.registerTool('interview', {}, async (ctx) => {
    const requestedSchema = { type: 'object', properties: { town: { type: 'string' } } } as const;
    const { content } = await ctx.elicit({ message: 'Town?', requestedSchema });
    return text(`From ${String(content?.['town'])}.`);
  });
  return server;
}

const CELLS = FAMILIES.flatMap((down) => FAMILIES.flatMap((up) => CARRIERS.map((carrier) => ({ down, up, carrier }))));

describe.each(CELLS)('a bridge from $down to $up over $carrier', ({ down, up, carrier }) => {
  it('is recorded on both sides, in the words of each', async () => {
    let file = '';
    const recorder = record((piece) => void (file += piece), { secrets: ['known-secret'] });
    const where = await serveOver(carrier, upstreamServer(up));
    const overLines: Upstream = { connect: async (client) => client.connect(await lines(where as number)) };
    const face = bridge(recorder.upstream(typeof where === 'string' ? where : overLines));
    const client = await connected(
      await serveHttp(face, { tap: recorder.down.handler }),
      { revisions: down, capabilities: { elicitation: {} } },
      (one) => one.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { town: 'Turin' } })),
    );
    const result = await client.callTool({ name: 'interview', arguments: { note: 'a known-secret' } });
    expect(result.content).toMatchObject([{ text: 'From Turin.' }]);
    await client.close();
    await face.close();
    expect(await recorder.close()).toMatchObject({ dropped: 0, isComplete: true });

    expect(file).not.toContain('known-secret');
    const found: SessionLine[] = [];
    for await (const line of await readSession(file)) found.push(line);
    for (const [hop, family] of [
      ['client', down],
      ['server', up],
    ]) {
      const seen = found.filter((line) => line.kind === 'message').filter((line) => line.hop === hop);
      const text = JSON.stringify(seen);
      expect(text).toContain('"arguments":{"note":"a [redacted]"}');
      expect(text).toContain('"content":{"town":"Turin"}');
      expect(text).toContain('From Turin.');
      const opens = seen.some(({ message }) => 'method' in message && message.method === 'initialize');
      expect(text.includes('"inputResponses"')).toBe(family === 'per-request');
      if (family === 'handshake') expect(opens).toBe(true);
      for (const { message, to } of seen)
        if ('method' in message && message.method === 'tools/call') expect(to).toBe('server');
    }
    expect(found.some(({ kind, hop }) => kind === 'connected' && hop === 'server')).toBe(true);
  });
});

it('the face on stdio is recorded as well', async () => {
  let file = '';
  const recorder = record((piece) => void (file += piece));
  const face = bridge(recorder.upstream(await serveHttp(upstreamServer('per-request')), 'behind'));
  const [there, back] = [new PassThrough(), new PassThrough()];
  await face.connect(recorder.down.transport(new StdioServerTransport(there, back)));
  const client = newClient();
  client.setRequestHandler('elicitation/create', () => ({ action: 'decline' }));
  await client.connect(new StdioServerTransport(back, there));
  await client.callTool({ name: 'interview' });
  await client.close();
  await face.close();
  await recorder.close();
  expect(file).toContain('"hop":"client"');
  expect(file).toContain('"hop":"behind"');
});
