import { ResourceTemplate, resourceContents } from 'crosspoint/server';
import { PNG } from './media.mjs';

const plain = (name, uri, description, data) => [name, uri, description, 'text/plain', data];

const STATIC = [
  plain('static-text', 'test://static-text', 'A text.', 'This is the content of the static text resource.'),
  ['static-binary', 'test://static-binary', 'An image.', 'image/png', Buffer.from(PNG, 'base64')],
  plain('watched-resource', 'test://watched-resource', 'Can be subscribed to.', 'Watched resource content'),
  plain('example-resource', 'test://example-resource', 'What prompts embed.', 'Example resource content'),
];

export function registerResources(server) {
  for (const [name, uri, description, mimeType, data] of STATIC) {
    server.registerResource(name, uri, { description, mimeType }, () => ({
      contents: [resourceContents(uri, data, mimeType)],
    }));
  }
  const template = new ResourceTemplate('test://template/{id}/data', { list: undefined });
  const config = { description: 'Data by id.', mimeType: 'application/json' };
  server.registerResource('template', template, config, (uri, { id }) => {
    const data = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
    return { contents: [resourceContents(uri.href, data, config.mimeType)] };
  });
}
