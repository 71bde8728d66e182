import { describe, expect, test } from 'vitest';
import { McpServer, ResourceTemplate, UriTemplate } from '../../src/server/index.ts';
import type { TemplateConfig } from '../../src/server/offering/registrations.ts';
import { proves } from '../requirements/proves.ts';
import { auth, everyRevision, stateless, Wire } from './wire.ts';

const info = { name: 'templates', version: '1.0' };

function users(template = 'user:///{id}', config: TemplateConfig = {}): { server: McpServer; seen: unknown[] } {
  const server = new McpServer(info);
  const seen: unknown[] = [];
  server.registerResource('users', new ResourceTemplate(template, { list: undefined }), config, (uri, variables) => {
    seen.push(variables);
    return { contents: [{ uri: uri.href, text: JSON.stringify(variables) }] };
  });
  return { server, seen };
}

describe.each(everyRevision)('resource templates in %s', (_id, revision) => {
  proves('L-RESOURCES-004, M-RES-021').test(
    'templates are listed as RFC 6570 patterns and not as resources',
    async () => {
      const wire = await Wire.open(users('user:///{id}{?tab}', { mimeType: 'text/plain' }).server);
      expect((await wire.result('resources/templates/list', {}, revision)).resourceTemplates).toEqual([
        { uriTemplate: 'user:///{id}{?tab}', name: 'users', mimeType: 'text/plain' },
      ]);
      expect((await wire.result('resources/list', {}, revision)).resources).toEqual([]);
    },
  );

  proves('L-SDK-013').test('a uri that matches is read with its variables decoded, and is a URL', async () => {
    const { server, seen } = users('user:///{id}/posts/{post}');
    const read: unknown[] = [];
    server.registerResource('drawer', new ResourceTemplate('drawer:///{name}', { list: undefined }), {}, (uri) => {
      read.push(uri instanceof URL, uri.href);
      return { contents: [] };
    });
    const wire = await Wire.open(server);
    await wire.result('resources/read', { uri: 'user:///ann%20b/posts/7' }, revision);
    expect(seen).toEqual([{ id: 'ann b', post: '7' }]);
    await wire.error('resources/read', { uri: 'user:///ann' }, revision);
    await wire.result('resources/read', { uri: 'drawer:///a%20b' }, revision);
    expect(read).toEqual([true, 'drawer:///a%20b']);
  });

  proves('L-RESOURCES-015, M-RES-014').test(
    'variables that climb, hide a separator or hold control characters are refused',
    async () => {
      const { server, seen } = users();
      const wire = await Wire.open(server);
      for (const id of [
        '..',
        '%2e%2e',
        '..%2fetc',
        'a%2fb',
        'a%5cb',
        '%252e%252e',
        '%252fetc',
        'a%00b',
        '%2fetc',
        'C:%5cx',
        '%0a',
      ]) {
        expect((await wire.error('resources/read', { uri: `user:///${id}` }, revision)).code, id).toBeLessThan(-32000);
      }
      expect(seen).toEqual([]);
      await wire.result('resources/read', { uri: 'user:///a..b' }, revision);
      expect(seen).toEqual([{ id: 'a..b' }]);
    },
  );

  test('unsafe variables are let through only by the option that says so', async () => {
    const { server, seen } = users('user:///{id}', { acceptUnsafeVariables: true });
    await (await Wire.open(server)).result('resources/read', { uri: 'user:///a%2fb' }, revision);
    expect(seen).toEqual([{ id: 'a/b' }]);
  });

  test('what a template lists comes after the resources, with what the template says of all', async () => {
    const server = new McpServer(info);
    const listed = (names: string[]) => () => ({ resources: names.map((name) => ({ uri: `user:///${name}`, name })) });
    server.registerResource(
      'users',
      new ResourceTemplate('user:///{id}', { list: listed(['ann', 'bob']) }),
      { mimeType: 'text/plain', description: 'a user' },
      () => undefined,
    );
    server.registerResource(
      'hidden',
      new ResourceTemplate('hidden:///{id}', { list: listed(['eve']) }),
      { visible: ({ authInfo }) => authInfo !== undefined },
      () => undefined,
    );
    server.registerResource('first', 'note:///first', {}, () => undefined);
    const wire = await Wire.open(server);
    const { resources } = await wire.result('resources/list', {}, revision);
    expect(resources).toEqual([
      { uri: 'note:///first', name: 'first' },
      { uri: 'user:///ann', name: 'ann', mimeType: 'text/plain', description: 'a user' },
      { uri: 'user:///bob', name: 'bob', mimeType: 'text/plain', description: 'a user' },
    ]);
    expect((await wire.result('resources/list', {}, revision, { authInfo: auth('ann') })).resources).toHaveLength(4);
    expect((await wire.result('resources/templates/list', {}, revision)).resourceTemplates).toHaveLength(1);
  });
});

describe('registration', () => {
  proves('M-RES-021').test('a pattern that is none, or has no scheme, is refused', () => {
    for (const pattern of ['user:///{', 'user:///{id', 'user:///{}', 'user:///{!id}', 'user:///}x', '/{id}', '{id}'])
      expect(() => users(pattern), pattern).toThrow();
  });

  test('a parsed UriTemplate may be given', () => {
    expect(new ResourceTemplate(new UriTemplate('a:{x}'), { list: undefined }).uriTemplate.toString()).toBe('a:{x}');
  });

  test('a completer for a variable that the pattern lacks is refused', () => {
    expect(() => new ResourceTemplate('a:{x}', { list: undefined, complete: { y: () => [] } })).toThrow(
      'no variable "y"',
    );
  });

  test('the first template that matches, in the order of registration, answers', async () => {
    const server = new McpServer(info);
    for (const name of ['one', 'two'])
      server.registerResource(name, new ResourceTemplate(`a:{${name}}`, { list: undefined }), {}, (uri) => ({
        contents: [{ uri: uri.href, text: name }],
      }));
    expect((await (await Wire.open(server)).result('resources/read', { uri: 'a:x' }, stateless)).contents[0].text).toBe(
      'one',
    );
  });

  test('a list callback that fails is an internal error without its words', async () => {
    const server = new McpServer(info);
    server.registerResource(
      'x',
      new ResourceTemplate('a:{x}', { list: () => Promise.reject(new Error('secret')) }),
      {},
      () => undefined,
    );
    expect(await (await Wire.open(server)).error('resources/list', {}, stateless)).toEqual({
      code: -32603,
      message: 'Internal error',
    });
  });
});
