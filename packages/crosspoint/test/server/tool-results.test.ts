import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { fromJsonSchema } from '../../src/schema/index.ts';
import { McpServer, text } from '../../src/server/index.ts';
import { revisions } from '../../src/revisions/index.ts';
import { connectLinked } from '../../src/testing/index.ts';
import { proves } from '../requirements/proves.ts';
import { everyRevision, handshakes, newestHandshake, oldestHandshake, stateless, Wire } from './wire.ts';

const info = { name: 'results', version: '1.0' };
const structuring = revisions.filter(
  (revision) =>
    revision.writeResult('tools/call', { kind: 'complete', result: { content: [], structuredContent: {} } }, info)[
      'structuredContent'
    ] !== undefined,
);
const everyStructuring = structuring.map((revision) => [revision.id, revision] as const);

function returning(value: unknown, outputSchema?: object): McpServer {
  const server = new McpServer(info);
  server.registerTool('give', { ...(outputSchema && { outputSchema: outputSchema as never }) }, (() => value) as never);
  return server;
}

describe('structured output', () => {
  proves('L-TOOLS-023, M-TOOL-022').test.each(everyStructuring)(
    '%s: what keeps the output schema is sent, what breaks it becomes an error for the model',
    async (_id, revision) => {
      const schema = { sum: z.number() };
      expect(
        await (await Wire.open(returning({ structuredContent: { sum: 5 } }, schema))).call('give', {}, revision),
      ).toMatchObject({ structuredContent: { sum: 5 } });
      for (const broken of [{ structuredContent: { sum: 'five' } }, { structuredContent: {} }, text('only text')]) {
        const result = await (await Wire.open(returning(broken, schema))).call('give', {}, revision);
        expect(result.isError).toBe(true);
        expect(result.content[0].text).toContain('give');
        expect(result).not.toHaveProperty('structuredContent');
      }
    },
  );

  proves('L-TOOLS-023').test.each(everyStructuring)('%s: a failure owes no structure', async (_id, revision) => {
    const wire = await Wire.open(returning({ ...text('no'), isError: true }, { sum: z.number() }));
    expect(await wire.call('give', {}, revision)).toMatchObject({ isError: true, content: [{ text: 'no' }] });
  });

  proves('L-TOOLS-021, M-TOOL-021').test.each(everyStructuring)(
    '%s: structure alone gets its JSON as text',
    async (_id, revision) => {
      const wire = await Wire.open(returning({ structuredContent: { a: [1] } }));
      expect(await wire.call('give', {}, revision)).toMatchObject({
        structuredContent: { a: [1] },
        content: [{ type: 'text', text: '{"a":[1]}' }],
      });
    },
  );

  proves('L-TOOLS-022, L-TOOLS-025').test.each(
    structuring
      .filter((revision) => revision.family === 'handshake')
      .map((revision) => [revision.id, revision] as const),
  )(
    '%s: structure is an object; another value and its schema are withheld, its text is kept',
    async (_id, revision) => {
      const wire = await Wire.open(returning({ structuredContent: [1, 2] }, fromJsonSchema({ type: 'array' })));
      const { tools } = await wire.result('tools/list', {}, revision);
      expect(tools[0]).not.toHaveProperty('outputSchema');
      const result = await wire.call('give', {}, revision);
      expect(result).not.toHaveProperty('structuredContent');
      expect(result.content).toEqual([{ type: 'text', text: '[1,2]' }]);
    },
  );

  test('any JSON value may be structure in the newest revision', async () => {
    for (const value of [[1, 2], 'text', 7, false, null]) {
      expect(
        (await (await Wire.open(returning({ structuredContent: value }))).call('give', {}, stateless))
          .structuredContent,
      ).toEqual(value);
    }
  });
});

describe('content', () => {
  const audio = { type: 'audio', data: 'AAAA', mimeType: 'audio/wav' };
  const image = { type: 'image', data: 'AAAA', mimeType: 'image/png' };
  const embedded = { type: 'resource', resource: { uri: 'note:///a', text: 'a' } };
  const blob = { type: 'resource', resource: { uri: 'note:///b', blob: 'AAAA' } };
  const link = { type: 'resource_link', uri: 'note:///c', name: 'c' };
  const all = [{ type: 'text', text: 't' }, image, audio, embedded, blob, link];

  proves('L-TOOLS-015, L-TOOLS-016, L-TOOLS-017, L-TOOLS-018').test.each(everyRevision)(
    '%s: only blocks that the revision knows are sent, and none is lost',
    async (_id, revision) => {
      const known = new Set(['text', 'image', 'resource']);
      if (revision !== oldestHandshake) known.add('audio');
      if (revision === stateless || handshakes.indexOf(revision) <= 1) known.add('resource_link');
      const { content } = await (await Wire.open(returning({ content: all }))).call('give', {}, revision);
      expect(content).toHaveLength(all.length);
      for (const block of content) expect(known).toContain(block.type);
      for (const block of all.filter((one) => known.has(one.type))) expect(content).toContainEqual(block);
    },
  );

  proves('M-TOOL-024, L-TOOLS-017').test.each(everyRevision)(
    '%s: content is always there, as an array',
    async (_id, revision) => {
      expect((await (await Wire.open(returning({ content: [] }))).call('give', {}, revision)).content).toEqual([]);
      expect(
        Array.isArray(
          (await (await Wire.open(returning({ structuredContent: {} }))).call('give', {}, revision)).content,
        ),
      ).toBe(true);
    },
  );

  test.each([
    ['undefined', undefined],
    ['null', null],
    ['a string', 'text'],
    ['no content', {}],
    ['content that is no list', { content: 'text' }],
    ['a block without type', { content: [{}] }],
    ['text without text', { content: [{ type: 'text' }] }],
    ['an image that is not base64', { content: [{ ...image, data: '~' }] }],
    ['an image without a MIME type', { content: [{ type: 'image', data: 'AAAA' }] }],
    ['a link without a name', { content: [{ type: 'resource_link', uri: 'note:///c' }] }],
    ['a priority beyond 1', { content: [{ type: 'text', text: 't', annotations: { priority: 2 } }] }],
  ])('%s from a handler is an internal error and never reaches the client', async (_what, value) => {
    const wire = await Wire.open(returning(value));
    for (const revision of [stateless, newestHandshake])
      expect(await wire.error('tools/call', { name: 'give' }, revision)).toMatchObject({ code: -32603 });
  });

  test('members of the result that are not known, and _meta, pass', async () => {
    const wire = await Wire.open(returning({ ...text('x'), _meta: { 'com.example/a': 1 }, extra: true }));
    expect(await wire.call('give', {}, stateless)).toMatchObject({ _meta: { 'com.example/a': 1 }, extra: true });
    expect(await wire.call('give', {}, newestHandshake)).toMatchObject({ _meta: { 'com.example/a': 1 }, extra: true });
  });
});

describe('the order of members', () => {
  test.each([
    ['content', text('x')],
    ['structured content', { structuredContent: { sum: 5 } }],
    ['both', { ...text('5'), structuredContent: { sum: 5 } }],
    ['an error', { ...text('x'), isError: true }],
    ['_meta', { ...text('x'), _meta: { 'com.example/a': 1 } }],
  ])('a printed result with %s begins with its content, in every revision', async (_what, value) => {
    for (const { id } of revisions) {
      const { client, close } = await connectLinked(returning(value), { revision: id });
      expect(inspect(await client.callTool({ name: 'give' })), id).toMatch(/^\{\s+content:/);
      await close();
    }
  });
});
