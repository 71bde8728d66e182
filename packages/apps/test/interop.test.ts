import { Client as OfficialClient, InMemoryTransport } from '@modelcontextprotocol/client';
import {
  EXTENSION_ID,
  getUiCapability,
  registerAppResource as officialResource,
  registerAppTool as officialTool,
  RESOURCE_MIME_TYPE,
} from '@modelcontextprotocol/ext-apps/server';
import { McpServer as OfficialServer } from '@modelcontextprotocol/server';
import { expect, test } from 'vitest';
import { apps, AppsClient, toolsForModel } from '../src/client/index.ts';
import { McpServer, text } from 'crosspoint/server';
import * as ours from '../src/server/index.ts';
import { connectLinked } from 'crosspoint/testing';

const info = { name: 'shop', version: '1.0.0' };
const HTML = '<!doctype html><title>Cart</title>';
const URI = 'ui://shop/cart';
const ui = { csp: { connectDomains: ['https://api.example.com'] } };

test('the names and values of the official package are ours', () => {
  expect(ours.EXTENSION_ID).toBe(EXTENSION_ID);
  expect(ours.RESOURCE_MIME_TYPE).toBe(RESOURCE_MIME_TYPE);
  const declared = { extensions: { [apps.extension.id]: { ...apps.settings } } };
  expect(getUiCapability(declared as never)).toEqual(ours.getUiCapability(declared));
});

test('our client sees the apps of a server that was made with the official helpers', async () => {
  const server = new OfficialServer(info);
  officialTool(
    server,
    'show_cart',
    { description: 'Shows it', _meta: { ui: { resourceUri: URI } } },
    async () => text('1 mug') as never,
  );
  officialTool(
    server,
    'set_count',
    { description: 'Sets it', _meta: { ui: { visibility: ['app'] } } },
    async () => text('2') as never,
  );
  officialResource(server, 'Cart', URI, {}, async () => ({
    contents: [{ uri: URI, mimeType: RESOURCE_MIME_TYPE, text: HTML, _meta: { ui } }],
  }));
  const { client, close } = await connectLinked(server as never, { extensions: [apps] });
  try {
    const { tools } = await client.listTools();
    expect(toolsForModel(tools).map(({ name }) => name)).toEqual(['show_cart']);
    const app = new AppsClient(client);
    expect(await app.documentOf(tools[0]!)).toEqual({ uri: URI, html: HTML, ui });
    expect(await app.callTool({ name: 'set_count' })).toMatchObject({ content: [{ text: '2' }] });
  } finally {
    await close();
  }
});

test.each([true, false])('the official client is served ours, with apps: %s', async (withApps) => {
  const server = new McpServer(info);
  ours.registerAppTool(server, 'show_cart', { _meta: { ui: { resourceUri: URI } } }, () => text('1 mug'));
  ours.registerAppTool(server, 'set_count', { _meta: { ui: { visibility: ['app'] } } }, () => text('2'));
  ours.registerAppResource(server, 'Cart', URI, { _meta: { ui } }, HTML);
  const [near, far] = InMemoryTransport.createLinkedPair();
  const client = new OfficialClient(
    { name: 'official', version: '1.0.0' },
    { capabilities: withApps ? { extensions: { [EXTENSION_ID]: { mimeTypes: [RESOURCE_MIME_TYPE] } } } : {} },
  );
  await server.connect(far as never);
  await client.connect(near);
  try {
    const { tools } = await client.listTools();
    expect(tools.map(({ name, _meta }) => [name, (_meta?.['ui'] as { resourceUri?: string })?.resourceUri])).toEqual(
      withApps
        ? [
            ['show_cart', URI],
            ['set_count', undefined],
          ]
        : [['show_cart', undefined]],
    );
    const { contents } = await client.readResource({ uri: URI });
    expect(contents).toMatchObject([{ mimeType: RESOURCE_MIME_TYPE, text: HTML, _meta: { ui } }]);
    expect(await client.callTool({ name: 'show_cart', arguments: {} })).toMatchObject({ content: [{ text: '1 mug' }] });
  } finally {
    await client.close();
  }
});
