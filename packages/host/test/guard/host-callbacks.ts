/** Callbacks of a host: each driver has a server or a user cause one to go wrong; then every server has to answer as before. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Client } from 'crosspoint/client';
import { McpServer, text, type ServerContext } from 'crosspoint/server';
import { memoryStore, type Store } from 'crosspoint/stores';
import { InMemoryTransport } from 'crosspoint/testing';
import { expect } from 'vitest';
import { Fault } from '../../../crosspoint/test/guard/faults.ts';
import { until } from '../../../crosspoint/test/until.ts';
import { AuditLog } from '../../src/audit/audit-log.ts';
import { MemorySecrets } from '../../src/secrets/memory-secrets.ts';
import { Catalogue } from '../../src/catalogue/catalogue.ts';
import type { ServerEntry } from '../../src/config/server-entry.ts';
import { Approvals } from '../../src/consent/approvals.ts';
import { answerQuestions, type QuestionsOptions } from '../../src/context/questions.ts';
import { WatchedRoots } from '../../src/context/watched-roots.ts';
import { Host } from '../../src/host.ts';
import type { HostOptions } from '../../src/host-options.ts';
import { Inbox } from '../../src/inbox/inbox.ts';
import { timeline } from '../../src/timeline/timeline.ts';
import { asError } from '../../src/values/guard.ts';
import { inProcess } from '../host/opened.ts';

/** Drives one callback with a fault. `isLoud`: the fault throws or rejects, so somebody has to be told. */
export type Driver = (fault: Fault, isLoud: boolean) => Promise<void>;

interface Plan {
  readonly options?: (fault: Fault) => Partial<HostOptions>;
  /** Lets the tool `act` of the server do something to its host. */
  readonly act?: (ctx: ServerContext, server: McpServer) => unknown;
  readonly on?: (host: Host, fault: Fault, server: McpServer) => unknown;
  /** The cause; a call of `act` when absent. */
  readonly by?: (host: Host, fault: Fault, server: McpServer) => Promise<unknown>;
  /** Whether the callback is the one that tells problems, so that its own cannot be told. */
  readonly isLast?: boolean;
}

const act = (host: Host): Promise<unknown> => host.callTool('acting__act');

function acting({ act: does }: Plan): McpServer {
  const server = new McpServer(
    { name: 'acting', version: '1' },
    { capabilities: { logging: {}, resources: { subscribe: true, listChanged: true }, tools: { listChanged: true } } },
  );
  server.registerTool('echo', {}, () => text('still here'));
  server.registerTool('act', {}, async (ctx) => {
    await does?.(ctx, server);
    return text('acted');
  });
  server.registerResource('note', 'note://one', {}, () => ({ contents: [] }));
  return server;
}

/** The words of everything that was told: problems, failed calls, and the states of servers. */
class Told {
  readonly words: string[] = [];

  note = (problem: unknown): void => void this.words.push(asError(problem).message);

  follow(host: Host): void {
    host.watch((event) => {
      if (event.type === 'server' && 'cause' in event.state) this.note(event.state.cause);
    });
  }
}

const answerAll = (host: Host): void => {
  host.inbox.watch((change) => {
    if (change.type !== 'asked') return;
    const { id, kind } = change.item;
    if (kind === 'form') host.inbox.answer(id, { action: 'accept', content: {} });
    else host.inbox.answer(id, { action: kind === 'url' ? 'accept' : 'allow' });
  });
};

export const drive =
  (plan: Plan): Driver =>
  async (fault, isLoud) => {
    const told = new Told();
    const server = acting(plan);
    const other = acting({});
    const host = new Host({
      name: 'host',
      version: '1',
      policy: { default: { call: 'allow' } },
      retry: { initialDelayMs: 5, maxDelayMs: 20, attempts: 1000 },
      connectMs: 500,
      questionMs: 500,
      onproblem: told.note,
      ...plan.options?.(fault),
      servers: { other: inProcess(other), acting: inProcess(server) },
    });
    told.follow(host);
    await plan.on?.(host, fault, server);
    answerAll(host);
    await host.settled();
    // It may never end: the host must be able to go on all the same.
    const cause = (plan.by ?? act)(host, fault, server).catch(told.note);
    await fault.called();
    if (isLoud && plan.isLast !== true) await until(() => told.words.length > 0, 'the problem is told');
    fault.isOn = false;
    for (const name of ['other__echo', 'acting__echo'])
      expect((await host.callTool(name)).content).toEqual(text('still here').content);
    await host.close();
    await cause;
    expect(host.servers.list().every(({ state }) => state.status === 'closed')).toBe(true);
  };

/** A client whose questions are answered with these options, and a server that asks one. */
async function asked(
  fault: Fault,
  { act: does, ...options }: Omit<QuestionsOptions, 'server'> & Pick<Plan, 'act'>,
): Promise<void> {
  const client = new Client({ name: 'c', version: '1' }, { onproblem: () => {} });
  answerQuestions(client, { server: 'acting', ...options });
  const server = acting({ ...(does !== undefined && { act: does }) });
  const over = new AbortController();
  const [near, far] = InMemoryTransport.createLinkedPair();
  await server.connect(far);
  await client.connect(near);
  const call = client.callTool({ name: 'act' }, { signal: over.signal }).catch(() => {});
  await fault.called();
  fault.isOn = false;
  expect((await client.callTool({ name: 'echo' })).content).toEqual(text('still here').content);
  over.abort();
  await call;
  await client.close();
}

/** An entry of a configuration whose address holds a reference, resolved when the server is started. */
const entry = (reference: string): ServerEntry => ({
  name: 'configured',
  reach: { type: 'stdio', command: process.execPath, args: ['-e', '', reference] },
  origin: { format: 'crosspoint', scope: 'user' },
});

const FORM = { message: '?', requestedSchema: { type: 'object', properties: {} } } as const;
export const MESSAGES = [{ role: 'user' as const, content: { type: 'text' as const, text: 'Hello.' } }];
const RESULT = { role: 'assistant' as const, model: 'm', content: { type: 'text' as const, text: 'Hi.' } };
const opensPage = (ctx: ServerContext): Promise<unknown> =>
  ctx.elicit({ mode: 'url', message: '?', url: 'https://example.com/', elicitationId: 'e' } as never);

const storeOf = (fault: Fault, member: keyof Store): Store => {
  fault.isOn = false;
  return fault.of(memoryStore(), member);
};

/** A store that begins to fail when everything is connected. */
const stored = (member: keyof Store): Driver =>
  drive({
    options: (fault) => ({ store: storeOf(fault, member), policy: { default: { call: 'ask' } } }),
    by: async (host, fault) => {
      fault.isOn = true;
      await host.callTool('acting__act');
    },
  });

export const HOST: Readonly<Record<string, Driver>> = {
  watch: drive({ on: (host, fault) => host.watch(fault.in(() => {})) }),
  'catalogue.watch': drive({
    on: (host, fault) => host.catalogue.watch(fault.in(() => {})),
    by: async (_host, _fault, server) => server.registerTool('joined', {}, () => text('x')),
  }),
  'inbox.watch': drive({
    on: (host, fault) => host.inbox.watch(fault.in(() => {})),
    act: (ctx) => ctx.elicit(FORM),
  }),
  watchResource: drive({
    by: async (host, fault, server) => {
      const watching = await host.watchResource(
        'acting',
        'note://one',
        fault.in(() => {}),
      );
      await until(() => {
        void server.server.sendResourceUpdated({ uri: 'note://one' });
        return fault.calls > 0;
      });
      await watching.close();
    },
  }),
  onprogress: drive({
    act: (ctx) => ctx.progress(1, 2),
    by: (host, fault) => host.callTool('acting__act', {}, { onprogress: fault.in(() => {}) }),
  }),
  onproblem: drive({
    isLast: true,
    options: (fault) => ({ onproblem: fault.in(() => {}) }),
    on: (host) =>
      host.watch((event) => {
        if (event.type === 'call') throw new Error('told to onproblem');
      }),
  }),
  responders: drive({
    options: (fault) => ({ responders: [fault.in(() => undefined)] }),
    act: (ctx) => ctx.elicit(FORM),
  }),
  openUrl: drive({ options: (fault) => ({ openUrl: fault.in(() => {}) }), act: opensPage }),
  roots: drive({ options: (fault) => ({ roots: fault.in(() => []) }), act: (ctx) => ctx.listRoots() }),
  model: drive({
    options: (fault) => ({ sampling: { model: fault.in(() => Promise.resolve(RESULT)) } }),
    act: (ctx) => ctx.sample({ messages: MESSAGES, maxTokens: 10 }),
  }),
  includeContext: drive({
    options: (fault) => ({
      sampling: { model: () => Promise.resolve(RESULT), includeContext: fault.in(() => 'none' as const) },
    }),
    act: (ctx) => ctx.sample({ messages: MESSAGES, maxTokens: 10, includeContext: 'thisServer' }),
  }),
  fill: drive({
    by: async (host, fault) => {
      const made = entry('');
      host.servers.add({ ...made, template: { inputs: [], fill: fault.in(() => made.reach) } });
    },
  }),
  secret: drive({
    options: (fault) => ({
      secrets: Object.assign(new MemorySecrets(), { get: fault.in(() => Promise.resolve('x')) }),
    }),
    by: async (host) => void host.servers.add(entry('${secret:key}')),
  }),
  transport: drive({
    by: async (host, fault) => {
      const { transport } = inProcess(acting({})) as { transport: () => Promise<never> };
      host.addServer('third', { transport: fault.in(transport) });
    },
  }),
  'store.get': stored('get'),
  'store.put': stored('put'),
};

export const PARTS: Readonly<Record<string, Driver>> = {
  'catalogue.onproblem': async (fault) => {
    const catalogue = new Catalogue({ onproblem: fault.in(() => {}) });
    catalogue.watch(() => {
      throw new Error('told to onproblem');
    });
    catalogue.set('a', { tools: [], prompts: [], resources: [], templates: [] });
    await fault.called();
    expect(catalogue.listingOf('a')).toBeDefined();
  },
  'questions.onproblem': drive({
    isLast: true,
    options: (fault) => ({
      onproblem: fault.in(() => {}),
      openUrl: () => Promise.reject(new Error('no browser')),
    }),
    act: opensPage,
  }),
  asks: (fault) =>
    asked(fault, { asks: fault.of(new Inbox({ timeoutMs: 50 }), 'ask'), act: (ctx) => ctx.elicit(FORM) }),
  onpage: async (fault, isLoud) => {
    const told: unknown[] = [];
    const asks = new Inbox({ responders: [() => ({ action: 'accept' })] });
    await asked(fault, {
      asks,
      onpage: fault.in(() => {}),
      onproblem: (problem) => told.push(problem),
      act: opensPage,
    });
    if (isLoud) expect(told).toHaveLength(1);
  },
  'audit.onproblem': async (fault) => {
    const gone = new Fault(() => Promise.reject(new Error('gone')));
    const audit = new AuditLog({ store: gone.of(memoryStore(), 'put'), onproblem: fault.in(() => {}), retryMs: 5 });
    audit.write({ type: 'call', details: {} });
    await fault.called();
    gone.isOn = false;
    expect(await audit.flush()).toBe(true);
    expect((await audit.verify()).ok).toBe(true);
    await audit.close();
  },
  'audit.knownSecrets': async (fault, isLoud) => {
    const problems: Error[] = [];
    const audit = new AuditLog({
      store: memoryStore(),
      knownSecrets: fault.in(() => ['secret']),
      onproblem: (problem) => problems.push(problem),
    });
    audit.write({ type: 'call', details: { text: 'a secret' } });
    await fault.called();
    fault.isOn = false;
    audit.write({ type: 'call', details: { text: 'a secret' } });
    const entries = [];
    for await (const one of audit.read()) entries.push(one);
    expect(JSON.stringify(entries[1])).not.toContain('secret');
    if (isLoud) expect(problems.length).toBeGreaterThan(0);
    await audit.close();
  },
  'audit.write': async (fault, isLoud) => {
    const problems: Error[] = [];
    const audit = { write: fault.in(() => {}) };
    const inbox = new Inbox({ audit, timeoutMs: 20, onproblem: (problem) => problems.push(problem) });
    expect(await inbox.ask('form', { ...FORM, requestedSchema: {} }, { reason: 'A test.' })).toEqual({
      action: 'cancel',
    });
    const approvals = new Approvals({ store: memoryStore(), audit });
    const subject = {
      server: 'a',
      tool: { name: 't', inputSchema: { type: 'object' as const } },
      arguments: {},
      isTrusted: false,
      influencedBy: [],
    };
    await approvals.approve(subject, { for: 'always' });
    expect(await approvals.list()).toHaveLength(1);
    if (isLoud) await until(() => problems.length > 0);
  },
  'timeline.watch': async (fault, isLoud) => {
    const problems: Error[] = [];
    const line = timeline({ onproblem: (problem) => problems.push(problem) });
    line.watch(fault.in(() => {}));
    expect(await line.span('run', {}, () => 'done')).toBe('done');
    await fault.called();
    if (isLoud) await until(() => problems.length > 0);
    expect(line.query()).toMatchObject([{ kind: 'run', status: 'ok' }]);
  },
  'timeline.onproblem': async (fault) => {
    const line = timeline({ onproblem: fault.in(() => {}) });
    line.watch(() => {
      throw new Error('told to onproblem');
    });
    expect(await line.span('run', {}, () => 'done')).toBe('done');
    await fault.called();
    expect(line.query()).toMatchObject([{ kind: 'run', status: 'ok' }]);
  },
  'watchedRoots.onchange': async (fault, isLoud) => {
    const problems: Error[] = [];
    await changingRoots(
      fault.in(() => {}),
      (problem) => problems.push(problem),
    );
    if (isLoud) await until(() => problems.length > 0);
  },
  'watchedRoots.onproblem': (fault) =>
    changingRoots(
      () => Promise.reject(new Error('lost')),
      fault.in(() => {}),
    ),
};

/** The folder that a user works in vanishes. */
async function changingRoots(onchange: () => void | Promise<void>, onproblem: (problem: Error) => void): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'roots-'));
  let changes = 0;
  const counted = (): void | Promise<void> => {
    changes += 1;
    return onchange();
  };
  const given = [{ uri: pathToFileURL(folder).href }];
  const roots = new WatchedRoots(given, {
    onchange: counted,
    onproblem,
    intervalMs: 5,
  });
  // Looked at once before the folder vanishes.
  await roots.set(given);
  await rm(folder, { recursive: true });
  await until(() => changes > 0);
  expect(await roots.list()).toEqual([]);
  roots.close();
}
