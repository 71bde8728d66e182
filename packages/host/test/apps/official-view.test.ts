import { afterEach, describe, expect, it, vi } from 'vitest';
import { proves } from '../../../crosspoint/test/requirements/proves.ts';
import { openWithConsent, readAppPage, type ViewBridgeOptions, type ViewChatMessage } from '../../src/apps/index.ts';
import { Inbox, type AuditEvent } from '../../src/index.ts';
import { appView, HOST_INFO, type AppView } from './app-view.ts';
import { connectedShop, HTML, URI } from './shop.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

function made(...args: Parameters<typeof appView>): AppView {
  const view = appView(...args);
  ends.push(view.close);
  return view;
}

/** The callbacks of a host that shows the documents of a shop. */
async function powers(name?: string) {
  const linked = await connectedShop(name);
  ends.push(linked.close);
  const { client, recorder, apps } = linked;
  const options: Partial<ViewBridgeOptions> = {
    tools: async () => (await client.listTools()).tools,
    callTool: (params, { signal }) => client.callTool({ ...params, arguments: { ...params.arguments } }, { signal }),
    readResource: (params) => client.readResource(params),
  };
  return { client, recorder, apps, options };
}

const messageOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    (value) => `no error: ${JSON.stringify(value)}`,
    (error: Error) => error.message,
  );

proves('M-APP-009, M-APP-012, M-APP-035').it(
  'the page of a tool is read with resources/read, with the policies to show it under',
  async () => {
    const { client, recorder, apps } = await powers();
    const { tools } = await client.listTools();
    const before = recorder.lines.length;
    const page = await readAppPage(apps, tools[0] as (typeof tools)[0]);
    expect(recorder.lines.slice(before).some((line) => line.startsWith('→') && line.includes('"resources/read"'))).toBe(
      true,
    );
    expect(page).toMatchObject({
      document: { uri: URI, html: HTML, ui: { prefersBorder: false, permissions: { camera: {} } } },
      allow: 'camera',
      origins: ['https://api.example.com'],
      sandboxMessage: {
        method: 'ui/notifications/sandbox-resource-ready',
        params: { html: HTML, csp: { connectDomains: ['https://api.example.com'] }, permissions: { camera: {} } },
      },
    });
    expect(page?.contentSecurityPolicy).toContain('connect-src https://api.example.com;');
    expect(await readAppPage(apps, tools[2] as (typeof tools)[0])).toBeUndefined();
  },
);

describe('the official view', () => {
  proves('M-APP-023').it('is initialized with the context and the powers of the host', async () => {
    const { options } = await powers();
    const { app, bridge, connect } = made({
      ...options,
      hostContext: { theme: 'dark', locale: 'de', availableDisplayModes: ['inline', 'fullscreen'] },
      open: () => true,
      sandbox: { permissions: { camera: {} } },
    });
    expect(bridge.view).toBeUndefined();
    await connect();
    expect(app.getHostVersion()).toEqual(HOST_INFO);
    expect(app.getHostContext()).toEqual({
      theme: 'dark',
      locale: 'de',
      displayMode: 'inline',
      availableDisplayModes: ['inline', 'fullscreen'],
    });
    expect(app.getHostCapabilities()).toEqual({
      openLinks: {},
      serverTools: {},
      serverResources: {},
      sandbox: { permissions: { camera: {} } },
    });
    expect(bridge.view?.info).toEqual({ name: 'view', version: '2.0.0' });
  });

  proves('M-APP-020, M-APP-028, M-APP-029').it(
    'is sent nothing before it is initialized; then the input once, and after it the result',
    async () => {
      const { app, bridge, connect, trace } = made();
      const heard: unknown[] = [];
      app.addEventListener('toolinputpartial', (params) => heard.push(['partial', params.arguments]));
      app.addEventListener('toolinput', (params) => heard.push(['input', params.arguments]));
      app.addEventListener('toolresult', (params) => heard.push(['result', params.content]));
      app.addEventListener('hostcontextchanged', (params) => heard.push(['context', params]));
      bridge.toolInputPartial({ item: 'm' });
      bridge.setContext({ theme: 'dark' });
      expect(() => bridge.toolResult({ content: [] })).toThrow('call toolInput() first');
      expect(bridge.toolInput({ item: 'mug' })).toBe(true);
      bridge.toolInputPartial({ item: 'mu' });
      expect(bridge.toolInput({ item: 'other' })).toBe(false);
      expect(bridge.toolResult({ content: [{ type: 'text', text: '1 mug' }] })).toBe(true);
      expect(bridge.toolCancelled('late')).toBe(false);
      expect(trace).toEqual([]);
      await connect();
      await vi.waitFor(() => expect(heard).toHaveLength(2));
      expect(heard).toEqual([
        ['input', { item: 'mug' }],
        ['result', [{ type: 'text', text: '1 mug' }]],
      ]);
      expect(trace).toEqual([
        '← ui/initialize',
        '→ answer 0',
        '← ui/notifications/initialized',
        '→ ui/notifications/tool-input',
        '→ ui/notifications/tool-result',
      ]);
    },
  );

  proves('M-APP-028, M-APP-029').it('sees arguments grow, and that a call was cancelled', async () => {
    const { app, bridge, connect } = made();
    const heard: unknown[] = [];
    app.addEventListener('toolinputpartial', (params) => heard.push(params.arguments));
    app.addEventListener('toolcancelled', (params) => heard.push(params));
    await connect();
    await vi.waitFor(() => expect(bridge.isReady).toBe(true));
    bridge.toolInputPartial({ item: 'm' });
    bridge.toolInputPartial({ item: 'mu' });
    expect(bridge.toolCancelled('The user stopped it.')).toBe(true);
    bridge.toolInputPartial({ item: 'mug' });
    expect(bridge.toolInput({ item: 'mug' })).toBe(false);
    await vi.waitFor(() => expect(heard).toHaveLength(3));
    expect(heard).toEqual([{ item: 'm' }, { item: 'mu' }, { reason: 'The user stopped it.' }]);
  });

  proves('M-APP-011').it('calls tools of its own server that are for it, and no others', async () => {
    const { options, recorder } = await powers();
    const other = await powers('other');
    const { app, connect } = made(options);
    await connect();
    expect(await app.callServerTool({ name: 'set_count_shop', arguments: {} })).toMatchObject({
      content: [{ type: 'text', text: '2 mugs' }],
    });
    const calls = (lines: readonly string[]): number => lines.filter((line) => /→.*"tools\/call"/.test(line)).length;
    for (const name of ['pay', 'set_count_other', 'nothing', '__proto__'])
      expect(await messageOf(app.callServerTool({ name, arguments: {} }))).toContain('views may not call it');
    expect(calls(recorder.lines)).toBe(1);
    expect(calls(other.recorder.lines)).toBe(0);
  });

  it('reads resources of its server', async () => {
    const { options } = await powers();
    const { app, connect } = made(options);
    await connect();
    expect(await app.readServerResource({ uri: URI })).toMatchObject({ contents: [{ text: HTML }] });
  });

  proves('M-APP-025, M-APP-026').it(
    'gets a display mode that both sides have, and the present one otherwise',
    async () => {
      const changes: string[] = [];
      const { app, bridge, connect } = made(
        {
          hostContext: { availableDisplayModes: ['inline', 'fullscreen', 'pip'] },
          changeDisplayMode: async (mode) => changes.push(mode) > 0,
        },
        { availableDisplayModes: ['inline', 'fullscreen'] },
      );
      const heard: unknown[] = [];
      app.addEventListener('hostcontextchanged', (params) => heard.push(params));
      await connect();
      expect(await app.requestDisplayMode({ mode: 'pip' })).toMatchObject({ mode: 'inline' });
      expect(changes).toEqual([]);
      expect(await app.requestDisplayMode({ mode: 'fullscreen' })).toMatchObject({ mode: 'fullscreen' });
      expect(changes).toEqual(['fullscreen']);
      expect(bridge.setDisplayMode('pip')).toBe(false);
      expect(bridge.displayMode).toBe('fullscreen');
      expect(bridge.setDisplayMode('inline')).toBe(true);
      await vi.waitFor(() => expect(heard).toEqual([{ displayMode: 'inline' }]));
      const stubborn = made({ hostContext: { availableDisplayModes: ['inline', 'fullscreen'] } });
      await stubborn.connect();
      expect(await stubborn.app.requestDisplayMode({ mode: 'fullscreen' })).toMatchObject({ mode: 'inline' });
    },
  );

  proves('M-APP-033').it(
    'opens links, writes messages and model context through the host, with its consent',
    async () => {
      const opened: string[] = [];
      const messages: ViewChatMessage[] = [];
      let allows = true;
      const { app, bridge, connect } = made({
        open: (url) => allows && opened.push(url) > 0,
        message: async (message) => allows && messages.push(message) > 0,
        updateModelContext: () => allows,
      });
      await connect();
      await app.openLink({ url: 'https://example.com/a b' });
      expect(opened).toEqual(['https://example.com/a%20b']);
      for (const url of ['javascript:alert(1)', 'file:///etc/passwd', 'nothing'])
        expect(await messageOf(app.openLink({ url }))).toMatch(/Invalid URL|Policy violation/);
      await app.sendMessage({ role: 'user', content: [{ type: 'text', text: 'Hello' }] });
      expect(messages).toEqual([{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }]);
      await app.updateModelContext({ content: [{ type: 'text', text: 'first' }] });
      await app.updateModelContext({ structuredContent: { mugs: 2 } });
      expect(bridge.modelContext).toEqual({ structuredContent: { mugs: 2 } });
      allows = false;
      expect(await messageOf(app.openLink({ url: 'https://example.com' }))).toContain('Link opening denied by user');
      expect(await messageOf(app.sendMessage({ role: 'user', content: [{ type: 'text', text: 'x' }] }))).toContain(
        'Message sending denied',
      );
      expect(await messageOf(app.updateModelContext({ content: [] }))).toContain('Context update denied');
      expect(bridge.modelContext).toEqual({ structuredContent: { mugs: 2 } });
      expect(opened).toHaveLength(1);
    },
  );

  it('opens a link when the user agrees to it in the inbox', async () => {
    const opened: string[] = [];
    const inbox = new Inbox();
    ends.push(() => inbox.close());
    const open = openWithConsent({ asks: inbox, server: 'shop', openUrl: (url) => void opened.push(url) });
    const { app, connect } = made({ open });
    await connect();
    for (const action of ['decline', 'accept'] as const) {
      const link = messageOf(app.openLink({ url: 'https://xn--bcher-kva.example/' }));
      const item = await vi.waitFor(() => {
        expect(inbox.list()).toHaveLength(1);
        return inbox.list()[0];
      });
      expect(item).toMatchObject({
        kind: 'url',
        question: { url: 'https://xn--bcher-kva.example/', warnings: ['punycode'] },
        from: { server: 'shop', reason: 'A document of the server shop wants to open a page.' },
      });
      expect(opened).toEqual([]);
      inbox.answer(item?.id ?? '', { action });
      expect(await link).toContain(action === 'accept' ? 'no error' : 'denied by user');
    }
    expect(opened).toEqual(['https://xn--bcher-kva.example/']);
  });

  it('reports its size and its log, and asks to be closed', async () => {
    const heard: unknown[] = [];
    const { app, connect } = made({
      onsize: (size) => heard.push(size),
      onlog: (entry) => heard.push(entry),
      onteardownrequest: () => heard.push('teardown'),
    });
    await connect();
    await app.sendSizeChanged({ width: 300, height: 200 });
    await app.sendLog({ level: 'info', data: { a: 1 } });
    await app.requestTeardown();
    await vi.waitFor(() => expect(heard).toHaveLength(3));
    expect(heard).toEqual([{ width: 300, height: 200 }, { level: 'info', data: { a: 1 } }, 'teardown']);
  });

  proves('M-APP-031').it('is told before it is removed, and its answer is waited for', async () => {
    const { options } = await powers();
    const { app, bridge, connect, trace } = made(options);
    let isSaved = false;
    app.onteardown = async () => {
      await app.callServerTool({ name: 'set_count_shop', arguments: {} });
      isSaved = true;
      return {};
    };
    await connect();
    await vi.waitFor(() => expect(bridge.isReady).toBe(true));
    expect(await bridge.teardown('The user closed it.')).toBe(true);
    expect(isSaved).toBe(true);
    expect(trace.slice(3)).toEqual(['→ ui/resource-teardown', '← tools/call', '→ answer 1', '← answer "host-1"']);
    bridge.setContext({ theme: 'dark' });
    expect(trace).toHaveLength(7);
  });

  proves('M-APP-034').it('leaves a record of what it asked for', async () => {
    const events: AuditEvent[] = [];
    const { options } = await powers();
    const { app, connect } = made({ ...options, open: () => true, audit: { write: (event) => events.push(event) } });
    await connect();
    await app.callServerTool({ name: 'set_count_shop', arguments: { secret: 'hunter2' } });
    await app.openLink({ url: 'https://example.com' });
    expect(events.map(({ server, details }) => [server, details['method'], details['target']])).toEqual([
      ['shop', 'ui/initialize', undefined],
      ['shop', 'tools/call', 'set_count_shop'],
      ['shop', 'ui/open-link', 'https://example.com'],
    ]);
    expect(JSON.stringify(events)).not.toContain('hunter2');
  });
});
