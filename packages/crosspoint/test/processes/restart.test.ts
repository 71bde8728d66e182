import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Clock } from '../../src/peer/clock.ts';
import { systemClock } from '../../src/peer/clock.ts';
import { isRunning, until } from '../fixtures/stdio/compiled.ts';
import { proves } from '../requirements/proves.ts';
import { failure, run, type Running } from './running.ts';

const reconnect = { initialDelayMs: 10, maxDelayMs: 50, jitter: 0 };
const started: Running[] = [];
let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'crosspoint-restart-'));
});
afterEach(async () => {
  await Promise.all(started.splice(0).map(({ client }) => client.close()));
  rmSync(folder, { recursive: true, force: true });
});

async function start(...[server, options]: Parameters<typeof run>): Promise<Running> {
  const running = await run(server, options);
  started.push(running);
  return running;
}

describe.each(['handshake', 'per-request'] as const)('a server of the %s family that dies', (revisions) => {
  proves('M-STDIO-015, M-STDIO-014, L-STDIO-013').it(
    'is started again: the call in flight ends as one of unknown delivery, later ones work',
    async () => {
      const { client, pid } = await start({}, { reconnect, revisions });
      const first = await pid();
      const error = await failure(
        client.callTool({ name: 'hang' }, { onprogress: () => process.kill(first, 'SIGKILL') }),
      );
      expect(error).toMatchObject({
        code: 'delivery-unknown',
        cause: { code: 'child-exited', details: { signal: 'SIGKILL' } },
      });
      expect(error.message).toContain('may or may not have been carried out');
      const second = await pid();
      expect(second).not.toBe(first);
      expect(isRunning(first)).toBe(false);
      await client.close();
      expect(isRunning(second)).toBe(false);
    },
  );

  proves('M-STDIO-016, M-SUB-016').it(
    'is asked again for what was subscribed to, and updates come as before',
    async () => {
      const updates: unknown[] = [];
      const { client, sent, pid } = await start({}, { reconnect, revisions });
      client.setNotificationHandler(
        'notifications/resources/updated',
        ({ params }) => void updates.push(params?.['uri']),
      );
      await client.subscribeResource({ uri: 'memo://note' });
      await client.callTool({ name: 'touch' });
      await until(() => updates.length === 1);
      for (const round of [2, 3]) {
        const before = sent.length;
        process.kill(await pid(), 'SIGKILL');
        const method = revisions === 'handshake' ? 'resources/subscribe' : 'subscriptions/listen';
        await until(() => sent.slice(before).some((message) => message.method === method));
        await client.callTool({ name: 'touch' });
        await until(() => updates.length === round);
      }
      expect(updates).toEqual(['memo://note', 'memo://note', 'memo://note']);
    },
  );

  it('is told the log level again', async () => {
    const logs: string[] = [];
    const { client, transport, pid } = await start(
      {},
      { reconnect, revisions, onlog: ({ level }) => logs.push(level) },
    );
    await client.setLoggingLevel('error');
    const first = await pid();
    process.kill(first, 'SIGKILL');
    await until(() => transport.pid !== first);
    await client.callTool({ name: 'chat' });
    await until(() => logs.length > 0);
    expect(logs).toEqual(['error']);
  });

  it('is not started again unless that was asked for, and every later call says how it ended', async () => {
    let closed = 0;
    const { client, pid } = await start({}, { revisions });
    client.onclose = () => (closed += 1);
    const first = await pid();
    const error = await failure(
      client.callTool({ name: 'hang' }, { onprogress: () => process.kill(first, 'SIGTERM') }),
    );
    expect(error).toMatchObject({ code: 'closed', cause: { details: { signal: 'SIGTERM', pid: first } } });
    await until(() => closed === 1);
    expect(await failure(client.callTool({ name: 'pid' }))).toMatchObject({ code: 'closed' });
  });
});

it('waits longer after each failure, then gives up and says why', async () => {
  const delays: number[] = [];
  const clock: Clock = {
    ...systemClock,
    // Longer are the limits of requests, and shorter is what ends the watch over them.
    setTimeout: (callback, ms) => (ms >= 10 && ms < 100 && delays.push(ms), systemClock.setTimeout(callback, ms)),
  };
  const BROKEN = join(folder, 'broken');
  const { client, problems, pid } = await start(
    { env: { BROKEN } },
    { clock, reconnect: { ...reconnect, attempts: 4 } },
  );
  let closed = 0;
  client.onclose = () => (closed += 1);
  const first = await pid();
  writeFileSync(BROKEN, '');
  process.kill(first, 'SIGKILL');
  await until(() => closed === 1);
  expect(delays).toEqual([10, 20, 40, 50]);
  expect(problems).toHaveLength(4);
  for (const problem of problems) expect(problem.message).toMatch(/exited with code 3[^]*the database is gone/);
  expect(await failure(client.callTool({ name: 'pid' }))).toMatchObject({ code: 'closed' });
});

it('lets calls wait for the server that is coming back, and close ends the attempts', async () => {
  const BROKEN = join(folder, 'broken');
  const { client, transport, pid } = await start({ env: { BROKEN } }, { reconnect: { ...reconnect, attempts: 1000 } });
  const first = await pid();
  writeFileSync(BROKEN, '');
  process.kill(first, 'SIGKILL');
  await until(() => transport.pid !== first);
  const waiting = pid();
  rmSync(BROKEN);
  expect(await waiting).not.toBe(first);

  writeFileSync(BROKEN, '');
  process.kill(await pid(), 'SIGKILL');
  const hopeless = failure(pid());
  await client.close();
  expect(await hopeless).toMatchObject({ code: expect.stringMatching(/closed|delivery-unknown/) as string });
});
