import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { survives } from '../../../crosspoint/test/guard/faults.ts';
import { until } from '../../../crosspoint/test/until.ts';
import { CallDeniedError } from '../../src/calls/call-errors.ts';
import type { Host } from '../../src/host.ts';
import { toAnthropicTools, toOpenAiTools } from '../../src/catalogue/exports/tool-formats.ts';
import type { HostOptions, ProgramServer } from '../../src/host-options.ts';
import { child, closeHosts, openHost } from './opened.ts';

const HOSTILE = fileURLToPath(new URL('../programs/hostile.mjs', import.meta.url));
const FLOODING = fileURLToPath(
  new URL('../../../crosspoint/test/fixtures/hostile/flooding-child.mjs', import.meta.url),
);
const ENDLESS_LINE = fileURLToPath(
  new URL('../../../crosspoint/test/fixtures/interop/peers/endless-line.mjs', import.meta.url),
);

afterEach(closeHosts);

const hostile = (...args: string[]): ProgramServer => ({ command: process.execPath, args: [HOSTILE, ...args] });
const program = (path: string): ProgramServer => ({ command: process.execPath, args: [path] });

interface Beside {
  readonly host: Host;
  readonly problems: string[];
  readonly pids: Set<number>;
}

/** A hostile server beside a healthy one. */
async function beside(server: ProgramServer, options: Partial<HostOptions> = {}): Promise<Beside> {
  const problems: string[] = [];
  const pids = new Set<number>();
  const host = openHost({
    servers: { bad: server, good: child('good') },
    policy: { default: { call: 'allow' } },
    connectMs: 15_000,
    onproblem: ({ message }) => problems.push(message),
    ...options,
  });
  host.watch((event) => {
    if (event.type !== 'server') return;
    const { pid } = (host.servers.get(event.server)?.client?.transport ?? {}) as { pid?: number | null };
    if (typeof pid === 'number') pids.add(pid);
  });
  await host.settled();
  return { host, problems, pids };
}

/** The healthy server answers again and again; then everything ends. */
async function undisturbed({ host, pids }: Beside): Promise<void> {
  for (let turn = 0; turn < 5; turn += 1)
    expect((await host.callTool('good__tool_1')).content).toEqual([{ type: 'text', text: 'good 1' }]);
  expect(host.servers.get('good')?.state.status).toBe('ready');
  await host.close();
  for (const pid of pids) expect(() => process.kill(pid, 0), String(pid)).toThrow('ESRCH');
}

describe('a hostile server beside a healthy one', () => {
  it.each(['notes', 'changes', 'stderr'])('that floods the host with %s takes nothing from the other', (kind) =>
    survives(async () => {
      const both = await beside(hostile(kind));
      let events = 0;
      both.host.watch((event) => (events += event.type === 'catalogue' ? 1 : 0));
      const before = performance.now();
      await new Promise((resolve) => setTimeout(resolve, 500));
      // A storm of changes is read at most once in 100 ms, whatever the number of changes.
      expect(events).toBeLessThanOrEqual(Math.ceil((performance.now() - before) / 100) + 1);
      expect(both.host.servers.get('bad')?.stderr.lines.length).toBeLessThanOrEqual(201);
      expect(both.problems.length).toBeLessThan(100);
      await undisturbed(both);
    }),
  );

  it('that asks without end fills its own part of the inbox and no other', () =>
    survives(async () => {
      const both = await beside(hostile('asks', '3000'), { questionMs: 60_000 });
      const { host } = both;
      await until(() => host.inbox.list({ server: 'bad' }).length > 0);
      await new Promise((resolve) => setTimeout(resolve, 300));
      expect(host.inbox.list({ server: 'bad' }).length).toBeLessThanOrEqual(50);
      expect(host.inbox.list().length).toBeLessThanOrEqual(50);
      host.policy = { default: { call: 'ask' } };
      const call = host.callTool('good__tool_1');
      await until(() => host.inbox.list({ kind: 'call', server: 'good' }).length === 1);
      host.inbox.answer(host.inbox.list({ kind: 'call' })[0]?.id ?? '', { action: 'allow' });
      expect((await call).content).toEqual([{ type: 'text', text: 'good 1' }]);
      host.policy = { default: { call: 'allow' } };
      await undisturbed(both);
    }));

  it.each(['garbage', 'unknown-ids'])('that writes %s is used all the same', (kind) =>
    survives(async () => {
      const both = await beside(hostile(kind));
      for (let turn = 0; turn < 20; turn += 1)
        expect((await both.host.callTool('bad__t')).content).toEqual([{ type: 'text', text: 'called 1' }]);
      expect(both.problems.length).toBeGreaterThan(0);
      expect(both.problems.length).toBeLessThan(100);
      await undisturbed(both);
    }),
  );

  it('whose list never ends is degraded, and its other lists are there', () =>
    survives(async () => {
      const both = await beside(hostile('cursors'));
      const { state } = both.host.servers.get('bad') ?? {};
      expect(state?.status).toBe('degraded');
      expect(state && 'cause' in state && state.cause?.message).toContain('Its tools cannot be listed');
      await undisturbed(both);
    }));

  it('with names that are traps has tools that can be called, under names that every API takes', () =>
    survives(async () => {
      const both = await beside(hostile('names'));
      const { host } = both;
      const tools = host.catalogue.tools().filter(({ server }) => server === 'bad');
      expect(tools.length).toBeGreaterThanOrEqual(7);
      for (const { name } of tools) expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
      expect(new Set(tools.map(({ name }) => name)).size).toBe(tools.length);
      expect(host.catalogue.problems().map(({ text }) => text)).toEqual([
        'The tool "same" is listed twice: the first one is used.',
      ]);
      const lengths = await Promise.all(tools.map(({ name }) => host.callTool(name)));
      expect(lengths.map(({ content }) => (content[0] as { text: string }).text)).toEqual(
        tools.map(({ tool }) => `called ${tool.name.length}`),
      );
      await usable(host);
      await undisturbed(both);
    }));

  it('whose lists hold what is no tool is degraded, and takes nothing from what is made of all lists', () =>
    survives(async () => {
      const both = await beside(hostile('items'));
      const { state } = both.host.servers.get('bad') ?? {};
      expect(state && 'cause' in state && state.cause?.message).toMatch(/^Of its \w+, \d of \d have another form/);
      expect(both.host.catalogue.tool('bad__good')).toBeDefined();
      // A definition that is nested without end cannot be shown, so the call cannot be allowed.
      await expect(both.host.callTool('bad__deep')).rejects.toThrow(CallDeniedError);
      await usable(both.host);
      await undisturbed(both);
    }));

  it.each(Array.from({ length: 8 }, (_, at) => at + 1))('that ends with message %i fails alone', (count) =>
    survives(async () => {
      const both = await beside(hostile('exit', String(count)), { retry: { initialDelayMs: 5, attempts: 3 } });
      await until(() => {
        const { state } = both.host.servers.get('bad') ?? {};
        return state?.status === 'failed' || state?.status === 'ready' || state?.status === 'degraded';
      });
      await both.host.callTool('bad__t').catch(() => {});
      await undisturbed(both);
    }),
  );

  it('that asks and reads no answer, or writes 32 MB without a line end, does not hold the other', () =>
    survives(async () => {
      const both = await beside(program(FLOODING));
      both.host.addServer('endless', program(ENDLESS_LINE));
      await both.host.settled();
      const bad = both.host.servers.get('bad')?.client;
      await bad?.callTool({ name: 'flood', arguments: { count: 20_000, method: 'example/unknown' } });
      await both.host.servers
        .get('endless')
        ?.client?.callTool({ name: 'any', arguments: {} })
        .catch(() => {});
      await undisturbed(both);
    }));
});

/** Everything that is made of the lists of all servers still works. */
async function usable(host: Host): Promise<void> {
  const tools = host.catalogue.tools();
  expect(toAnthropicTools(tools).tools).toHaveLength(tools.length);
  expect(toOpenAiTools(tools).tools).toHaveLength(tools.length);
  expect(host.tokens().total).toBeGreaterThan(0);
  for (const { name } of tools) expect(['allow', 'ask']).toContain((await host.explain(name)).effect);
  expect((await host.audit.verify()).ok).toBe(true);
}
