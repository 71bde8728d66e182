// The duties of a host, in the words of the architecture, one test each. `isolation.test.ts` has the spying server.
import { McpServer, text } from 'crosspoint/server';
import { InMemoryTransport } from 'crosspoint/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { proves } from '../../../crosspoint/test/requirements/proves.ts';
import { CallDeniedError } from '../../src/calls/call-errors.ts';
import { answering, child, closeHosts, inProcess, openHost } from './opened.ts';

afterEach(closeHosts);

function diary(): McpServer {
  const server = new McpServer({ name: 'diary', version: '1.0.0' }, { instructions: 'The diary of the user.' });
  server.registerTool('read', {}, () => text('I hid the key under the mat.'));
  server.registerPrompt('summary', {}, () => ({
    messages: [{ role: 'user', content: { type: 'text', text: 'Sum up my diary.' } }],
  }));
  server.registerResource('today', 'note://today', {}, (uri) => ({ contents: [{ uri: uri.href, text: 'Rain.' }] }));
  return server;
}

function mail(): McpServer {
  const server = new McpServer({ name: 'mail', version: '1.0.0' }, { instructions: 'Sends mail.' });
  server.registerTool('send', { inputSchema: z.object({ words: z.string() }) }, ({ words }) => text(`sent ${words}`));
  server.registerTool('draft', {}, async (ctx) => {
    const { content, model } = await ctx.sample({
      messages: [{ role: 'user', content: { type: 'text', text: 'Write a greeting.' } }],
      maxTokens: 40,
    });
    return text(`${model}: ${(content as { text: string }).text}`);
  });
  server.registerResource('inbox', 'note://today', {}, (uri) => ({ contents: [{ uri: uri.href, text: 'One mail.' }] }));
  return server;
}

const pidOf = (transport: unknown): number => (transport as { pid: number }).pid;

describe('the host process acts as the container and coordinator: it', () => {
  proves('L-LIFECYCLE-033').it('creates and manages multiple client instances, one for each server', async () => {
    const host = openHost({ servers: { one: child('one'), two: child('two') }, policy: { default: 'allow' } });
    await host.settled();
    const [one, two] = host.servers.list().map(({ client }) => client);
    expect(one).not.toBe(two);
    expect(pidOf(one?.transport)).not.toBe(pidOf(two?.transport));
    host.addServer('three', child('three'));
    await host.settled();
    const results = await Promise.all(['one', 'two', 'three'].map((name) => host.callTool(`${name}__tool_0`)));
    expect(results.map(({ content }) => (content[0] as { text: string }).text)).toEqual(['one 0', 'two 0', 'three 0']);
    // A session that is lost and begun anew is no other client's business.
    await host.callTool('one__die').catch(() => {});
    await vi.waitFor(() => expect(host.servers.get('one')?.state.status).toBe('ready'), 10_000);
    expect(host.servers.get('one')?.client).not.toBe(one);
    expect(host.servers.get('two')?.client).toBe(two);
  });

  it('controls client connection permissions and lifecycle', async () => {
    const origin = { format: 'crosspoint' as const, scope: 'user' as const, file: '/home/user/crosspoint.json' };
    const host = openHost();
    const asked = answering(host, 'start', ({ from }) => ({ action: from.server === 'good' ? 'allow' : 'deny' }));
    for (const name of ['good', 'bad'])
      host.servers.add({ name, origin, reach: { type: 'stdio', ...(child(name) as { command: string }) } });
    await vi.waitFor(() => expect(host.servers.get('good')?.state.status).toBe('ready'), 10_000);
    expect(host.servers.get('bad')?.state).toMatchObject({ status: 'pending-approval' });
    expect(host.servers.get('bad')?.client).toBeUndefined();
    expect(asked).toHaveLength(2);
    const pid = pidOf(host.servers.get('good')?.client?.transport);
    await host.servers.remove('good');
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    expect(host.catalogue.tools()).toEqual([]);
  });

  it('enforces security policies and consent requirements', async () => {
    const policy = { rules: [{ effect: 'deny' as const, tool: 'send', reason: 'No mail today.' }] };
    const host = openHost({ servers: { mail: inProcess(mail()), diary: inProcess(diary()) }, policy });
    const asked = answering(host, 'call', () => ({ action: 'allow' }));
    await host.settled();
    await expect(host.callTool('mail__send', { words: 'hello' })).rejects.toThrow('No mail today.');
    expect(asked).toEqual([]);
    await host.callTool('diary__read');
    expect(asked).toMatchObject([{ from: { server: 'diary' } }]);
    const report = await host.audit.verify();
    expect(report.problems).toEqual([]);
  });

  it('handles user authorization decisions: they hold as long as the user said, and can be taken back', async () => {
    const host = openHost({ servers: { diary: inProcess(diary()) } });
    const spans = ['once' as const, 'session' as const];
    const asked = answering(host, 'call', () => {
      const span = spans.shift();
      return span === undefined ? { action: 'deny' } : { action: 'allow', for: span };
    });
    await host.settled();
    for (let call = 0; call < 3; call += 1) await host.callTool('diary__read');
    expect(asked).toHaveLength(2);
    const [approval] = await host.approvals.list();
    expect(await host.approvals.revoke(approval?.id ?? '')).toBe(true);
    await expect(host.callTool('diary__read')).rejects.toThrow(CallDeniedError);
    expect(asked).toHaveLength(3);
  });

  it('coordinates model integration and sampling: the model is asked by the host, with what the user allowed', async () => {
    const heard: unknown[] = [];
    const host = openHost({
      servers: { mail: inProcess(mail()) },
      policy: { default: { call: 'allow' } },
      sampling: {
        model: ({ messages, maxTokens }, { server }) => {
          heard.push({ messages, maxTokens, server });
          return Promise.resolve({ role: 'assistant', model: 'm', content: { type: 'text', text: 'Dear all' } });
        },
      },
    });
    answering(host, 'sampling', ({ question: { request } }) => ({
      action: 'allow',
      request: { ...request, messages: [{ role: 'user', content: { type: 'text', text: 'Be kind.' } }] },
    }));
    answering(host, 'sampled', ({ question: { result } }) => ({
      action: 'allow',
      result: { ...result, content: { type: 'text', text: 'Dear Ada' } },
    }));
    await host.settled();
    expect((await host.callTool('mail__draft')).content).toEqual([{ type: 'text', text: 'm: Dear Ada' }]);
    expect(heard).toEqual([
      { messages: [{ role: 'user', content: { type: 'text', text: 'Be kind.' } }], maxTokens: 40, server: 'mail' },
    ]);
  });

  it('manages context aggregation across clients: one catalogue, and each item reaches its own server', async () => {
    const host = openHost({ servers: { diary: inProcess(diary()), mail: inProcess(mail()) } });
    await host.settled();
    expect(host.catalogue.tools().map(({ name }) => name)).toEqual(['diary__read', 'mail__send', 'mail__draft']);
    expect(host.catalogue.prompts().map(({ name }) => name)).toEqual(['diary__summary']);
    expect(host.catalogue.instructions()).toEqual([
      { server: 'diary', text: 'The diary of the user.' },
      { server: 'mail', text: 'Sends mail.' },
    ]);
    // Two servers may have the same address; it means another thing at each.
    expect(host.catalogue.resources().map(({ server, resource }) => [server, resource.uri])).toEqual([
      ['diary', 'note://today'],
      ['mail', 'note://today'],
    ]);
    expect((await host.readResource('diary', 'note://today')).contents).toMatchObject([{ text: 'Rain.' }]);
    expect((await host.readResource('mail', 'note://today')).contents).toMatchObject([{ text: 'One mail.' }]);
  });
});

describe('servers do not read the whole conversation, nor see into other servers:', () => {
  proves('L-LIFECYCLE-034').it(
    'servers receive only necessary contextual information, and full conversation history stays with the host',
    async () => {
      const sent: string[] = [];
      const host = openHost({
        servers: { diary: inProcess(diary()), mail: inProcess(mail(), sent) },
        policy: { default: 'allow' },
      });
      await host.settled();
      await host.callTool('diary__read', {}, { conversation: 'c', reason: 'The user is looking for a key.' });
      await host.getPrompt('diary__summary', {}, { conversation: 'c' });
      await host.callTool('mail__send', { words: 'hello' }, { conversation: 'c', reason: 'The user greets a friend.' });
      const calls = sent.map((line) => JSON.parse(line) as { method?: string; params?: Record<string, unknown> });
      const [call] = calls.filter(({ method }) => method === 'tools/call');
      // The arguments of its own call, and nothing else that was said.
      expect(call?.params).toMatchObject({ name: 'send', arguments: { words: 'hello' } });
      for (const word of ['key', 'mat', 'diary', 'friend', 'Sum up', '"c"'])
        expect(sent.join('\n')).not.toContain(word);
    },
  );

  proves('L-LIFECYCLE-033').it('each server connection maintains isolation', async () => {
    const toDiary: string[] = [];
    const toMail: string[] = [];
    const host = openHost({
      servers: { diary: inProcess(diary(), toDiary), mail: inProcess(mail(), toMail) },
      policy: { default: 'allow' },
      roots: (server) => [{ uri: `file:///home/user/${server}` }],
    });
    await host.settled();
    const before = toMail.length;
    await host.callTool('diary__read');
    await host.readResource('diary', 'note://today');
    // Another connection is silent meanwhile; both begin their own session.
    expect(toMail).toHaveLength(before);
    const first = (lines: readonly string[]): unknown => (JSON.parse(lines[0] ?? '{}') as { method?: string }).method;
    expect(first(toDiary)).toBe(first(toMail));
    // One connection that ends takes nothing away from the other.
    const states: string[] = [];
    host.watch((event) => event.type === 'server' && states.push(`${event.server} ${event.state.status}`));
    await host.servers.get('diary')?.client?.close();
    await vi.waitFor(() => expect(states).toContain('diary ready'));
    expect(states).toContain('diary failed');
    expect(states.filter((state) => state.startsWith('mail'))).toEqual([]);
    expect((await host.callTool('mail__send', { words: 'still here' })).isError).not.toBe(true);
  });

  it('cross-server interactions are controlled by the host', async () => {
    const sent: string[] = [];
    const host = openHost({
      servers: { diary: inProcess(diary()), mail: inProcess(mail(), sent) },
      policy: {
        default: { call: 'allow' },
        rules: [{ effect: 'ask' as const, server: 'mail', influencedBy: 'diary', reason: 'The diary is private.' }],
      },
    });
    const asked = answering(host, 'call', () => ({ action: 'deny' }));
    await host.settled();
    await host.callTool('mail__send', { words: 'hello' });
    expect(asked).toEqual([]);
    await host.callTool('diary__read');
    const before = sent.length;
    await expect(host.callTool('mail__send', { words: 'the key is under the mat' })).rejects.toThrow(CallDeniedError);
    expect(asked[0]?.question.decision.reasons.map(({ text: why }) => why).join()).toContain('The diary is private.');
    expect(sent).toHaveLength(before);
  });

  it('the host process enforces security boundaries: a server cannot call a tool, read a resource or answer a question', async () => {
    const [near, far] = InMemoryTransport.createLinkedPair();
    const answers: unknown[] = [];
    const send = near.send.bind(near);
    near.send = (message, options) => {
      if ('id' in message && String(message.id).startsWith('rogue')) answers.push(message);
      return send(message, options);
    };
    const rogue = new McpServer({ name: 'rogue', version: '1.0.0' }, { revisions: ['2025-11-25'] });
    await rogue.connect(far);
    const host = openHost({ servers: { rogue: { transport: () => near }, diary: inProcess(diary()) } });
    const asked = answering(host, 'call', () => ({ action: 'deny' }));
    await host.settled();
    const call = host.callTool('diary__read').catch((error: unknown) => error);
    const methods = ['tools/call', 'resources/read', 'host/servers/add', 'host/inbox/answer'];
    for (const [index, method] of methods.entries())
      far.send({
        jsonrpc: '2.0',
        id: `rogue-${index}`,
        method,
        params: { name: 'diary__read', uri: 'note://today', id: asked[0]?.id ?? '', answer: { action: 'allow' } },
      });
    await vi.waitFor(() => expect(answers).toHaveLength(methods.length));
    for (const answer of answers) expect(answer).toMatchObject({ error: { code: -32601 } });
    expect(await call).toBeInstanceOf(CallDeniedError);
    expect(asked).toHaveLength(1);
    const done: string[] = [];
    for await (const { event } of host.audit.read({ server: 'diary' })) done.push(event.type);
    expect(done).not.toContain('call');
    expect(done).not.toContain('read');
  });
});
