import { afterEach, describe, expect, test } from 'vitest';
import {
  apps,
  AppsClient,
  contentSecurityPolicy,
  permissionsPolicy,
  RESOURCE_MIME_TYPE,
  toolsForApp,
  toolsForModel,
  uiOfTool,
} from '../src/client/index.ts';
import { McpServer, text } from 'crosspoint/server';
import { registerAppResource, registerAppTool } from '../src/server/index.ts';
import { connectLinked, type Linked } from 'crosspoint/testing';
import { proves } from '../../crosspoint/test/requirements/proves.ts';
import { everyRevision } from '../../crosspoint/test/server/wire.ts';

const HTML = '<!doctype html><title>x</title>';
const URI = 'ui://shop/cart';
const open: Linked[] = [];
afterEach(async () => {
  for (const linked of open.splice(0)) await linked.close();
});

async function link(server: McpServer, revision?: string): Promise<Linked> {
  const linked = await connectLinked(server, { extensions: [apps], ...(revision !== undefined && { revision }) });
  open.push(linked);
  return linked;
}

function shop(): McpServer {
  const server = new McpServer({ name: 'shop', version: '1.0' });
  registerAppTool(server, 'show_cart', { _meta: { ui: { resourceUri: URI } } }, () => text('1 mug'));
  registerAppTool(server, 'set_count', { _meta: { ui: { resourceUri: URI, visibility: ['app'] } } }, () =>
    text('2 mugs'),
  );
  registerAppTool(server, 'pay', { _meta: { ui: { visibility: ['model'] } } }, () => text('paid'));
  registerAppResource(
    server,
    'Cart',
    URI,
    { _meta: { ui: { csp: { resourceDomains: ['https://cdn.example.com'] }, prefersBorder: false } } },
    () => ({
      contents: [{ uri: URI, mimeType: RESOURCE_MIME_TYPE, text: HTML, _meta: { ui: { prefersBorder: true } } }],
    }),
  );
  return server;
}

/** The two oldest revisions cannot say of a tool what it has to do with a document. */
const hasMeta = (id: string): boolean => everyRevision.findIndex(([known]) => known === id) < everyRevision.length - 2;

describe.each(everyRevision)('a client with apps in %s', (id) => {
  proves('M-APP-001').test('declares them, with the types it shows', async () => {
    const { client, recorder } = await link(shop(), id);
    await client.listTools();
    const sent = recorder.lines.find((line) => line.startsWith('→') && line.includes('io.modelcontextprotocol/ui'));
    expect(sent).toContain('"io.modelcontextprotocol/ui":{"mimeTypes":["text/html;profile=mcp-app"]}');
    expect((await client.listTools()).tools).toHaveLength(hasMeta(id) ? 3 : 2);
  });

  proves('M-APP-009, M-APP-035').test(
    'fetches a document with resources/read; what it says goes over what the list says',
    async () => {
      const { client, recorder } = await link(shop(), id);
      const { tools } = await client.listTools();
      if (!hasMeta(id)) {
        expect(tools.map(({ name }) => name)).toEqual(['show_cart', 'pay']);
        return expect(await new AppsClient(client).readDocument(URI)).toMatchObject({ html: HTML });
      }
      const before = recorder.lines.length;
      const document = await new AppsClient(client).documentOf(tools[0]!);
      expect(document).toEqual({
        uri: URI,
        html: HTML,
        ui: { csp: { resourceDomains: ['https://cdn.example.com'] }, prefersBorder: true },
      });
      expect(
        recorder.lines.slice(before).some((line) => line.startsWith('→') && line.includes('"resources/read"')),
      ).toBe(true);
      expect(await new AppsClient(client).documentOf(tools[2]!)).toBeUndefined();
    },
  );
});

describe('visibility', () => {
  const tool = (ui?: object) => ({ name: 't', inputSchema: {}, ...(ui && { _meta: { ui } }) }) as never;

  proves('M-APP-010').test('a model knows of no tool that is not for it; all are by default', async () => {
    const { client } = await link(shop());
    const { tools } = await client.listTools();
    expect(toolsForModel(tools).map(({ name }) => name)).toEqual(['show_cart', 'pay']);
    expect(toolsForApp(tools).map(({ name }) => name)).toEqual(['show_cart', 'set_count']);
    expect(toolsForModel([tool(), tool({}), tool({ visibility: ['model', 'app'] })])).toHaveLength(3);
    expect(
      toolsForModel([tool({ visibility: ['app'] }), tool({ visibility: 'model' }), tool({ visibility: [] })]),
    ).toEqual([]);
  });

  proves('M-APP-011').test(
    'a document calls tools that are for documents, of its own server, and no others',
    async () => {
      const { client } = await link(shop());
      const other = new McpServer({ name: 'other', version: '1.0' });
      registerAppTool(other, 'elsewhere', { _meta: { ui: { visibility: ['app'] } } }, () => text('elsewhere'));
      await link(other);
      const app = new AppsClient(client);
      expect(await app.callTool({ name: 'set_count' })).toMatchObject({ content: [{ text: '2 mugs' }] });
      for (const name of ['pay', 'elsewhere', 'none'])
        await expect(app.callTool({ name })).rejects.toThrow(
          `The tool "${name}" does not exist, or documents may not call it`,
        );
    },
  );

  test('the older spelling of a document is read; what is no such URI is not', () => {
    const of = (meta: object) => uiOfTool({ _meta: meta as never }).resourceUri;
    expect(of({ 'ui/resourceUri': URI })).toBe(URI);
    expect(of({ ui: { resourceUri: 'https://example.com' } })).toBeUndefined();
    expect(of({ ui: 'nonsense' })).toBeUndefined();
  });
});

describe('a document that cannot be shown', () => {
  async function read(contents: object[], uri = URI) {
    const server = new McpServer({ name: 'raw', version: '1.0' });
    server.registerResource('x', URI, {}, () => ({ contents: contents as never }));
    return new AppsClient((await link(server)).client).readDocument(uri);
  }

  test.each([
    [[], 'no contents'],
    [[{ uri: URI, mimeType: 'text/html', text: HTML }], 'its type'],
    [[{ uri: URI, mimeType: RESOURCE_MIME_TYPE, text: 'x' }], 'HTML5'],
  ])('is refused with the reason: %j', async (contents, why) => {
    await expect(read(contents)).rejects.toThrow(why);
  });

  test('is one of another scheme', async () => {
    await expect(read([], 'https://example.com')).rejects.toThrow('ui://');
  });
});

describe('the policy of a document', () => {
  proves('M-APP-013').test('is the restrictive one where nothing is declared', () => {
    expect(contentSecurityPolicy().split('; ')).toEqual([
      "default-src 'none'",
      "script-src 'self' 'unsafe-inline'",
      "style-src 'self' 'unsafe-inline'",
      "img-src 'self' data:",
      "media-src 'self' data:",
      "connect-src 'none'",
      "frame-src 'none'",
      "object-src 'none'",
      "base-uri 'self'",
    ]);
  });

  proves('M-APP-012').test('allows the origins that are declared, each for what it is declared for', () => {
    const policy = contentSecurityPolicy({
      connectDomains: ['https://api.example.com', 'wss://live.example.com'],
      resourceDomains: ['https://*.cdn.example.com'],
      frameDomains: ['https://player.example.com'],
      baseUriDomains: ['https://base.example.com'],
    }).split('; ');
    expect(policy).toContain('connect-src https://api.example.com wss://live.example.com');
    expect(policy).toContain("script-src 'self' 'unsafe-inline' https://*.cdn.example.com");
    expect(policy).toContain("font-src 'self' https://*.cdn.example.com");
    expect(policy).toContain('frame-src https://player.example.com');
    expect(policy).toContain('base-uri https://base.example.com');
    expect(policy).toContain("default-src 'none'");
  });

  proves('M-APP-012').test('lets nothing in that is not an origin', () => {
    const evil = [
      "https://x; script-src 'unsafe-eval'",
      "'unsafe-eval'",
      '*',
      'data:',
      'https:',
      'https://a b',
      'https://x/path',
      7,
    ];
    const policy = contentSecurityPolicy({ connectDomains: evil as string[], resourceDomains: evil as string[] });
    expect(policy).toBe(contentSecurityPolicy({}));
    expect(contentSecurityPolicy({ connectDomains: 'https://x.com' as never })).toContain("connect-src 'none'");
  });

  test('asks the browser for what the document would like, and nothing unknown', () => {
    expect(permissionsPolicy({ camera: {}, clipboardWrite: {}, usb: {} } as never)).toBe('camera; clipboard-write');
    expect(permissionsPolicy()).toBe('');
  });
});
