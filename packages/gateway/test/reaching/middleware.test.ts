import { afterEach, describe, expect, it } from 'vitest';
import type { ClientMiddleware, Outcome } from 'crosspoint/client';
import { McpServer, text, type ServerMiddleware } from 'crosspoint/server';
import { mount } from 'crosspoint/server/mounting';
import { fromClient } from '../../src/index.ts';
import { CARRIERS, FAMILIES, closeAll, connected, serveHttp } from '../carriers.ts';
import { behind } from '../cells/behind.ts';
import { ABLE, answering, open } from '../cells/cell.ts';

afterEach(closeAll);

const CELLS = FAMILIES.flatMap((down) => FAMILIES.flatMap((up) => CARRIERS.map((by) => ({ down, up, by }))));
const INTERVIEW = [{ name: 'my name' }, 'accept', { type: 'text', text: 'Hi' }];
const told = (result: unknown): unknown => JSON.parse((result as { content: [{ text: string }] }).content[0].text);

/** Notes what passes, as `incoming tools/call`. */
const noting =
  (notes: string[]): ServerMiddleware & ClientMiddleware =>
  ({ direction, method }: { direction: string; method: string }, next: () => Promise<Outcome>) => {
    notes.push(`${direction} ${method}`);
    return next();
  };

describe.each(CELLS)('middleware of a bridge, $down client and $up server over $by', ({ down, up, by }) => {
  it('sees lists, calls and questions on the side that it belongs to', async () => {
    const [face, clients]: [string[], string[]] = [[], []];
    const opened = await open(
      { down, up, downBy: by, upBy: by },
      { client: ABLE, prepare: answering, bridge: { middleware: [noting(clients)] } },
    );
    opened.face.use(noting(face));
    await opened.client.listTools();
    expect(told(await opened.client.callTool({ name: 'interview' }))).toEqual(INTERVIEW);
    expect(face).toEqual(expect.arrayContaining(['incoming tools/list', 'incoming tools/call']));
    expect(clients).toEqual(expect.arrayContaining(['outgoing tools/list', 'outgoing tools/call']));
    // In the other family a question is part of a result, which the middleware sees as that.
    if (down === 'handshake') expect(face).toContain('outgoing elicitation/create');
    if (up === 'handshake') expect(clients).toContain('incoming elicitation/create');
  });

  it('may refuse and change on either side', async () => {
    const refusing: ClientMiddleware = ({ method, params }, next) => {
      if (method === 'tools/call' && params['name'] === 'report') throw new Error('Not to this server.');
      return next();
    };
    const opened = await open({ down, up, downBy: by, upBy: by }, { bridge: { middleware: [refusing] } });
    opened.face.use(async ({ method }, next) => {
      if (method !== 'tools/list') return next();
      const outcome = await next();
      return outcome.kind === 'complete' ? { ...outcome, result: { ...outcome.result, tools: [] } } : outcome;
    });
    expect((await opened.client.listTools()).tools).toEqual([]);
    await expect(opened.client.callTool({ name: 'report' })).rejects.toThrow();
    expect(opened.hop.some(({ message }) => message['params']?.name === 'report')).toBe(false);
    expect(told(await opened.client.callTool({ name: 'who' }))).toMatchObject({ client: { name: 'relay' } });
  });
});

it.each(FAMILIES)('middleware of both sides applies to a mounted %s server', async (up) => {
  const [own, clients]: [string[], string[]] = [[], []];
  const url = await serveHttp(behind(up).server);
  const server = new McpServer({ name: 'office', version: '1.0.0' });
  server.registerTool('own', {}, () => text('own'));
  server.use(noting(own));
  const mounted = await mount(server, 'up', fromClient(url, { middleware: [noting(clients)] }));
  const client = await connected(await serveHttp(server), { revisions: 'handshake', ...ABLE }, answering);
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('up_interview');
  expect(told(await client.callTool({ name: 'up_interview' }))).toEqual(INTERVIEW);
  expect(own).toEqual(
    expect.arrayContaining(['incoming tools/list', 'incoming tools/call', 'outgoing elicitation/create']),
  );
  expect(clients).toEqual(expect.arrayContaining(['outgoing tools/list', 'outgoing tools/call']));
  if (up === 'handshake') expect(clients).toContain('incoming elicitation/create');
  await mounted.unmount();
});
