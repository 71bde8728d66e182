import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import * as z3 from 'zod/v3';
import { McpServer } from '../../src/server/index.ts';
import { proves } from '../requirements/proves.ts';
import { auth, everyRevision, newestHandshake, oldestHandshake, stateless, Wire } from './wire.ts';

const info = { name: 'prompts', version: '1.0' };
const say = (words: string): { messages: { role: 'user'; content: { type: 'text'; text: string } }[] } => ({
  messages: [{ role: 'user', content: { type: 'text', text: words } }],
});

function reviewer(): McpServer {
  const server = new McpServer(info);
  server.registerPrompt(
    'review',
    {
      title: 'Review',
      description: 'Reviews',
      argsSchema: { code: z.string().describe('The code'), style: z.string().optional() },
    },
    ({ code, style }) => say(`${style ?? 'plain'}: ${code}`),
  );
  server.registerPrompt('hello', {}, (ctx) => say(`Hello from ${ctx.protocolVersion}`));
  server.registerPrompt('broken', {}, () => {
    throw new Error('secret detail');
  });
  return server;
}

const returning = (value: unknown): McpServer => {
  const server = new McpServer(info);
  server.registerPrompt('give', {}, (() => value) as never);
  return server;
};

describe.each(everyRevision)('prompts in %s', (_id, revision) => {
  proves('L-PROMPTS-001, M-PRM-001').test('prompts are declared when there is one', async () => {
    expect(await (await Wire.open(reviewer())).declared(revision)).toEqual({ prompts: { listChanged: true } });
  });

  proves('L-PROMPTS-002, M-PRM-002').test('the list has names and arguments, and may be empty', async () => {
    const { prompts } = await (await Wire.open(reviewer())).result('prompts/list', {}, revision);
    expect(prompts.map((prompt: any) => prompt.name)).toEqual(['review', 'hello', 'broken']);
    expect(prompts[0].arguments).toEqual([
      { name: 'code', description: 'The code', required: true },
      { name: 'style', required: false },
    ]);
    expect(() => reviewer().registerPrompt('ok', {}, () => say(''))).not.toThrow();
    const server = reviewer();
    expect(() => server.registerPrompt('review', {}, () => say(''))).toThrow('already registered');
    const empty = await Wire.open(new McpServer(info, { capabilities: { prompts: {} } }));
    expect((await empty.result('prompts/list', {}, revision)).prompts).toEqual([]);
  });

  proves('M-PRM-003').test('the list is the same on every connection and after other calls', async () => {
    const server = reviewer();
    const [one, two] = [await Wire.open(server), await Wire.open(server)];
    const first = JSON.stringify(await one.result('prompts/list', {}, revision));
    await one.result('prompts/get', { name: 'hello' }, revision);
    expect(JSON.stringify(await two.result('prompts/list', {}, revision))).toBe(first);
  });

  proves('L-PROMPTS-003').test('a prompt is got with string arguments and gives messages', async () => {
    const wire = await Wire.open(reviewer());
    expect((await wire.result('prompts/get', { name: 'review', arguments: { code: 'x' } }, revision)).messages).toEqual(
      [{ role: 'user', content: { type: 'text', text: 'plain: x' } }],
    );
    expect((await wire.result('prompts/get', { name: 'hello' }, revision)).messages[0].content.text).toBe(
      `Hello from ${revision.id}`,
    );
    for (const args of [{ code: 7 }, { code: ['x'] }, 'x', ['x'], { code: null }]) {
      expect((await wire.error('prompts/get', { name: 'review', arguments: args }, revision)).code).toBe(-32602);
    }
  });

  proves('L-PROMPTS-009, L-PROMPTS-010, L-PROMPTS-011, L-PROMPTS-012, M-PRM-007, M-PRM-008').test(
    'unknown prompts and missing arguments are -32602, failures -32603 without their words',
    async () => {
      const wire = await Wire.open(reviewer());
      expect(await wire.error('prompts/get', { name: 'nothing' }, revision)).toMatchObject({
        code: -32602,
        message: expect.stringContaining('nothing'),
      });
      expect(await wire.error('prompts/get', {}, revision)).toMatchObject({ code: -32602 });
      expect(await wire.error('prompts/get', { name: 'review' }, revision)).toMatchObject({
        code: -32602,
        message: expect.stringContaining('code'),
      });
      expect(await wire.error('prompts/get', { name: 'broken' }, revision)).toEqual({
        code: -32603,
        message: 'Internal error',
      });
    },
  );

  test('a prompt is listed for and got by only those it is visible to', async () => {
    const server = reviewer();
    server.registerPrompt('own', { visible: ({ authInfo }) => authInfo?.clientId === 'ann' }, () => say('yours'));
    const wire = await Wire.open(server);
    expect((await wire.result('prompts/list', {}, revision)).prompts).toHaveLength(3);
    expect((await wire.result('prompts/list', {}, revision, { authInfo: auth('ann') })).prompts).toHaveLength(4);
    expect((await wire.error('prompts/get', { name: 'own' }, revision, { authInfo: auth('bob') })).code).toBe(-32602);
    await wire.result('prompts/get', { name: 'own' }, revision, { authInfo: auth('ann') });
  });

  test.each([
    ['nothing', undefined],
    ['no messages', {}],
    ['a role of its own', { messages: [{ role: 'system', content: { type: 'text', text: '' } }] }],
    ['several blocks in one message', { messages: [{ role: 'user', content: [{ type: 'text', text: '' }] }] }],
    ['text without text', { messages: [{ role: 'user', content: { type: 'text' } }] }],
  ])('%s from a handler is an internal error', async (_what, value) => {
    expect((await (await Wire.open(returning(value))).error('prompts/get', { name: 'give' }, revision)).code).toBe(
      -32603,
    );
  });

  proves('L-PROMPTS-005, L-PROMPTS-006, M-PRM-005').test(
    'images and sound are base64 with a MIME type, or are not sent',
    async () => {
      for (const kind of ['image', 'audio']) {
        const give = (content: object): Promise<Wire> =>
          Wire.open(returning({ messages: [{ role: 'user', content: { type: kind, ...content } }] }));
        for (const bad of [
          { data: 'AAAA' },
          { data: 'AAAA', mimeType: 'png' },
          { data: 'not base64!', mimeType: `${kind}/x` },
          { mimeType: `${kind}/x` },
        ]) {
          expect((await (await give(bad)).error('prompts/get', { name: 'give' }, revision)).code).toBe(-32603);
        }
        const { messages } = await (
          await give({ data: 'AAAA', mimeType: `${kind}/x` })
        ).result('prompts/get', { name: 'give' }, revision);
        const unknown = kind === 'audio' && revision === oldestHandshake;
        expect(messages[0].content.type).toBe(unknown ? 'text' : kind);
      }
    },
  );

  proves('L-PROMPTS-007, M-PRM-006').test(
    'embedded resources have an absolute uri, a MIME type and text or base64',
    async () => {
      const give = (resource: object): Promise<Wire> =>
        Wire.open(returning({ messages: [{ role: 'user', content: { type: 'resource', resource } }] }));
      const bad = [
        { uri: 'note:///a', text: 'a' },
        { uri: 'a', mimeType: 'text/plain', text: 'a' },
        { uri: 'note:///a', mimeType: 'text/plain' },
        { uri: 'note:///a', mimeType: 'image/png', blob: '~' },
        { mimeType: 'text/plain', text: 'a' },
      ];
      for (const resource of bad)
        expect(
          (await (await give(resource)).error('prompts/get', { name: 'give' }, revision)).code,
          JSON.stringify(resource),
        ).toBe(-32603);
      for (const resource of [
        { uri: 'note:///a', mimeType: 'text/plain', text: 'a' },
        { uri: 'note:///a', mimeType: 'image/png', blob: 'AAAA' },
      ]) {
        expect(
          (await (await give(resource)).result('prompts/get', { name: 'give' }, revision)).messages[0].content.resource,
        ).toEqual(resource);
      }
    },
  );
});

proves('L-PROMPTS-016, L-PROMPTS-017').test(
  'titles, icons and _meta are told where the revision has words for them',
  async () => {
    const server = new McpServer(info);
    server.registerPrompt(
      'p',
      {
        title: 'P',
        icons: [{ src: 'https://example.com/i.png' }],
        _meta: { 'com.example/a': 1 },
        argsSchema: { x: z.string().meta({ title: 'X' }) },
      },
      () => say(''),
    );
    const wire = await Wire.open(server);
    const told = {
      name: 'p',
      title: 'P',
      icons: [{ src: 'https://example.com/i.png' }],
      _meta: { 'com.example/a': 1 },
      arguments: [{ name: 'x', title: 'X', required: true }],
    };
    for (const revision of [stateless, newestHandshake])
      expect((await wire.result('prompts/list', {}, revision)).prompts).toEqual([told]);
    expect((await (await Wire.open(server)).result('prompts/list', {}, oldestHandshake)).prompts[0]).toEqual({
      name: 'p',
      arguments: [{ name: 'x', required: true }],
    });
  },
);

test('arguments may be described by zod 3 and are transformed', async () => {
  const server = new McpServer(info);
  server.registerPrompt('p', { argsSchema: { n: z3.string().transform(Number) } }, ({ n }) => say(String(n + 1)));
  expect(
    (await (await Wire.open(server)).result('prompts/get', { name: 'p', arguments: { n: '41' } }, stateless))
      .messages[0].content.text,
  ).toBe('42');
});
