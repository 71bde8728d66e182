import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { Client } from 'crosspoint/client';
import { StdioClientTransport } from 'crosspoint/client/stdio';
import { createMcpHandler } from 'crosspoint/server';
import { connectLinked, type Linked } from 'crosspoint/testing';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { proves } from '../../../crosspoint/test/requirements/proves.ts';
import { answerQuestions, CallsInFlight, describeItem, Inbox } from '../../src/index.ts';
import type { QuestionsOptions, SamplingModel, SamplingRequest } from '../../src/index.ts';
import { askingServer } from './asking-server.mjs';

const FAMILIES = ['2025-11-25', '2026-07-28'];
const INFO = { name: 'host', version: '1.0.0' };
const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

type Given = Omit<QuestionsOptions, 'server' | 'asks' | 'calls'>;

interface Host {
  readonly inbox: Inbox;
  readonly linked: Linked;
  readonly changed: () => Promise<void>;
  /** Calls a tool as a host does, and gives the text of its result. */
  readonly call: (tool: string, args?: Record<string, unknown>) => Promise<string>;
}

async function host(revision: string, options: Given = {}): Promise<Host> {
  const inbox = new Inbox({ timeoutMs: 20_000 });
  const calls = new CallsInFlight();
  let changed = (): Promise<void> => Promise.resolve();
  const linked = await connectLinked(askingServer(), {
    revision,
    prepare: (client) => {
      const answered = answerQuestions(client, { server: 'asking', asks: inbox, calls, ...options });
      changed = () => answered.rootsChanged();
    },
  });
  ends.push(
    () => linked.close(),
    () => inbox.close(),
  );
  let id = 0;
  const call: Host['call'] = (tool, args = {}) => {
    id += 1;
    return calls.during({ id: `call-${id}`, tool, arguments: args as never }, async (followed) => {
      const { content } = await linked.client.callTool({ name: tool, arguments: args }, followed);
      return content.map((block) => (block.type === 'text' ? block.text : '')).join('');
    });
  };
  return { inbox, linked, call, changed };
}

const next = (inbox: Inbox, count = 1) =>
  vi.waitFor(() => {
    const items = inbox.list();
    expect(items).toHaveLength(count);
    return items[0] as NonNullable<(typeof items)[0]>;
  });

const failure = (promise: Promise<unknown>): Promise<Error & { code?: unknown }> =>
  promise.then(
    (value) => Promise.reject(new Error(`it did not fail: ${JSON.stringify(value)}`)),
    (error: Error) => error,
  );

describe.each(FAMILIES)('a question in %s', (revision) => {
  proves('L-ELICITATION-031, M-ELI-026, L-ELICITATION-017, M-ELI-017').it(
    'for a form comes to the inbox with its server and its call, and is answered, declined or cancelled',
    async () => {
      const { inbox, call } = await host(revision);
      const result = call('greet', { language: 'French' });
      const item = await next(inbox);
      expect(item).toMatchObject({
        kind: 'form',
        from: {
          server: 'asking',
          call: { id: 'call-1', tool: 'greet', arguments: { language: 'French' } },
          reason: 'The server asking wants information from you while it runs the tool greet.',
        },
      });
      inbox.answer(item.id, { action: 'accept', content: { name: 'Ada', plan: 'paid' } });
      expect(await result).toBe('Ada, paid');
      for (const action of ['decline', 'cancel'] as const) {
        const refused = call('greet', { language: 'Greek' });
        inbox.answer((await next(inbox)).id, { action });
        expect(await refused).toBe(action);
      }
    },
  );

  proves('L-ELICITATION-058, M-ELI-032, L-ELICITATION-057, M-ELI-031, L-ELICITATION-036').it(
    'for a page opens nothing before the user agrees, and then hands it to the browser of the user alone',
    async () => {
      const opened: string[] = [];
      const fetched = vi.spyOn(globalThis, 'fetch');
      const { inbox, call } = await host(revision, { openUrl: (url) => void opened.push(url) });
      const refused = call('connect');
      const item = await next(inbox);
      expect(describeItem(item).lines.slice(0, 4)).toEqual([
        'Please sign in at https://other.example',
        'Host:    xn--bcher-kva.example',
        'Address: https://xn--bcher-kva.example/in?x=1',
        'Warning: the name of the host is written in letters that can imitate another one (punycode)',
      ]);
      inbox.answer(item.id, { action: 'decline' });
      expect(await refused).toBe('decline true');
      expect(opened).toEqual([]);
      const agreed = call('connect');
      inbox.answer((await next(inbox)).id, { action: 'accept' });
      expect(await agreed).toBe('accept true');
      expect(opened).toEqual(['https://xn--bcher-kva.example/in?x=1']);
      expect(fetched).not.toHaveBeenCalled();
      fetched.mockRestore();
    },
  );

  it('for a page that cannot be opened is cancelled', async () => {
    const problems: Error[] = [];
    const { inbox, call } = await host(revision, {
      openUrl: () => Promise.reject(new Error('no browser')),
      onproblem: (problem) => problems.push(problem),
    });
    const result = call('connect');
    inbox.answer((await next(inbox)).id, { action: 'accept' });
    expect(await result).toBe('cancel true');
    expect(problems[0]?.message).toContain('could not be opened');
  });

  proves(
    'L-SAMPLING-009, L-SAMPLING-011, L-SAMPLING-012, L-SAMPLING-014, L-SAMPLING-037, L-SECURITY-010, M-SAMP-005, L-SAMPLING-022',
  ).it('for a model is shown and can be edited before, and its words before the server gets them', async () => {
    const requests: SamplingRequest[] = [];
    const { inbox, call } = await host(revision, {
      sampling: {
        model: async (request, { server }) => {
          requests.push(request);
          return { role: 'assistant', model: `m-${server}`, content: { type: 'text', text: 'Roses' } };
        },
      },
    });
    const result = call('poem');
    const before = await next(inbox);
    expect(requests).toEqual([]);
    expect(before).toMatchObject({ kind: 'sampling', from: { server: 'asking', call: { tool: 'poem' } } });
    const edited = { messages: [{ role: 'user', content: { type: 'text', text: 'A short one' } }], maxTokens: 9000 };
    inbox.answer(before.id, { action: 'allow', request: edited });
    const after = await next(inbox);
    expect(requests).toEqual([{ ...edited, maxTokens: 50, includeContext: 'none' }]);
    expect(after).toMatchObject({ kind: 'sampled', question: { result: { content: { text: 'Roses' } } } });
    const changed = { role: 'assistant', model: 'm', content: { type: 'text', text: 'Violets' } };
    inbox.answer(after.id, { action: 'allow', result: changed });
    expect(await result).toBe('m: Violets');
  });

  proves('L-SAMPLING-013').it(
    'for a model is refused with the error of the specification, before and after',
    async () => {
      const model = vi.fn(() =>
        Promise.resolve({ role: 'assistant' as const, model: 'm', content: { type: 'text' as const, text: 'secret' } }),
      );
      const { inbox, call, linked } = await host(revision, { sampling: { model } });
      const isHandshake = revision === FAMILIES[0];
      const denied = failure(call('poem'));
      inbox.answer((await next(inbox)).id, { action: 'deny' });
      expect((await denied).message).toContain('User rejected sampling request');
      expect(model).not.toHaveBeenCalled();
      const kept = call('poem').catch((error: Error) => error.message);
      inbox.answer((await next(inbox)).id, { action: 'allow' });
      inbox.answer((await next(inbox)).id, { action: 'deny' });
      expect(await kept).toContain('User rejected sampling request');
      const sent = linked.recorder.lines.filter((line) => line.startsWith('→')).join('\n');
      expect(sent).not.toContain('secret');
      expect(sent.match(/"code":-1,/g)?.length ?? 0).toBe(isHandshake ? 2 : 0);
    },
  );

  it('for a model that is not there is answered by the words that a person types, or refused', async () => {
    const { inbox, call } = await host(revision, { sampling: {} });
    const typed = call('poem');
    const result = { role: 'assistant', model: 'person', content: { type: 'text', text: 'Daisies' } };
    inbox.answer((await next(inbox)).id, { action: 'allow', result });
    expect(await typed).toBe('person: Daisies');
    const none = call('poem').catch((error: Error) => error.message);
    inbox.answer((await next(inbox)).id, { action: 'allow' });
    expect(await none).toContain('User rejected');
  });

  it('for context is declared and given by the policy alone', async () => {
    const seen: string[] = [];
    const model: SamplingModel = async (request) => {
      seen.push(request.includeContext);
      return { role: 'assistant', model: 'm', content: { type: 'text', text: 'x' } };
    };
    const { inbox, call } = await host(revision, { sampling: { model, includeContext: () => 'thisServer' } });
    inbox.watch((change) => {
      if (change.type === 'asked') inbox.answer(change.item.id, { action: 'allow' });
    });
    await call('poem', { context: 'allServers' });
    await call('poem');
    expect(seen).toEqual(['thisServer', 'none']);
  });

  proves('L-ROOTS-013, L-ROOTS-002').it(
    'for folders is asked once for each set of them; the server learns those that the user allowed',
    async () => {
      let roots = [{ uri: 'file:///home/a', name: 'a' }, { uri: 'file:///home/b' }];
      const { inbox, call, linked, changed } = await host(revision, { roots: () => roots });
      const first = call('folders');
      const item = await next(inbox);
      expect(item.question).toEqual({ roots });
      inbox.answer(item.id, { action: 'allow', roots: [{ uri: 'file:///home/b' }] });
      expect(await first).toBe('file:///home/b');
      expect(await call('folders')).toBe('file:///home/b');
      roots = [{ uri: 'file:///home/c' }];
      await changed();
      const second = call('folders');
      inbox.answer((await next(inbox)).id, { action: 'deny' });
      expect(await second).toBe('none');
      expect(await call('folders')).toBe('none');
      const told = linked.recorder.lines.filter((line) => line.includes('notifications/roots/list_changed'));
      expect(told).toHaveLength(revision === FAMILIES[0] ? 1 : 0);
      // The refusal may have been that of a user who was not there.
      const now = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 600_000);
      const later = call('folders');
      inbox.answer((await next(inbox)).id, { action: 'allow' });
      expect(await later).toBe('file:///home/c');
      now.mockRestore();
      roots = [];
      expect(await call('folders')).toBe('none');
    },
  );

  it('is withdrawn when its call is cancelled', async () => {
    const { inbox, linked } = await host(revision);
    const cancel = new AbortController();
    const result = failure(
      linked.client.callTool({ name: 'greet', arguments: { language: 'x' } }, { signal: cancel.signal }),
    );
    await next(inbox);
    cancel.abort();
    await result;
    await vi.waitFor(() => expect(inbox.list()).toEqual([]));
  });
});

describe('capabilities', () => {
  const declared = async (options: Given): Promise<unknown> => {
    const { linked } = await host('2025-11-25', options);
    const { extensions: _, ...rest } = linked.client.getClientCapabilities();
    return rest;
  };

  proves('L-ELICITATION-001, M-ELI-001').it(
    'are declared for the questions that can be answered, and no others',
    async () => {
      expect(await declared({})).toEqual({ elicitation: { form: {}, url: {} } });
      expect(await declared({ elicitation: { url: false }, sampling: {} })).toEqual({
        elicitation: { form: {} },
        sampling: {},
      });
      expect(await declared({ elicitation: { form: false, url: false }, roots: () => [] })).toEqual({
        roots: { listChanged: true },
      });
      expect(
        await declared({ elicitation: { form: false }, sampling: { tools: true, includeContext: () => 'none' } }),
      ).toEqual({ elicitation: { url: {} }, sampling: { tools: {}, context: {} } });
    },
  );
});

describe('the call that a question belongs to', () => {
  async function connected(target: Parameters<Client['connect']>[0], revision: string) {
    const inbox = new Inbox({ timeoutMs: 20_000 });
    const calls = new CallsInFlight();
    const client = new Client(INFO, { revisions: [revision] });
    answerQuestions(client, { server: 'asking', asks: inbox, calls });
    await client.connect(target);
    ends.push(
      () => client.close(),
      () => inbox.close(),
    );
    const greet = (language: string): Promise<unknown> =>
      calls.during({ id: language, tool: 'greet', arguments: { language } }, (followed) =>
        client.callTool({ name: 'greet', arguments: { language } }, followed),
      );
    return { inbox, greet };
  }

  it.each(FAMILIES)('is certain over HTTP in %s, however many run', async (revision) => {
    const handler = createMcpHandler(askingServer());
    const http = createServer((request, response) => void handler.node(request, response));
    await new Promise<void>((resolve) => void http.listen(0, '127.0.0.1', resolve));
    const { port } = http.address() as AddressInfo;
    const { inbox, greet } = await connected(`http://127.0.0.1:${port}/mcp`, revision);
    ends.push(async () => {
      await handler.close({ grace: 0 });
      http.closeAllConnections();
      await new Promise((resolve) => void http.close(resolve));
    });
    const languages = ['Dutch', 'Greek', 'Latin', 'Welsh'];
    const results = languages.map(greet);
    await next(inbox, 4);
    for (const item of inbox.list()) {
      const { message } = item.question as { message: string };
      expect(message).toBe(`Your name, for a greeting in ${item.from.call?.id}?`);
      inbox.answer(item.id, { action: 'decline' });
    }
    await Promise.all(results);
  });

  it.each(FAMILIES)('is known over stdio in %s where one runs, and never wrong where several do', async (revision) => {
    const server = fileURLToPath(new URL('./asking-server.mjs', import.meta.url));
    const transport = new StdioClientTransport({ command: process.execPath, args: [server] });
    const { inbox, greet } = await connected(transport, revision);
    const alone = greet('Dutch');
    const item = await next(inbox);
    expect(item.from.call?.id).toBe('Dutch');
    inbox.answer(item.id, { action: 'decline' });
    await alone;
    const both = [greet('Greek'), greet('Latin')];
    await next(inbox, 2);
    for (const each of inbox.list()) {
      const { message } = each.question as { message: string };
      const isKnown = revision !== FAMILIES[0];
      if (isKnown) expect(message).toContain(String(each.from.call?.id));
      else {
        expect(each.from.call).toBeUndefined();
        expect(each.from.reason).toContain('it does not say for which of them');
      }
      inbox.answer(each.id, { action: 'decline' });
    }
    await Promise.all(both);
  });
});
