import { fileURLToPath } from 'node:url';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { McpServer, createMcpHandler, text } from 'crosspoint/server';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import type { ProgramServer } from '../../src/host-options.ts';
import { flatSpans } from '../../src/timeline/query.ts';
import type { TimelineSpan } from '../../src/timeline/span.ts';
import { timeline, type Timeline } from '../../src/timeline/timeline.ts';
import { inSpan } from '../../src/tracing/tracing.ts';
import { answering, child, closeHosts, inProcess, openHost } from '../host/opened.ts';

const ASKER = fileURLToPath(new URL('../programs/asker.mjs', import.meta.url));
const ALLOW = { default: 'allow' } as const;

const open: Server[] = [];
afterEach(async () => {
  await closeHosts();
  for (const http of open.splice(0)) {
    http.closeAllConnections();
    http.close();
  }
});

function notes(): McpServer {
  const server = new McpServer({ name: 'notes', version: '1.0.0' }, { capabilities: { logging: {} } });
  server.registerTool('read', { inputSchema: z.object({ id: z.string() }) }, ({ id }, ctx) => {
    ctx.progress(1, 2, 'half');
    return text(`note ${id}`);
  });
  server.registerTool('fail', {}, () => ({ isError: true, content: [{ type: 'text', text: 'no' }] }));
  server.registerResource('note', 'note://one', {}, (uri) => ({ contents: [{ uri: uri.href, text: 'a note' }] }));
  server.registerPrompt('greet', {}, () => ({ messages: [] }));
  return server;
}

async function overHttp(server: McpServer): Promise<ProgramServer> {
  const handler = createMcpHandler(server, { path: '/mcp' });
  const http = createServer((request, response) => void handler.node(request, response));
  open.push(http);
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  return { url: `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp` };
}

const named = (line: Timeline, kind: string, name?: string): TimelineSpan[] =>
  flatSpans(line.query({ limit: 1000 })).filter(
    (span) => span.kind === kind && (name === undefined || span.name === name),
  );
const kindsUnder = ({ children }: TimelineSpan): string[] => children.map(({ kind }) => kind);

/** Every span has its parent, and begins no earlier. */
function checkParents(line: Timeline): void {
  const all = flatSpans(line.query({ limit: 1000 }));
  const byId = new Map(all.map((span) => [span.id, span]));
  for (const { parent, startedAt, trace } of all) {
    if (parent === undefined) continue;
    expect(byId.get(parent)?.trace).toBe(trace);
    expect(byId.get(parent)?.startedAt).toBeLessThanOrEqual(startedAt);
  }
}

describe('a host without a timeline', () => {
  it('says which import is missing, and runs spans all the same', async () => {
    const host = openHost({ servers: { notes: inProcess(notes()) }, policy: ALLOW });
    expect(() => host.timeline).toThrow("import { timeline } from '@crosspoint/host/timeline'");
    await host.settled();
    const result = await host.span('run', {}, (span) => {
      span.event('x');
      span.set({ x: 1 });
      span.end();
      return inSpan('model', {}, () => host.callTool('notes__read', { id: '1' }));
    });
    expect(result.content).toEqual(text('note 1').content);
    await expect(host.span('run', {}, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  });
});

describe('a call', () => {
  it('leads to its decision, its question, its request and its progress', async () => {
    const host = openHost({ servers: { notes: inProcess(notes()) }, timeline: timeline() });
    answering(host, 'call', () => ({ action: 'allow' }));
    await host.settled();
    const seen: unknown[] = [];
    const onprogress = (progress: unknown): void => void seen.push(progress);
    await host.callTool('notes__read', { id: '1' }, { onprogress, reason: 'To know.' });
    const [call] = host.timeline.query({ kinds: ['call'] });
    expect(call).toMatchObject({
      name: 'notes__read',
      server: 'notes',
      status: 'ok',
      facts: { arguments: { id: '1' }, reason: 'To know.', isError: false, content: ['text'] },
    });
    expect(call).not.toHaveProperty('parent');
    expect(kindsUnder(call as TimelineSpan)).toEqual(['decision', 'question', 'request']);
    expect(call?.children[0]).toMatchObject({ name: 'ask call', facts: { effect: 'ask' } });
    expect(call?.children[1]).toMatchObject({ name: 'call', facts: { action: 'allow', by: 'person' } });
    expect(call?.events.filter(({ name }) => name === 'progress')).toHaveLength(1);
    expect(seen).toHaveLength(1);
    checkParents(host.timeline);
  });

  it('of a tool that is not there, and one that is refused, end as failed', async () => {
    const host = openHost({
      servers: { notes: inProcess(notes()) },
      timeline: timeline(),
      policy: { default: 'deny', rules: [{ effect: 'allow', action: 'start' }] },
    });
    await host.settled();
    await expect(host.callTool('notes__gone')).rejects.toThrow();
    await expect(host.callTool('notes__read', { id: '1' })).rejects.toThrow();
    const calls = named(host.timeline, 'call');
    expect(calls.map(({ status }) => status)).toEqual(['failed', 'failed']);
    expect(calls[1]?.error).toContain('refused');
  });

  it('over HTTP leads to its exchange, with status and bytes', async () => {
    const host = openHost({ servers: { notes: await overHttp(notes()) }, timeline: timeline(), policy: ALLOW });
    await host.settled();
    await host.callTool('notes__read', { id: '1' });
    await host.readResource('notes', 'note://one');
    await host.getPrompt('notes__greet');
    for (const kind of ['call', 'read', 'prompt']) {
      const [span] = named(host.timeline, kind);
      const request = span?.children.find((one) => one.kind === 'request');
      expect(request?.children, kind).toMatchObject([
        {
          kind: 'http',
          status: 'ok',
          facts: { method: 'POST', status: 200, requestBytes: expect.any(Number) as number },
        },
      ]);
      expect(Number(request?.children[0]?.facts['responseBytes'])).toBeGreaterThan(20);
    }
    checkParents(host.timeline);
  });
});

describe('the beginning of a trace', () => {
  it('is the run, the conversation, or the call itself', async () => {
    const host = openHost({ servers: { notes: inProcess(notes()) }, timeline: timeline(), policy: ALLOW });
    await host.settled();
    const call = (conversation?: string): Promise<unknown> => host.callTool('notes__fail', {}, { conversation });
    await host.span('run', { name: 'one' }, () => Promise.all([call(), call('a'), inSpan('model', {}, () => call())]));
    await Promise.all([call('a'), call('a'), call('b')]);
    await call();
    host.endConversation('a');
    await call('a');
    const roots = host.timeline.query().filter(({ kind }) => kind !== 'server');
    expect(roots.map(({ kind, name, status }) => [kind, name, status])).toEqual([
      ['run', 'one', 'ok'],
      ['conversation', 'a', 'ok'],
      ['conversation', 'b', 'open'],
      ['call', 'notes__fail', 'ok'],
      ['conversation', 'a', 'open'],
    ]);
    expect(roots.map(kindsUnder).slice(0, 3)).toEqual([['call', 'model', 'call'].sort(), ['call', 'call'], ['call']]);
    expect(roots[0]?.children.find(({ kind }) => kind === 'model')?.children).toMatchObject([{ kind: 'call' }]);
    await host.close();
    expect(flatSpans(host.timeline.query()).filter(({ status }) => status === 'open')).toEqual([]);
  });
});

describe('a question of a server', () => {
  it.each(['2025-06-18', '2026-07-28'])('is led to by its call, and leads to the model: %s', async (revision) => {
    const model = async (): Promise<never> => {
      await inSpan('thought', {}, () => undefined);
      return { model: 'm', role: 'assistant', content: { type: 'text', text: 'Roses' } } as never;
    };
    const host = openHost({
      servers: { asker: { command: process.execPath, args: [ASKER, '--revisions', revision] } },
      timeline: timeline(),
      policy: ALLOW,
      sampling: { model },
    });
    answering(host, 'form', () => ({ action: 'accept', content: { name: 'ada-1815-lovelace' } }));
    await host.settled();
    await host.callTool('asker__sample');
    await host.callTool('asker__form');
    const [sampling, form] = named(host.timeline, 'asked');
    const calls = named(host.timeline, 'call');
    const isUnder = (span: TimelineSpan | undefined, call: TimelineSpan | undefined): boolean =>
      call !== undefined && flatSpans([call]).some(({ id }) => id === span?.id);
    expect(isUnder(sampling, calls[0])).toBe(true);
    expect(isUnder(form, calls[1])).toBe(true);
    const [thought] = named(host.timeline, 'thought');
    expect(named(host.timeline, 'model')[0]).toMatchObject({
      parent: sampling?.id,
      id: thought?.parent,
      facts: { model: 'm' },
    });
    expect(form?.children.find(({ kind }) => kind === 'question')).toMatchObject({
      name: 'form',
      facts: { action: 'accept', fields: ['name'] },
    });
    expect(JSON.stringify(host.timeline.query())).not.toContain('lovelace');
    checkParents(host.timeline);
  });
});

describe('a server that crashes', () => {
  it('is started again by the call that was in flight, and its last words are those of the call', async () => {
    const host = openHost({ servers: { fragile: child('fragile') }, timeline: timeline(), policy: ALLOW });
    await host.settled();
    await host.span('run', {}, async () => {
      await expect(host.callTool('fragile__die')).rejects.toThrow();
      await vi.waitFor(() => expect(host.servers.get('fragile')?.state.status).toBe('ready'), 10_000);
      await host.callTool('fragile__tool_0');
    });
    const [run] = host.timeline.query({ kinds: ['run'] });
    expect(run?.children.map(({ name, status }) => [name, status])).toEqual([
      ['fragile__die', 'failed'],
      ['fragile__tool_0', 'ok'],
    ]);
    expect(run?.children[0]?.children.at(-1)).toMatchObject({ kind: 'restart', name: 'fragile', status: 'ok' });
    expect(run?.children[0]?.events.map(({ name }) => name)).toContain('connection-lost');
    expect(named(host.timeline, 'connect')[0]?.parent).toBe(host.timeline.query({ kinds: ['server'] })[0]?.id);
    checkParents(host.timeline);
  });
});

describe('a query', () => {
  it('finds by kind, server, trace, time and text, and gives the newest', async () => {
    const line = timeline();
    for (const server of ['a', 'b', 'c'])
      await line.span('call', { name: `${server}__x`, server, about: `Word ${server}` }, () =>
        inSpan('http', {}, () => 1),
      );
    const names = (query: Parameters<Timeline['query']>[0]): string[] => line.query(query).map(({ name }) => name);
    expect(names({})).toEqual(['a__x', 'b__x', 'c__x']);
    expect(names({ kinds: ['http'] })).toEqual(['http', 'http', 'http']);
    expect(names({ server: 'b' })).toEqual(['b__x']);
    expect(names({ text: 'wORD c' })).toEqual(['c__x']);
    expect(names({ limit: 2 })).toEqual(['b__x', 'c__x']);
    expect(names({ limit: 0 })).toEqual([]);
    const [first, , last] = line.query();
    expect(names({ trace: first?.trace ?? '' })).toEqual(['a__x']);
    expect(names({ since: last?.startedAt ?? 0 })).toEqual(['c__x']);
    expect(line.size).toMatchObject({ traces: 3, spans: 6 });
    line.clear();
    expect(names({})).toEqual([]);
  });

  it('is not needed to hear of changes', async () => {
    const line = timeline();
    const seen: string[] = [];
    const stop = line.watch(({ type, span }) => seen.push(`${type} ${span.kind} ${span.status}`));
    await line.span('run', {}, (span) => span.event('x'));
    stop();
    await line.span('run', {}, () => 1);
    expect(seen).toEqual(['began run open', 'event run open', 'ended run ok']);
  });
});

describe('a timeline', () => {
  it('belongs to one host, and takes limits that are numbers', () => {
    const line = timeline();
    openHost({ timeline: line });
    expect(() => openHost({ timeline: line })).toThrow('A timeline belongs to one host');
    expect(() => timeline({ maxSpans: 0 })).toThrow('maxSpans of a timeline must be a number above 0.');
    expect(() => timeline({ maxBytes: Number.NaN })).toThrow(TypeError);
  });

  it('stays within its limits beside a server that never stops talking', async () => {
    const server = new McpServer({ name: 'loud', version: '1.0.0' }, { capabilities: { logging: {} } });
    server.registerTool('shout', {}, async (ctx) => {
      for (let at = 0; at < 2000; at += 1) {
        ctx.progress(at, 2000, 'x'.repeat(500));
        if (at % 20 === 0) await new Promise(setImmediate);
      }
      return text('done');
    });
    const line = timeline({ maxSpans: 200, maxBytes: 100_000 });
    const host = openHost({
      servers: { loud: inProcess(server), quiet: inProcess(notes()) },
      timeline: line,
      policy: ALLOW,
    });
    await host.settled();
    await host.callTool('quiet__read', { id: '1' });
    for (let at = 0; at < 5; at += 1) await host.callTool('loud__shout', {}, { conversation: 'long' });
    expect(line.size.bytes).toBeLessThanOrEqual(100_000);
    expect(line.dropped.events).toBeGreaterThan(10);
    expect(line.query({ kinds: ['call'], server: 'quiet' })).toHaveLength(1);
    checkParents(line);
  });
});
