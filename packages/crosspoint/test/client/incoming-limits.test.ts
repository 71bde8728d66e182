import { describe, expect, test, vi } from 'vitest';
import { McpServer, text } from '../../src/server/index.ts';
import { z } from 'zod';
import { connectLinked, ManualClock } from '../../src/testing/index.ts';
import { proves } from '../requirements/proves.ts';
import { connected, failure } from './connected.ts';
import { legacy, modern, type Answers, type Line, type Wire } from './fake-server.ts';

const MESSAGE = { messages: [{ role: 'user', content: { type: 'text', text: 'Hi' } }], maxTokens: 5 };
const ANSWER = { role: 'assistant' as const, content: { type: 'text' as const, text: 'Hello' }, model: 'small' };
const FORM = { message: 'Name?', requestedSchema: { type: 'object', properties: { name: { type: 'string' } } } };

/** What the client sends in answer to requests of the server. */
function answersIn(sent: readonly Wire[]): { result: number; refused: number } {
  const answers = sent.filter((message) => message.method === undefined);
  return {
    result: answers.filter((message) => message.result !== undefined).length,
    refused: answers.filter((message) => message.error?.code === 429).length,
  };
}

describe('a server that wants too much', () => {
  proves('L-SAMPLING-017').test('has its sampling refused, which is told once, until it slows down', async () => {
    const sampled = vi.fn(() => ANSWER);
    const all = await connected(legacy(), { capabilities: { sampling: {} } });
    all.client.setRequestHandler('sampling/createMessage', sampled);
    const ask = async (from: number, count: number): Promise<void> => {
      for (let id = from; id < from + count; id += 1)
        all.transport.line.send({ jsonrpc: '2.0', id, method: 'sampling/createMessage', params: MESSAGE });
      await all.clock.flush();
    };
    await ask(0, 150);
    expect(answersIn(all.transport.sent)).toEqual({ result: 100, refused: 50 });
    expect(sampled).toHaveBeenCalledTimes(100);
    expect(all.problems.filter(({ message }) => message.includes('sampling/createMessage'))).toHaveLength(1);
    await all.clock.advance(1000);
    await ask(200, 20);
    expect(answersIn(all.transport.sent)).toEqual({ result: 110, refused: 60 });
  });

  test('has its questions refused as the program says, and only those', async () => {
    const all = await connected(legacy(), {
      capabilities: { elicitation: {}, roots: {} },
      limits: { 'elicitation/create': { perSecond: 0.001, burst: 1 } },
    });
    const elicited = vi.fn(() => ({ action: 'decline' as const }));
    all.client.setRequestHandler('elicitation/create', elicited);
    all.client.setRequestHandler('roots/list', () => ({ roots: [] }));
    for (const [id, method] of ['elicitation/create', 'elicitation/create', 'roots/list', 'ping'].entries())
      all.transport.line.send({ jsonrpc: '2.0', id, method, params: FORM });
    await all.clock.flush();
    expect(elicited).toHaveBeenCalledTimes(1);
    expect(answersIn(all.transport.sent)).toEqual({ result: 3, refused: 1 });
  });

  test('has its questions counted that come inside answers, too', async () => {
    const server = new McpServer({ name: 'curious', version: '1.0' });
    server.registerTool('ask', {}, async (ctx) => {
      for (let time = 1; time <= 3; time += 1)
        await ctx.elicit({ message: `Question ${time}`, schema: z.object({ name: z.string() }) });
      return text('done');
    });
    const elicited = vi.fn(() => ({ action: 'accept' as const, content: { name: 'Ada' } }));
    const { client, close } = await connectLinked(server, {
      revisions: 'per-request',
      capabilities: { elicitation: {} },
      limits: { 'elicitation/create': { perSecond: 0.001, burst: 2 } },
      prepare: (made) => made.setRequestHandler('elicitation/create', elicited),
    });
    expect(await failure(client.callTool({ name: 'ask' }))).toMatchObject({ kind: 'rate-limited' });
    expect(elicited).toHaveBeenCalledTimes(2);
    await close();
  });

  proves('L-PROGRESS-010, M-PROG-008').test.each([
    ['handshake', legacy],
    ['per-request', modern],
  ] as const)('has its progress and logs thinned, and its answer arrives, %s', async (_family, speak) => {
    const flood = (line: Line, token: unknown): void => {
      for (let progress = 1; progress <= 100; progress += 1) {
        line.notify('notifications/progress', { progressToken: token, progress });
        line.notify('notifications/message', { level: 'info', data: progress });
      }
    };
    const answers: Answers = {
      'tools/call': (params, line) => {
        flood(line, (params['_meta'] as { progressToken?: unknown }).progressToken);
        return { content: [] };
      },
    };
    const onlog = vi.fn();
    const onprogress = vi.fn();
    const all = await connected(speak(answers), {
      onlog,
      limits: {
        'notifications/progress': { perSecond: 1, burst: 7 },
        'notifications/message': { perSecond: 1, burst: 9 },
      },
    });
    expect(await all.client.callTool({ name: 'flood' }, { onprogress })).toMatchObject({ content: [] });
    expect(onprogress).toHaveBeenCalledTimes(7);
    expect(onlog).toHaveBeenCalledTimes(9);
    expect(all.problems.filter(({ message }) => message.includes('too often'))).toHaveLength(1);
  });

  test('has a bounded number of requests worked on at once, whatever they are', async () => {
    const all = await connected(legacy());
    const started = vi.fn(() => new Promise<object>(() => {}));
    all.client.setRequestHandler('example/slow', started);
    for (let id = 0; id < 1500; id += 1) all.transport.line.send({ jsonrpc: '2.0', id, method: 'example/slow' });
    await all.clock.flush();
    expect(started).toHaveBeenCalledTimes(1000);
    expect(answersIn(all.transport.sent)).toEqual({ result: 0, refused: 500 });
  });

  test('has the events of a stream thinned that the program listens to', async () => {
    const subscription = { 'io.modelcontextprotocol/subscriptionId': 0 };
    const all = await connected(
      modern({
        'subscriptions/listen': (_params, line, { id }) => {
          subscription['io.modelcontextprotocol/subscriptionId'] = id as number;
          line.notify('notifications/subscriptions/acknowledged', {
            notifications: { toolsListChanged: true },
            _meta: subscription,
          });
        },
      }),
      { limits: { 'notifications/*': { perSecond: 1, burst: 8 } } },
    );
    const onnotification = vi.fn();
    const handle = await all.client.listen({ toolsListChanged: true }, { onnotification });
    for (let at = 0; at < 1000; at += 1)
      all.transport.line.notify('notifications/tools/list_changed', { _meta: subscription });
    await all.clock.flush();
    // The acknowledgement counted as well.
    expect(onnotification).toHaveBeenCalledTimes(7);
    expect(all.problems.filter(({ message }) => message.includes('too often'))).toHaveLength(1);
    handle.close();
  });

  test('cannot make the client forget that a list has changed', async () => {
    const clock = new ManualClock();
    let told = 0;
    const all = await connected(legacy({ 'tools/list': () => ({ tools: [] }) }), {
      clock,
      limits: { 'notifications/*': { perSecond: 0.001, burst: 1 } },
      listChanged: { tools: { onChanged: () => (told += 1) } },
    });
    for (let change = 0; change < 20; change += 1) all.transport.line.notify('notifications/tools/list_changed');
    await clock.advance(5000);
    const before = told;
    expect(before).toBeGreaterThan(0);
    all.transport.line.notify('notifications/tools/list_changed');
    await clock.advance(5000);
    expect(told).toBe(before + 1);
  });
});
