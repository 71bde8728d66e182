import { apps, AppsClient, RESOURCE_MIME_TYPE } from '@crosspoint/apps/client';
import { McpServer, text } from 'crosspoint/server';
import { registerAppResource, registerAppTool } from '@crosspoint/apps/server';
import { connectLinked, type Linked } from 'crosspoint/testing';

export const URI = 'ui://shop/cart';
export const HTML = '<!doctype html><title>Cart</title>';

/** A server with a document, a tool that it shows, one for the document alone and one for the model alone. */
export function shop(name = 'shop'): McpServer {
  const server = new McpServer({ name, version: '1.0' });
  registerAppTool(server, 'show_cart', { _meta: { ui: { resourceUri: URI } } }, () => text('1 mug'));
  registerAppTool(server, `set_count_${name}`, { _meta: { ui: { visibility: ['app'] } } }, () => text('2 mugs'));
  registerAppTool(server, 'pay', { _meta: { ui: { visibility: ['model'] } } }, () => text('paid'));
  registerAppResource(
    server,
    'Cart',
    URI,
    { _meta: { ui: { csp: { connectDomains: ['https://api.example.com'] }, prefersBorder: false } } },
    () => ({
      contents: [
        { uri: URI, mimeType: RESOURCE_MIME_TYPE, text: HTML, _meta: { ui: { permissions: { camera: {} } } } },
      ],
    }),
  );
  return server;
}

export async function connectedShop(name?: string): Promise<Linked & { readonly apps: AppsClient }> {
  const linked = await connectLinked(shop(name), { extensions: [apps] });
  return { ...linked, apps: new AppsClient(linked.client) };
}
