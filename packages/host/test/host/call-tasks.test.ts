import { McpServer, text } from 'crosspoint/server';
import { tasks } from 'crosspoint/server/tasks';
import type { Task } from 'crosspoint/client';
import { afterEach, describe, expect, it, vi } from 'vitest';
import * as z from 'zod';
import { answering, closeHosts, inProcess, openHost } from './opened.ts';

afterEach(closeHosts);

const ALLOW = { rules: [{ effect: 'allow' as const }] };

/** A host with a server whose tools run as tasks. */
async function withTasks(revision: string) {
  const server = new McpServer({ name: 'jobs', version: '1.0.0' }, { revisions: [revision] });
  server.use(tasks({ pollIntervalMs: 20 }));
  const cancelled = vi.fn();
  server.registerTool('ask', { task: 'optional' }, async (ctx) => {
    const { action } = await ctx.elicit({ message: 'Go on?', schema: z.object({ ok: z.boolean() }) });
    return text(`${action}, ${ctx.task === undefined ? 'as a call' : 'as a task'}`);
  });
  server.registerTool('endless', { task: 'optional' }, async (ctx) => {
    await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve, { once: true }));
    cancelled();
    return text('over');
  });
  server.registerTool('plain', {}, () => text('plain'));
  const host = openHost({ servers: { jobs: inProcess(server) }, policy: ALLOW });
  await host.settled();
  return { host, cancelled };
}

describe.each(['2025-11-25', '2026-07-28'])('a call as a task, %s', (revision) => {
  it('tells its task, and its questions name the call', async () => {
    const { host } = await withTasks(revision);
    const asked = answering(host, 'form', () => ({ action: 'decline' }));
    const started: (Task | undefined)[] = [];
    const statuses = new Set<string>();
    const result = await host.callTool(
      'jobs__ask',
      {},
      {
        id: 'call-1',
        task: {
          ttlMs: 60_000,
          onstarted: (task) => started.push(task),
          onstatus: ({ status }) => statuses.add(status),
        },
      },
    );
    expect(result.content).toEqual([{ type: 'text', text: 'decline, as a task' }]);
    expect(started).toEqual([expect.objectContaining({ taskId: expect.any(String), status: 'working' })]);
    expect(statuses).toContain('input_required');
    expect(asked.map(({ from }) => from.call?.id)).toEqual(['call-1']);
  });

  it('goes on at the server when it is given up, and is found again by its id', async () => {
    const { host, cancelled } = await withTasks(revision);
    const stop = new AbortController();
    const task = await new Promise<Task | undefined>((resolve) => {
      const options = { signal: stop.signal, task: { onstarted: resolve } };
      host.callTool('jobs__endless', {}, options).catch(() => {});
    });
    stop.abort();
    const client = await host.servers.get('jobs')?.ready();
    const handle = client?.resumeTask(String(task?.taskId));
    expect((await handle?.status())?.status).toBe('working');
    expect(cancelled).not.toHaveBeenCalled();
    await handle?.cancel();
    await vi.waitFor(() => expect(cancelled).toHaveBeenCalled());
  });

  it('is a plain call where the tool is none', async () => {
    const { host } = await withTasks(revision);
    const onstarted = vi.fn();
    const { content } = await host.callTool('jobs__plain', {}, { task: { onstarted } });
    expect(content).toEqual([{ type: 'text', text: 'plain' }]);
    expect(onstarted.mock.calls).toEqual([[undefined]]);
  });
});
