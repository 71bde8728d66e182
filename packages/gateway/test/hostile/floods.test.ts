import { afterEach, describe, expect, it } from 'vitest';
import type { Client } from 'crosspoint/client';
import { survives } from '../../../crosspoint/test/guard/faults.ts';
import { bridge } from '../../src/index.ts';
import { FAMILIES, atEnd, closeAll, connected, serveHttp, type FamilyName } from '../carriers.ts';
import { ABLE, answering } from '../cells/cell.ts';
import { NOTHING, emptied, inside } from './inside.ts';
import { scripted, told, type Scripted, type Tool } from './scripted.ts';

afterEach(async () => {
  await closeAll();
  // Ends of connections are told a moment later.
  await expect.poll(inside).toEqual(NOTHING);
  emptied();
});

const ask = (id: unknown) => ({
  jsonrpc: '2.0',
  id,
  method: 'elicitation/create',
  params: { message: `${String(id)}?`, requestedSchema: { type: 'object', properties: { a: { type: 'string' } } } },
});
const note = (method: string, params: object) => ({ jsonrpc: '2.0', method, params });
const tokenOf = (params: Record<string, any>): unknown => params['_meta']?.progressToken ?? 0;

const TOOLS: Readonly<Record<string, Tool>> = {
  progress: ({ id, params, line }) =>
    line.forever(
      (at) => note('notifications/progress', { progressToken: tokenOf(params), progress: at }),
      () => line.cancelled.has(id),
    ),
  logs: ({ id, line }) =>
    line.forever(
      (at) => note('notifications/message', { level: 'error', data: `${at}` }),
      () => line.cancelled.has(id),
    ),
  notes: ({ id, line }) =>
    line.forever(
      (at) => note('example/tick', { at }),
      () => line.cancelled.has(id),
    ),
  changes: ({ id, line }) =>
    line.forever(
      () => note('notifications/tools/list_changed', {}),
      () => line.cancelled.has(id),
    ),
  updates: ({ id, line }) =>
    line.forever(
      (at) => note('notifications/resources/updated', { uri: `note://${at}` }),
      () => line.cancelled.has(id),
    ),
  strays: ({ id, line }) =>
    line.forever(
      (at) => ({ jsonrpc: '2.0', id: -at, result: told('unasked') }),
      () => line.cancelled.has(id),
    ),
  'many questions': ({ line }) => {
    for (let at = 0; at < 5000; at += 1) line.write(ask(`q${at}`));
  },
  'endless questions': ({ id, line }) =>
    line.forever(
      (at) => ask(`e${at}`),
      () => line.cancelled.has(id),
    ),
  'unknown requests': ({ id, line }) =>
    line.forever(
      (at) => ({ jsonrpc: '2.0', id: `u${at}`, method: 'example/ask', params: {} }),
      () => line.cancelled.has(id),
    ),
  silent: () => {},
};

async function beside(family: FamilyName, script: Scripted): Promise<{ bad: Client; good: Client; problems: Error[] }> {
  const problems: Error[] = [];
  const face = bridge(script.upstream, {
    onproblem: (problem) => problems.push(problem),
    parking: { forMs: 400 },
    sessions: { idleMs: 100 },
  });
  const url = await serveHttp(face);
  atEnd(() => face.close());
  const able = { ...ABLE, revisions: family };
  const bad = await connected(url, able, answering);
  const good = await connected(url, { revisions: family });
  return { bad, good, problems };
}

describe.each(FAMILIES)('a server that floods the call of one client of the %s family', (family) => {
  it.each(Object.keys(TOOLS))('with %s takes nothing from another, and stops when the call is cancelled', (name) =>
    survives(async () => {
      const script = await scripted(TOOLS);
      const { bad, good, problems } = await beside(family, script);
      const abort = new AbortController();
      const flooded = bad
        .callTool({ name }, { signal: abort.signal, onprogress: () => {} })
        .catch((error: Error) => error);
      await new Promise((resolve) => setTimeout(resolve, 150));
      for (let turn = 0; turn < 3; turn += 1)
        expect((await good.callTool({ name: 'fine' })).content).toEqual([{ type: 'text', text: 'fine relay' }]);
      const counts = inside();
      expect(counts.calls).toBeLessThanOrEqual(1);
      expect(counts.parked).toBeLessThanOrEqual(1);
      expect(counts.sessions).toBeLessThanOrEqual(4);
      abort.abort();
      expect(await flooded).toBeInstanceOf(Error);
      await expect.poll(() => inside().calls).toBe(0);
      expect(problems.length).toBeLessThan(200);
      expect((await good.callTool({ name: 'fine' })).content).toEqual([{ type: 'text', text: 'fine relay' }]);
    }),
  );
});
