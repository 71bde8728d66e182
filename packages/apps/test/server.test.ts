import { afterEach, describe, expect, test, vi } from 'vitest';
import { McpServer, ResourceTemplate, text, type McpServerOptions } from 'crosspoint/server';
import {
  EXTENSION_ID,
  getUiCapability,
  registerAppResource,
  registerAppTool,
  RESOURCE_MIME_TYPE,
} from '../src/server/index.ts';
import { proves } from '../../crosspoint/test/requirements/proves.ts';
import { newestHandshake, stateless, Wire } from '../../crosspoint/test/server/wire.ts';

const HTML = '<!doctype html><html><title>Weather</title></html>';
const URI = 'ui://weather/view';
const withApps = { extensions: { [EXTENSION_ID]: { mimeTypes: [RESOURCE_MIME_TYPE] } } };

function weather(options: McpServerOptions = {}): McpServer {
  const server = new McpServer({ name: 'weather', version: '1.0' }, options);
  registerAppTool(server, 'forecast', { _meta: { ui: { resourceUri: URI }, 'com.example/x': 1 } }, () => text('Rain'));
  registerAppTool(server, 'refresh', { _meta: { ui: { resourceUri: URI, visibility: ['app'] } } }, () => text('Sun'));
  server.registerTool('plain', {}, () => text('plain'));
  registerAppResource(
    server,
    'View',
    URI,
    { _meta: { ui: { csp: { connectDomains: ['https://api.example.com'] }, prefersBorder: true } } },
    HTML,
  );
  return server;
}

afterEach(() => vi.restoreAllMocks());

describe('a server with apps', () => {
  test('declares them in both families; a server without them says nothing', async () => {
    const wire = await Wire.open(weather());
    expect((await wire.declared(stateless)).extensions).toEqual({ [EXTENSION_ID]: {} });
    expect((await wire.handshake(newestHandshake)).capabilities.extensions).toEqual({ [EXTENSION_ID]: {} });
    const plain = new McpServer({ name: 'plain', version: '1.0' });
    plain.registerTool('plain', {}, () => text('plain'));
    expect(await (await Wire.open(plain)).declared(stateless)).not.toHaveProperty('extensions');
  });

  test('shows a client with apps what its tools have to do with documents, in both spellings', async () => {
    const wire = await Wire.open(weather());
    const { tools } = await wire.result('tools/list', {}, stateless, { capabilities: withApps });
    expect(tools.map(({ name }: any) => name)).toEqual(['forecast', 'refresh', 'plain']);
    expect(tools[0]._meta).toEqual({ ui: { resourceUri: URI }, 'ui/resourceUri': URI, 'com.example/x': 1 });
    expect(tools[1]._meta.ui.visibility).toEqual(['app']);
  });

  proves('M-APP-002, M-APP-003').test.each([
    ['nothing', {}],
    ['another type', { extensions: { [EXTENSION_ID]: { mimeTypes: ['text/uri-list'] } } }],
    ['no type', { extensions: { [EXTENSION_ID]: {} } }],
  ])('gives a client that declared %s plain tools, whose content is text', async (_what, capabilities) => {
    const wire = await Wire.open(weather());
    const { tools } = await wire.result('tools/list', {}, stateless, { capabilities });
    expect(tools.map(({ name, _meta }: any) => [name, _meta])).toEqual([
      ['forecast', { 'com.example/x': 1 }],
      ['plain', undefined],
    ]);
    const result = await wire.result('tools/call', { name: 'forecast' }, stateless, { capabilities });
    expect(result.content).toEqual([{ type: 'text', text: 'Rain' }]);
    expect((await wire.error('tools/call', { name: 'refresh' }, stateless, { capabilities })).code).toBe(-32602);
  });

  test('does the same in a handshake', async () => {
    const wire = await Wire.open(weather());
    await wire.handshake(newestHandshake, withApps);
    expect((await wire.result('tools/list', {}, newestHandshake)).tools).toHaveLength(3);
    expect((await wire.result('tools/call', { name: 'refresh' }, newestHandshake)).content[0].text).toBe('Sun');
    const other = await Wire.open(weather());
    await other.handshake(newestHandshake, {});
    expect((await other.result('tools/list', {}, newestHandshake)).tools).toHaveLength(2);
  });

  test('keeps a list that depends on the client out of shared caches', async () => {
    const server = new McpServer(
      { name: 'weather', version: '1.0' },
      { listHints: { tools: { ttlMs: 1000, cacheScope: 'public' } } },
    );
    registerAppTool(server, 'forecast', { _meta: { ui: { resourceUri: URI } } }, () => text('Rain'));
    registerAppResource(server, 'View', URI, {}, HTML);
    const wire = await Wire.open(server);
    expect(await wire.result('tools/list', {}, stateless)).toMatchObject({ ttlMs: 1000, cacheScope: 'private' });
  });

  proves('M-APP-005, M-APP-006, M-APP-008').test(
    'serves the document that a tool names, with its type and what it needs',
    async () => {
      const wire = await Wire.open(weather());
      const { tools } = await wire.result('tools/list', {}, stateless, { capabilities: withApps });
      const uri = tools[0]._meta.ui.resourceUri;
      expect(uri).toMatch(/^ui:\/\//);
      const { contents } = await wire.result('resources/read', { uri }, stateless);
      expect(contents).toEqual([
        {
          uri: URI,
          mimeType: 'text/html;profile=mcp-app',
          text: HTML,
          _meta: { ui: { csp: { connectDomains: ['https://api.example.com'] }, prefersBorder: true } },
        },
      ]);
      const { resources } = await wire.result('resources/list', {}, stateless);
      expect(resources[0]).toMatchObject({
        mimeType: 'text/html;profile=mcp-app',
        _meta: { ui: { prefersBorder: true } },
      });
    },
  );

  proves('M-APP-008').test('names no document that is not there, and says so', async () => {
    const warn = vi.spyOn(console, 'warn').mockReturnValue();
    const server = new McpServer({ name: 'weather', version: '1.0' });
    registerAppTool(server, 'forecast', { _meta: { ui: { resourceUri: 'ui://lost' } } }, () => text('Rain'));
    const wire = await Wire.open(server);
    const list = async () => (await wire.result('tools/list', {}, stateless, { capabilities: withApps })).tools;
    expect(await list()).toEqual([expect.not.objectContaining({ _meta: expect.anything() })]);
    await list();
    expect(warn).toHaveBeenCalledTimes(1);
    expect(warn.mock.calls[0]?.[0]).toContain('ui://lost');
    registerAppResource(server, 'Lost', 'ui://lost', {}, HTML);
    expect((await list())[0]._meta.ui).toEqual({ resourceUri: 'ui://lost' });
  });

  test('leaves alone what was registered in other ways', async () => {
    const server = weather();
    server.registerTool('own', { _meta: { ui: { resourceUri: 'ui://made/by-template' } } }, () => text('own'));
    server.registerResource('made', new ResourceTemplate('ui://made/{name}', { list: undefined }), {}, (uri) => ({
      contents: [{ uri: uri.href, mimeType: RESOURCE_MIME_TYPE, text: HTML }],
    }));
    const wire = await Wire.open(server);
    const { tools } = await wire.result('tools/list', {}, stateless, { capabilities: withApps });
    expect(tools.find(({ name }: any) => name === 'own')._meta.ui.resourceUri).toBe('ui://made/by-template');
  });
});

describe('what an app tool returns', () => {
  async function call(result: object) {
    const server = new McpServer({ name: 'weather', version: '1.0' });
    server.server.onerror = () => {};
    registerAppTool(server, 't', { _meta: { ui: { resourceUri: URI } } }, () => result as never);
    registerAppResource(server, 'View', URI, {}, HTML);
    const wire = await Wire.open(server);
    const id = wire.start('tools/call', { name: 't' }, stateless, { capabilities: withApps });
    return wire.answer(id);
  }

  proves('M-APP-004').test('has content for the model, even where a document shows more', async () => {
    expect((await call({ content: [], structuredContent: { celsius: 9 } })).result.content).toEqual([
      { type: 'text', text: '{"celsius":9}' },
    ]);
    expect((await call({ structuredContent: { celsius: 9 } })).result.content).toHaveLength(1);
    const empty = await call({ content: [] });
    expect(empty.error ?? empty.result.isError).toBeTruthy();
  });
});

describe('declarations that cannot work', () => {
  const server = (): McpServer => new McpServer({ name: 'weather', version: '1.0' });

  proves('M-APP-005').test.each([
    [{ ui: { resourceUri: 'https://example.com' } }, 'ui://'],
    [{ ui: { resourceUri: 'ui://' } }, 'ui://'],
    [{ 'ui/resourceUri': 'file:///x' }, 'ui://'],
    [{ ui: { visibility: ['everyone'] } }, 'visibility'],
    [{ ui: { visibility: [] } }, 'visibility'],
    [{}, '_meta.ui'],
  ])('are refused where they are written: the tool %j', (meta, why) => {
    expect(() => registerAppTool(server(), 't', { _meta: meta as never }, () => text('x'))).toThrow(why);
  });

  proves('M-APP-005, M-APP-006, M-APP-007').test('are refused where they are written: documents', () => {
    const register = (uri: string, config: object, html: string) => () =>
      registerAppResource(server(), 'x', uri, config, html);
    expect(register('https://example.com', {}, HTML)).toThrow('ui://');
    expect(register(URI, { mimeType: 'text/html' }, HTML)).toThrow('text/html;profile=mcp-app');
    expect(register(URI, {}, '<p>part of a page</p>')).toThrow('HTML5');
    expect(register(URI, {}, '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0//EN">')).toThrow('HTML5');
    expect(register(URI, {}, '<!-- made by hand -->\n<!DOCTYPE HTML>\n<p>')).not.toThrow();
    for (const connectDomains of [
      ["https://x; script-src 'unsafe-eval'"],
      ['*'],
      ["'self'"],
      'https://x.com',
      ['https://x.com/path'],
    ])
      expect(register(URI, { _meta: { ui: { csp: { connectDomains } } } }, HTML)).toThrow('connectDomains');
    expect(register(URI, { _meta: { ui: { csp: { connectDomains: ['wss://*.x.com:8443'] } } } }, HTML)).not.toThrow();
    expect(register(URI, { _meta: { ui: { permissions: { camera: true } } } }, HTML)).toThrow('permissions');
  });

  proves('M-APP-006, M-APP-007').test('are not served when a document is made as it is read', async () => {
    const made = server();
    made.server.onerror = () => {};
    let item: object = {};
    registerAppResource(made, 'x', URI, {}, () => ({ contents: [{ uri: URI, ...item } as never] }));
    const wire = await Wire.open(made);
    const read = () => wire.answer(wire.start('resources/read', { uri: URI }, stateless));
    for (const wrong of [
      { text: HTML },
      { mimeType: 'text/html', text: HTML },
      { mimeType: RESOURCE_MIME_TYPE, text: 'no page' },
    ]) {
      item = wrong;
      expect((await read()).error?.code).toBe(-32603);
    }
    item = { mimeType: RESOURCE_MIME_TYPE, blob: btoa(HTML) };
    expect((await read()).result.contents).toHaveLength(1);
  });

  test('a capability is read wherever it is', () => {
    expect(getUiCapability(withApps)).toEqual({ mimeTypes: [RESOURCE_MIME_TYPE] });
    for (const none of [undefined, null, {}, { extensions: {} }, { extensions: { [EXTENSION_ID]: true } }])
      expect(getUiCapability(none as never)).toBeUndefined();
  });
});
