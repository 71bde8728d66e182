import { afterEach, expect, it } from 'vitest';
import { Server } from 'crosspoint/server';
import { CARRIERS, closeAll } from '../carriers.ts';
import { open } from './cell.ts';

afterEach(closeAll);

it.each(CARRIERS)(
  'a server over %s that declares logging and refuses the level is called all the same',
  async (upBy) => {
    const server = new Server(
      { name: 's', version: '1' },
      { revisions: 'handshake', capabilities: { tools: {}, logging: {} } },
    );
    server.setRequestHandler('logging/setLevel', () => {
      throw new Error('no levels here');
    });
    server.setRequestHandler('tools/call', () => ({ content: [{ type: 'text', text: 'done' }] }));
    const { client, problems } = await open({ down: 'per-request', up: 'handshake', downBy: 'http', upBy }, { server });
    await client.setLoggingLevel('debug');
    expect(await client.callTool({ name: 'any' })).toMatchObject({ content: [{ text: 'done' }] });
    expect(problems).toHaveLength(1);
  },
);

it('callers are not told where the server is', async () => {
  const { relayedError } = await import('../../src/words/errors.ts');
  const failure = new Error('POST http://10.1.2.3:80/mcp?key=x was refused: connect ECONNREFUSED 10.1.2.3:80');
  const { message } = relayedError(failure);
  expect(message).not.toMatch(/10\.1\.2\.3|key=x/);
  expect(message).toContain('ECONNREFUSED');
});
