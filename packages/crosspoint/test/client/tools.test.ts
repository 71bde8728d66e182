import { describe, expect, test } from 'vitest';
import { effectiveAnnotations, type ClientOptions } from '../../src/client/index.ts';
import { displayName } from '../../src/protocol/tools.ts';
import type { JsonObject } from '../../src/jsonrpc/message.ts';
import { proves } from '../requirements/proves.ts';
import { connected, failure, type Connected } from './connected.ts';
import { legacy, modern } from './fake-server.ts';

const SCHEMA: JsonObject = { type: 'object', properties: { n: { type: 'number' } }, required: ['n'] };

/** A server with one tool, connected and listed. */
async function withTool(
  outputSchema: JsonObject | undefined,
  result: JsonObject,
  options: ClientOptions = {},
): Promise<Connected> {
  const listed = { tools: [{ name: 't', inputSchema: { type: 'object' }, ...(outputSchema && { outputSchema }) }] };
  const all = await connected(modern({ 'tools/list': () => listed, 'tools/call': () => result }), options);
  await all.client.listTools();
  return all;
}

describe('structured results', () => {
  test('one that keeps its schema is given without a word', async () => {
    const { client, problems } = await withTool(SCHEMA, { content: [], structuredContent: { n: 1 } });
    expect(await client.callTool({ name: 't' })).toEqual({ content: [], structuredContent: { n: 1 } });
    expect(problems).toEqual([]);
  });

  test('one that breaks its schema was still produced: it is given, with a warning', async () => {
    const { client, problems } = await withTool(SCHEMA, { content: [], structuredContent: { n: 'one' } });
    expect(await client.callTool({ name: 't' })).toMatchObject({ structuredContent: { n: 'one' } });
    expect(problems).toMatchObject([{ code: 'invalid-result', message: expect.stringContaining('"t"') }]);
  });

  proves('L-TOOLS-024, M-TOOL-023').test(
    'in error mode the call rejects, and the error carries the result',
    async () => {
      const { client } = await withTool(
        SCHEMA,
        { content: [], structuredContent: { n: 'one' } },
        { outputValidation: 'error' },
      );
      expect(await failure(client.callTool({ name: 't' }))).toMatchObject({
        code: 'invalid-result',
        details: { tool: 't', result: { structuredContent: { n: 'one' } } },
      });
      const missing = await withTool(SCHEMA, { content: [] }, { outputValidation: 'error' });
      expect(await failure(missing.client.callTool({ name: 't' }))).toMatchObject({
        message: expect.stringContaining('structuredContent'),
      });
    },
  );

  test('in error mode a tool that was never listed is looked up once', async () => {
    const listed = { tools: [{ name: 't', inputSchema: { type: 'object' }, outputSchema: SCHEMA }] };
    const wrong = { content: [], structuredContent: { n: 'one' } };
    const { client, transport } = await connected(modern({ 'tools/list': () => listed, 'tools/call': () => wrong }), {
      outputValidation: 'error',
    });
    expect(await failure(client.callTool({ name: 't' }))).toMatchObject({ code: 'invalid-result' });
    await client.callTool({ name: 'not listed' });
    await client.callTool({ name: 'not listed' });
    expect(transport.sentTo('tools/list')).toHaveLength(1);
  });

  test('one that its schema takes too long to check is given unchecked, with a warning', async () => {
    const patternProperties = Object.fromEntries(Array.from({ length: 2000 }, (_, at) => [`^x${at}$`, true]));
    const structuredContent = Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`k${at}`, at]));
    const result = { content: [], structuredContent };
    const { client, problems } = await withTool({ type: 'object', patternProperties }, result);
    expect(await client.callTool({ name: 't' })).toEqual(result);
    expect(problems).toMatchObject([{ code: 'invalid-result', message: expect.stringContaining('too complex') }]);
  });

  test('off means off', async () => {
    const { client, problems } = await withTool(
      SCHEMA,
      { content: [], structuredContent: { n: 'one' } },
      { outputValidation: 'off' },
    );
    await client.callTool({ name: 't' });
    expect(problems).toEqual([]);
  });

  proves('L-TOOLS-014').test(
    'an error result is not held against the schema of success; without isError it is success',
    async () => {
      const failed = await withTool(
        SCHEMA,
        { content: [{ type: 'text', text: 'no disk' }], isError: true },
        { outputValidation: 'error' },
      );
      expect(await failed.client.callTool({ name: 't' })).toMatchObject({ isError: true });
      expect(failed.problems).toEqual([]);
      const unmarked = await withTool(SCHEMA, { content: [], structuredContent: {} }, { outputValidation: 'error' });
      await expect(unmarked.client.callTool({ name: 't' })).rejects.toMatchObject({ code: 'invalid-result' });
    },
  );

  test.each([
    'http://json-schema.org/draft-07/schema#',
    'https://json-schema.org/draft/2019-09/schema',
    'https://json-schema.org/draft/2020-12/schema',
  ])('a schema in the dialect %s is used, not refused', async ($schema) => {
    const good = await withTool(
      { $schema, ...SCHEMA },
      { content: [], structuredContent: { n: 1 } },
      { outputValidation: 'error' },
    );
    await good.client.callTool({ name: 't' });
    expect(good.problems).toEqual([]);
    const bad = await withTool(
      { $schema, ...SCHEMA },
      { content: [], structuredContent: {} },
      { outputValidation: 'error' },
    );
    await expect(bad.client.callTool({ name: 't' })).rejects.toMatchObject({ code: 'invalid-result' });
  });

  test.each<JsonObject>([
    { type: 'nonsense' },
    { $ref: 'https://example.com/elsewhere' },
    { $schema: 'https://example.com/own-dialect', type: 'object' },
  ])('a schema that cannot be compiled costs one warning for its tool, in every mode: %j', async (schema) => {
    const { client, problems } = await withTool(
      schema,
      { content: [], structuredContent: { n: 1 } },
      { outputValidation: 'error' },
    );
    await client.callTool({ name: 't' });
    await client.callTool({ name: 't' });
    expect(problems.length).toBe(1);
    expect(problems[0]?.message).toContain('not checked');
  });

  proves('M-TOOL-020').test.each([[[1, 2]], ['text'], [42], [true], [null]])(
    'any JSON value is accepted as structured content: %j',
    async (value) => {
      const { client, problems } = await withTool(
        {},
        { content: [], structuredContent: value },
        { outputValidation: 'error' },
      );
      expect((await client.callTool({ name: 't' })).structuredContent).toEqual(value);
      expect(problems).toEqual([]);
    },
  );

  test('a list that changes during the call does not change what the result is held against', async () => {
    let schema: JsonObject = SCHEMA;
    let answer: (() => void) | undefined;
    const script = legacy({
      'tools/list': () => ({ tools: [{ name: 't', inputSchema: { type: 'object' }, outputSchema: schema }] }),
      'tools/call': (_params, line, message) =>
        void (answer = () => line.reply(message, { content: [], structuredContent: { n: 1 } })),
    });
    const { client, clock, problems } = await connected(script, { outputValidation: 'error' });
    await client.listTools();
    const call = client.callTool({ name: 't' });
    await clock.flush();
    schema = { type: 'object', required: ['other'] };
    await client.listTools();
    answer?.();
    expect(await call).toMatchObject({ structuredContent: { n: 1 } });
    expect(problems).toEqual([]);
    const second = failure(client.callTool({ name: 't' }));
    await clock.flush();
    answer?.();
    expect(await second).toMatchObject({ code: 'invalid-result' });
  });

  test('a definition given with the call is the one that counts', async () => {
    const { client } = await withTool(undefined, { content: [], structuredContent: {} }, { outputValidation: 'error' });
    await client.callTool({ name: 't' });
    const toolDefinition = { name: 't', inputSchema: {}, outputSchema: SCHEMA };
    await expect(client.callTool({ name: 't' }, { toolDefinition })).rejects.toMatchObject({ code: 'invalid-result' });
  });
});

proves('L-TOOLS-034').test('the defaults of the annotations', () => {
  expect(effectiveAnnotations({})).toEqual({
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: false,
    openWorldHint: true,
  });
  expect(effectiveAnnotations({ annotations: { readOnlyHint: true, openWorldHint: false } })).toEqual({
    readOnlyHint: true,
    destructiveHint: true,
    idempotentHint: false,
    openWorldHint: false,
  });
});

proves('L-TOOLS-035, M-TOOL-037').test('what to show a person: title, then annotations.title, then name', () => {
  expect(displayName({ name: 'n', title: 'T', annotations: { title: 'A' } })).toBe('T');
  expect(displayName({ name: 'n', annotations: { title: 'A' } })).toBe('A');
  expect(displayName({ name: 'n' })).toBe('n');
});
