import { describe, expect } from 'vitest';
import { PNG, WAV } from '../fixtures/suite/suite-server.mjs';
import type { Bench } from './bench.ts';
import { failureOf, featureCase, testCase, textOf } from './subject.ts';

const PAGE = 4;

export function toolsCases(bench: Bench): void {
  const { subject } = bench;

  describe('tools', () => {
    testCase(
      subject,
      'L-TOOLS-004, L-PAGINATION-001, L-PAGINATION-002, L-PAGINATION-003, M-TOOL-002, M-PAG-001',
      'lists all pages as one',
      async () => {
        const { tools, nextCursor } = await bench.client.listTools();
        expect(nextCursor).toBeUndefined();
        const names = tools.map(({ name }) => name);
        expect(names.length).toBeGreaterThan(3 * PAGE);
        expect(new Set(names).size).toBe(names.length);
        expect(names.slice(0, 3)).toEqual(['add', 'echo', 'weather']);
      },
    );

    testCase(
      subject,
      'L-PAGINATION-002, L-PAGINATION-007, L-PAGINATION-009, L-PAGINATION-010, M-PAG-002',
      'lists page by page',
      async () => {
        const whole = (await bench.client.listTools()).tools.map(({ name }) => name);
        const seen: string[] = [];
        let page = await bench.client.listTools(undefined, { pages: 1 });
        for (;;) {
          expect(page.tools.length).toBeLessThanOrEqual(PAGE);
          seen.push(...page.tools.map(({ name }) => name));
          if (page.nextCursor === undefined) break;
          page = await bench.client.listTools({ cursor: page.nextCursor });
        }
        expect(seen).toEqual(whole);
      },
    );

    testCase(subject, 'L-PAGINATION-006', 'refuses a cursor it did not make', async () => {
      expect((await failureOf(bench.client.listTools({ cursor: 'made-up' }))).code).toBe(-32602);
      expect((await failureOf(bench.client.request({ method: 'tools/list', params: { cursor: 7 } }))).code).toBe(
        -32602,
      );
    });

    testCase(subject, 'L-TOOLS-005, M-TOOL-008', 'describes every input with an object schema', async () => {
      for (const { inputSchema } of (await bench.client.listTools()).tools)
        expect(inputSchema).toMatchObject({ type: 'object' });
    });

    const add = async () => (await bench.client.listTools()).tools.find(({ name }) => name === 'add');

    featureCase(
      subject,
      'titles',
      { idsWithout: 'L-SCHEMA-004, L-SCHEMA-015', title: 'lists titles, metadata and output schemas' },
      {
        has: async () => {
          expect(await add()).toMatchObject({ title: 'Addition', _meta: { 'com.example/kind': 'sum' } });
          expect(
            (await bench.client.listTools()).tools.find(({ name }) => name === 'weather')?.outputSchema,
          ).toMatchObject({ type: 'object' });
        },
        lacks: async () => {
          expect(await add()).not.toHaveProperty('title');
          expect(await add()).not.toHaveProperty('_meta');
          expect((await bench.client.listTools()).tools.some((tool) => 'outputSchema' in tool)).toBe(false);
        },
      },
    );

    featureCase(
      subject,
      'icons',
      { ids: 'L-TOOLS-036', idsWithout: 'L-SCHEMA-016', title: 'lists icons' },
      {
        has: async () => expect(await add()).toMatchObject({ icons: [{ src: 'https://example.com/add.png' }] }),
        lacks: async () => expect(await add()).not.toHaveProperty('icons'),
      },
    );

    featureCase(
      subject,
      'tool annotations',
      { idsWithout: 'L-SCHEMA-014', title: 'lists annotations' },
      {
        has: async () => expect(await add()).toMatchObject({ annotations: { title: 'Add', readOnlyHint: true } }),
        lacks: async () => expect(await add()).not.toHaveProperty('annotations'),
      },
    );

    testCase(
      subject,
      'L-MESSAGES-006, L-MESSAGES-007, L-TOOLS-014, M-BASE-006, M-BASE-007, M-TOOL-024',
      'calls a tool',
      async () => {
        const result = await bench.client.callTool({ name: 'add', arguments: { a: 2, b: 3 } });
        expect(result.content).toEqual([{ type: 'text', text: '5' }]);
        expect(result.isError ?? false).toBe(false);
      },
    );

    testCase(subject, 'L-TOOLS-006', 'takes absent arguments for none', async () => {
      expect(textOf(await bench.client.callTool({ name: 'weather' }))).toBe('{"celsius":21.5}');
    });

    featureCase(
      subject,
      'argument errors as results',
      {
        ids: 'L-TOOLS-011, L-TOOLS-037, M-TOOL-029',
        idsWithout: 'L-TOOLS-010, L-TOOLS-037',
        title: 'tells the model of arguments that break the schema',
      },
      {
        has: async () => {
          const result = await bench.client.callTool({ name: 'add', arguments: { a: 'two', b: 3 } });
          expect(result.isError).toBe(true);
          expect(textOf(result)).toMatch(/Invalid arguments for tool add: .*a/);
        },
        lacks: async () => {
          const error = await failureOf(bench.client.callTool({ name: 'add', arguments: { a: 'two', b: 3 } }));
          expect(error).toMatchObject({ code: -32602 });
          expect(error.message).toMatch(/Invalid arguments for tool add: .*a/);
        },
      },
    );

    testCase(
      subject,
      'L-TOOLS-008, L-TOOLS-009, L-MESSAGES-008, L-MESSAGES-026, M-TOOL-025, M-ERR-001, M-ERR-003',
      'refuses a tool that is not there',
      async () => {
        expect(await failureOf(bench.client.callTool({ name: 'nope' }))).toMatchObject({
          code: -32602,
          message: 'Unknown tool: nope',
        });
      },
    );

    testCase(subject, 'L-MESSAGES-026, M-TOOL-025', 'refuses a call that is malformed', async () => {
      expect((await failureOf(bench.client.request({ method: 'tools/call', params: {} }))).code).toBe(-32602);
      expect(
        (await failureOf(bench.client.request({ method: 'tools/call', params: { name: 'add', arguments: [1, 2] } })))
          .code,
      ).toBe(-32602);
    });

    testCase(subject, 'L-TOOLS-007', 'tells the model what a tool throws', async () => {
      expect(await bench.client.callTool({ name: 'throws' })).toMatchObject({
        isError: true,
        content: [{ type: 'text', text: 'The disk is full.' }],
      });
      expect(await bench.client.callTool({ name: 'rejects' })).toMatchObject({
        isError: true,
        content: [{ type: 'text', text: 'Try another order.' }],
      });
    });

    testCase(
      subject,
      'L-MESSAGES-011, L-MESSAGES-012',
      'passes on a protocol error with its own number and data',
      async () => {
        expect(await failureOf(bench.client.callTool({ name: 'own-code' }))).toMatchObject({
          code: 4711,
          message: 'Own trouble',
          data: { hint: 'none' },
        });
      },
    );

    testCase(subject, 'L-MESSAGES-026', 'reports a tool without a result as an internal error', async () => {
      expect((await failureOf(bench.client.callTool({ name: 'returns-nothing' }))).code).toBe(-32603);
    });

    featureCase(
      subject,
      'structured content',
      {
        ids: 'L-TOOLS-021, L-TOOLS-022, L-TOOLS-023, M-TOOL-022',
        idsWithout: 'L-SCHEMA-015',
        title: 'gives structured content beside its text',
      },
      {
        has: async () =>
          expect(await bench.client.callTool({ name: 'weather' })).toMatchObject({
            structuredContent: { celsius: 21.5 },
            content: [{ type: 'text', text: '{"celsius":21.5}' }],
          }),
        lacks: async () => {
          const result = await bench.client.callTool({ name: 'weather' });
          expect(result).not.toHaveProperty('structuredContent');
          expect(result.content).toEqual([{ type: 'text', text: '{"celsius":21.5}' }]);
        },
      },
    );

    featureCase(
      subject,
      'structured content of any type',
      {
        ids: 'M-TOOL-020, M-TOOL-022',
        idsWithout: 'L-TOOLS-022, L-TOOLS-025',
        title: 'gives structured content that is no object',
      },
      {
        has: async () => expect((await bench.client.callTool({ name: 'numbers' })).structuredContent).toEqual([3, 5]),
        lacks: async () => {
          const result = await bench.client.callTool({ name: 'numbers' });
          expect(result).not.toHaveProperty('structuredContent');
          expect(result.content).toEqual([{ type: 'text', text: '[3,5]' }]);
          expect((await bench.client.listTools()).tools.find(({ name }) => name === 'numbers')).not.toHaveProperty(
            'outputSchema',
          );
        },
      },
    );

    testCase(subject, 'L-TOOLS-023, M-TOOL-022', 'never sends structured content that breaks its schema', async () => {
      const result = await bench.client.callTool({ name: 'breaks-promise' });
      expect(result.isError).toBe(true);
      expect(result).not.toHaveProperty('structuredContent');
    });
  });

  contentCases(bench);
}

function contentCases(bench: Bench): void {
  const { subject } = bench;
  const contents = async (): Promise<any[]> => (await bench.client.callTool({ name: 'contents' })).content;

  describe('content', () => {
    testCase(
      subject,
      'L-TOOLS-015, L-TOOLS-016, L-TOOLS-017, L-TOOLS-018, L-SCHEMA-021',
      'carries text, images and embedded resources',
      async () => {
        const [plain, image, , embedded] = await contents();
        expect(plain).toMatchObject({
          type: 'text',
          text: 'plain',
          annotations: { audience: ['user'], priority: 0.5 },
        });
        expect(image).toEqual({ type: 'image', data: PNG, mimeType: 'image/png' });
        expect(embedded).toEqual({
          type: 'resource',
          resource: { uri: 'memo://static', mimeType: 'text/plain', text: 'embedded' },
        });
      },
    );

    featureCase(
      subject,
      'audio',
      {
        ids: 'L-SCHEMA-022, L-TOOLS-016, L-TOOLS-017',
        idsWithout: 'L-TOOLS-015, L-SCHEMA-014',
        title: 'carries audio',
      },
      {
        has: async () => expect((await contents())[2]).toEqual({ type: 'audio', data: WAV, mimeType: 'audio/wav' }),
        lacks: async () =>
          expect((await contents())[2]).toMatchObject({ type: 'text', text: expect.stringContaining('audio/wav') }),
      },
    );

    featureCase(
      subject,
      'resource links',
      {
        ids: 'L-SCHEMA-023, L-TOOLS-017, L-TOOLS-020',
        idsWithout: 'L-TOOLS-015, L-TOOLS-016, L-SCHEMA-015',
        title: 'carries links to resources',
      },
      {
        has: async () =>
          expect((await contents())[4]).toEqual({
            type: 'resource_link',
            uri: 'memo://linked',
            name: 'linked',
            title: 'A link',
          }),
        lacks: async () => expect((await contents())[4]).toEqual({ type: 'text', text: 'linked: memo://linked' }),
      },
    );

    featureCase(
      subject,
      'last modified',
      { idsWithout: 'L-SCHEMA-015', title: 'says when content was last modified' },
      {
        has: async () => expect((await contents())[0].annotations.lastModified).toBe('2025-01-01T00:00:00Z'),
        lacks: async () => expect((await contents())[0].annotations).not.toHaveProperty('lastModified'),
      },
    );

    testCase(
      subject,
      'L-MESSAGES-021, L-SCHEMA-028, L-STDIO-004, M-BASE-046, M-STDIO-001',
      'carries any JSON value and any text unharmed',
      async () => {
        const value = JSON.parse(
          '{"text":"é😀漢\\u2028\\u2029\\n\\r\\t\\u0000\\ud83d","deep":[[[{"a":null}]]],"__proto__":{"x":1},"constructor":2,"n":-0.5e-7,"big":9007199254740991,"e":""}',
        ) as unknown;
        expect(JSON.parse(await bench.call('echo', { value }))).toEqual(value);
        expect(({} as Record<string, unknown>)['x']).toBeUndefined();
      },
    );

    testCase(subject, '', 'carries an answer of several megabytes', async () => {
      expect((await bench.call('large', { size: 4_000_000 })).length).toBe(4_000_000);
    });

    testCase(subject, 'L-MESSAGES-016', 'hands the metadata of a request to the handler', async () => {
      const result = await bench.client.callTool({ name: 'whoami', _meta: { 'com.example/trace': 't-1' } });
      expect(JSON.parse(textOf(result))).toMatchObject({ meta: 't-1' });
    });

    testCase(subject, 'L-SCHEMA-006', 'tolerates members it does not know', async () => {
      const result = await bench.client.request({
        method: 'tools/call',
        params: { name: 'add', arguments: { a: 1, b: 1 }, fromTheFuture: { x: 1 } },
      });
      expect(textOf(result as { content: { type: string }[] })).toBe('2');
    });
  });
}
