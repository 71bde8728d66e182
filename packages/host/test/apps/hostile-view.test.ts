import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { proves } from '../../../crosspoint/test/requirements/proves.ts';
import { isForwarded, sandboxProxy, ViewBridge, type ViewBridgeOptions } from '../../src/apps/index.ts';
import type { JsonObject } from '../../src/index.ts';

const hostInfo = { name: 'h', version: '1' };
const INIT = {
  jsonrpc: '2.0',
  id: 1,
  method: 'ui/initialize',
  params: { appInfo: { name: 'v', version: '1' }, appCapabilities: {}, protocolVersion: '2026-01-26' },
};
const INITIALIZED = { jsonrpc: '2.0', method: 'ui/notifications/initialized' };
const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

function raw(options: Partial<ViewBridgeOptions> = {}) {
  const sent: JsonObject[] = [];
  const problems: string[] = [];
  const bridge = new ViewBridge({
    server: 'shop',
    hostInfo,
    onproblem: ({ message }) => problems.push(message),
    ...options,
    send: (message) => sent.push(message),
  });
  const request = async (method: string, params: unknown, id: unknown = 7): Promise<unknown> => {
    const before = sent.length;
    bridge.receive({ jsonrpc: '2.0', id, method, params });
    await vi.waitFor(() => expect(sent.length).toBeGreaterThan(before));
    const { error, result } = sent.at(-1) as { error?: { code: number }; result?: unknown };
    return error?.code ?? result;
  };
  return { bridge, sent, problems, request };
}

async function started(options?: Partial<ViewBridgeOptions>) {
  const made = raw(options);
  made.bridge.receive(INIT);
  await tick();
  made.bridge.receive(INITIALIZED);
  made.sent.length = 0;
  return made;
}

proves('M-APP-034').describe('a malformed message', () => {
  const circle: Record<string, unknown> = { jsonrpc: '2.0' };
  circle['params'] = circle;
  let deep: unknown = 1;
  for (let n = 0; n < 100_000; n += 1) deep = [deep];

  it.each<[string, unknown, JsonObject[]]>([
    ['nothing', undefined, []],
    ['null', null, []],
    ['a text', '{"jsonrpc":"2.0"}', []],
    ['a list', [INIT], []],
    ['another version', { jsonrpc: '1.0', id: 1, method: 'ping' }, []],
    ['a circle', circle, []],
    ['a deep one', { jsonrpc: '2.0', id: 1, method: 'ping', params: { deep } }, []],
    ['a big number', { jsonrpc: '2.0', id: 1n, method: 'ping' }, []],
    ['neither request nor response', { jsonrpc: '2.0', id: 1 }, []],
    ['both result and error', { jsonrpc: '2.0', id: 1, result: {}, error: {} }, []],
    ['an id that is an object', { jsonrpc: '2.0', id: {}, method: 'ping' }, []],
    ['a long id', { jsonrpc: '2.0', id: 'x'.repeat(1000), method: 'ping' }, []],
    [
      'a method that is no name',
      { jsonrpc: '2.0', id: 1, method: 5 },
      [{ jsonrpc: '2.0', id: 1, error: { code: -32_600, message: 'Invalid request: its method is no name' } }],
    ],
    [
      'params that are a list',
      { jsonrpc: '2.0', id: 1, method: 'ping', params: [] },
      [{ jsonrpc: '2.0', id: 1, error: { code: -32_600, message: 'Invalid request: its params are no object' } }],
    ],
    [
      'one that is too long',
      { jsonrpc: '2.0', id: 1, method: 'ping', params: { a: 'x'.repeat(2000) } },
      [
        {
          jsonrpc: '2.0',
          id: 1,
          error: { code: -32_600, message: 'Invalid request: it has more than 1000 characters' },
        },
      ],
    ],
    ['a response that nobody waits for', { jsonrpc: '2.0', id: 'host-1', result: {} }, []],
  ])('(%s) is refused, told, and harms nothing', async (what, message, answers) => {
    const { bridge, sent, problems, request } = raw({ maxMessageLength: 1000 });
    bridge.receive(message);
    await tick();
    expect(sent).toEqual(answers);
    expect(problems).toHaveLength(what === 'a response that nobody waits for' ? 0 : 1);
    expect(await request('ping', {})).toEqual({});
  });

  it('comes a thousand times, and is told four times', () => {
    const written: unknown[] = [];
    const { bridge, problems } = raw({ audit: { write: (event) => written.push(event.details) } });
    for (let n = 0; n < 1000; n += 1) bridge.receive(n);
    expect(problems).toHaveLength(4);
    expect(written.at(-1)).toEqual({ malformed: 'it is no JSON-RPC 2.0 message', count: 1000 });
  });

  it.each<[string, JsonObject, number]>([
    ['tools/call', {}, -32_602],
    ['tools/call', { name: 5 }, -32_602],
    ['tools/call', { name: 'a', arguments: [] }, -32_602],
    ['resources/read', { uri: 5 }, -32_602],
    ['ui/open-link', {}, -32_000],
    ['ui/open-link', { url: `https://x.example/${'a'.repeat(9000)}` }, -32_000],
    ['ui/message', { role: 'assistant', content: { type: 'text', text: 'x' } }, -32_602],
    ['ui/message', { role: 'user', content: [] }, -32_602],
    ['ui/message', { role: 'user', content: { type: 'script', text: 'x' } }, -32_602],
    ['ui/message', { role: 'user', content: [{ type: 'text' }] }, -32_602],
    ['ui/update-model-context', { content: 'x' }, -32_602],
    ['ui/update-model-context', { content: [5] }, -32_602],
    ['ui/update-model-context', { structuredContent: [] }, -32_602],
    ['ui/request-display-mode', { mode: 'hidden' }, -32_602],
    ['ui/initialize', INIT.params, -32_600],
    ['tools/list', {}, -32_601],
    ['toString', {}, -32_601],
  ])('of %s with %j gets its code', async (method, params, code) => {
    const all = vi.fn(() => true);
    const never = vi.fn();
    const { request } = await started({
      tools: () => [],
      callTool: never,
      readResource: never,
      open: all,
      message: all,
      updateModelContext: all,
    });
    expect(await request(method, params)).toBe(code);
    expect(all).not.toHaveBeenCalled();
    expect(never).not.toHaveBeenCalled();
  });

  it.each<[JsonObject]>([
    [{}],
    [{ ...INIT.params, appInfo: { name: 'v' } }],
    [{ ...INIT.params, appCapabilities: 5 }],
    [{ ...INIT.params, appCapabilities: { availableDisplayModes: 'all' } }],
    [{ ...INIT.params, protocolVersion: 5 }],
  ])('of ui/initialize with %j begins nothing', async (params) => {
    const { bridge, request, sent } = raw();
    expect(await request('ui/initialize', params)).toBe(-32_602);
    bridge.receive(INITIALIZED);
    bridge.toolInput({});
    expect(sent).toHaveLength(1);
    expect(await request('ui/initialize', INIT.params)).toMatchObject({ hostInfo });
  });
});

proves('M-APP-034').it(
  'whatever a view sends, the host answers in JSON-RPC and calls no tool that is not for views',
  async () => {
    const called: string[] = [];
    const { bridge, sent } = await started({
      tools: () => [
        { name: 'model-only', inputSchema: { type: 'object' }, _meta: { ui: { visibility: ['model'] } } },
        { name: 'for-views', inputSchema: { type: 'object' } },
      ],
      callTool: ({ name }) => {
        called.push(name);
        return { content: [] };
      },
      open: () => false,
      message: () => false,
      updateModelContext: () => false,
    });
    const methods = ['tools/call', 'ui/open-link', 'ui/message', 'ui/update-model-context', 'ui/initialize'];
    const value = fc.oneof(
      fc.jsonValue(),
      fc.constantFrom('2.0', 'user', 'model-only', 'for-views', 'https://a.example'),
    );
    const message = fc.oneof(
      value,
      fc.record(
        {
          jsonrpc: fc.oneof({ weight: 9, arbitrary: fc.constant('2.0') }, value),
          id: fc.oneof(fc.string(), fc.integer(), value),
          method: fc.oneof({ weight: 5, arbitrary: fc.constantFrom(...methods) }, value),
          params: fc.oneof(
            fc.record(
              {
                name: fc.oneof(fc.constantFrom('model-only', 'for-views'), value),
                arguments: fc.oneof(fc.constant({}), value),
                url: value,
                role: value,
                content: value,
              },
              { requiredKeys: [] },
            ),
            value,
          ),
          result: value,
        },
        { requiredKeys: ['jsonrpc'] },
      ),
    );
    await fc.assert(
      fc.asyncProperty(message, async (one) => {
        bridge.receive(one);
        await tick();
      }),
      { numRuns: 2000, seed: 20_260_126 },
    );
    expect(new Set(called)).toEqual(new Set(['for-views']));
    expect(sent.length).toBeGreaterThan(100);
    for (const answer of sent) {
      expect(answer['jsonrpc']).toBe('2.0');
      expect('result' in answer || 'error' in answer).toBe(true);
    }
  },
);

describe('a view', () => {
  it('can do nothing before ui/initialize, and nothing that the host gave no callback for', async () => {
    const before = raw({ open: () => true });
    expect(await before.request('ui/open-link', { url: 'https://example.com' })).toBe(-32_600);
    const { request } = await started();
    for (const method of ['tools/call', 'resources/read', 'ui/open-link', 'ui/message', 'ui/update-model-context'])
      expect([method, await request(method, { name: 'a', uri: 'a:b', url: 'https://example.com' })]).toEqual([
        method,
        -32_601,
      ]);
  });

  proves('M-APP-020').it('that says initialized first, or twice, gets nothing out of it', async () => {
    const { bridge, sent } = raw();
    bridge.toolInput({ a: 1 });
    bridge.receive(INITIALIZED);
    expect(sent).toEqual([]);
    bridge.receive(INIT);
    await tick();
    bridge.setContext({ theme: 'dark' });
    expect(sent).toHaveLength(1);
    bridge.receive(INITIALIZED);
    bridge.receive(INITIALIZED);
    expect(sent.slice(1).map(({ method }) => method)).toEqual([
      'ui/notifications/host-context-changed',
      'ui/notifications/tool-input',
    ]);
  });

  it('can have as many requests as allowed, and cancel them', async () => {
    const signals: AbortSignal[] = [];
    const { bridge, sent, request } = await started({
      maxRequests: 2,
      readResource: (_, { signal }) => {
        signals.push(signal);
        return new Promise(() => {});
      },
    });
    for (const id of ['a', 'b', 'b'])
      bridge.receive({ jsonrpc: '2.0', id, method: 'resources/read', params: { uri: 'a:b' } });
    expect(await request('resources/read', { uri: 'a:b' }, 'c')).toBe(-32_000);
    expect(sent).toHaveLength(1);
    bridge.receive({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'a' } });
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
    expect(await request('ping', {})).toEqual({});
    bridge.close();
    expect(signals.every(({ aborted }) => aborted)).toBe(true);
    bridge.receive({ jsonrpc: '2.0', id: 9, method: 'ping' });
    await tick();
    expect(sent).toHaveLength(2);
  });

  it('learns nothing of errors inside the host', async () => {
    const { request, sent, problems } = await started({
      readResource: () => Promise.reject(new Error('the password is hunter2')),
    });
    expect(await request('resources/read', { uri: 'a:b' })).toBe(-32_603);
    expect(JSON.stringify(sent)).not.toContain('hunter2');
    expect(problems[0]).toBe('shop: resources/read of the view failed.');
  });

  it('that sends sizes that are none, or breaks a callback, changes nothing', async () => {
    const sizes: unknown[] = [];
    const { bridge, problems, request } = await started({
      onsize: (size) => sizes.push(size),
      onlog: () => {
        throw new Error('broken');
      },
      onteardownrequest: (() => Promise.reject(new Error('broken later'))) as () => void,
    });
    const size = (params: JsonObject): void =>
      bridge.receive({ jsonrpc: '2.0', method: 'ui/notifications/size-changed', params });
    for (const params of [{ width: -1 }, { width: '5' }, { height: null }]) size(params);
    bridge.receive({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 1 } });
    bridge.receive({ jsonrpc: '2.0', method: 'notifications/message', params: {} });
    bridge.receive({ jsonrpc: '2.0', method: 'ui/notifications/request-teardown' });
    size({ width: 5 });
    await tick();
    expect(sizes).toEqual([{ width: 5 }]);
    expect(problems).toContain('shop: A callback failed on notifications/message of the view.');
    expect(problems).toContain('shop: A callback failed on ui/notifications/request-teardown of the view.');
    expect(await request('ping', {})).toEqual({});
  });

  proves('M-APP-031').it('that does not answer its teardown is removed when the time is over', async () => {
    const { bridge, sent } = await started();
    expect(await bridge.teardown('x', { timeoutMs: 20 })).toBe(false);
    expect(sent).toEqual([{ jsonrpc: '2.0', id: 'host-1', method: 'ui/resource-teardown', params: { reason: 'x' } }]);
    const early = raw();
    expect(await early.bridge.teardown()).toBe(false);
    expect(early.sent).toEqual([]);
  });

  it('whose channel is broken does not break the host', async () => {
    const problems: string[] = [];
    const bridge = new ViewBridge({
      server: 'shop',
      hostInfo,
      onproblem: ({ message }) => problems.push(message),
      send: () => {
        throw new Error('gone');
      },
    });
    bridge.receive(INIT);
    await tick();
    expect(problems).toEqual(['shop: A message could not be sent to the view.']);
  });
});

proves('M-APP-019, M-APP-021').it('a sandbox proxy passes everything on but its own messages, and makes none', () => {
  const toHost: unknown[] = [];
  const toView: unknown[] = [];
  const proxy = sandboxProxy({ toHost: (message) => toHost.push(message), toView: (message) => toView.push(message) });
  expect([toHost, toView]).toEqual([[], []]);
  const passed = [
    INIT,
    INITIALIZED,
    { jsonrpc: '2.0', id: 1, result: {} },
    { method: 'ui/notifications/tool-input' },
    5,
    null,
  ];
  const kept = ['proxy-ready', 'resource-ready', 'anything'].map((name) => ({
    jsonrpc: '2.0',
    method: `ui/notifications/sandbox-${name}`,
  }));
  for (const message of [...passed, ...kept]) {
    proxy.fromView(message);
    proxy.fromHost(message);
  }
  // The very same objects: nothing is copied, added or changed.
  for (const got of [toHost, toView]) expect(got.every((message, n) => message === passed[n])).toBe(true);
  expect([toHost.length, toView.length]).toEqual([passed.length, passed.length]);
  expect(isForwarded({ method: 5 })).toBe(true);
});
