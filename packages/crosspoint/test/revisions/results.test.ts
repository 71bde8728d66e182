import {
  CallToolResultSchema,
  GetPromptResultSchema,
  InitializeResultSchema,
  ListPromptsResultSchema,
  ListResourcesResultSchema,
  ListToolsResultSchema,
  ReadResourceResultSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { describe, expect, it } from 'vitest';
import type { JsonObject } from '../../src/jsonrpc/message.ts';
import { ProtocolError, TransportError } from '../../src/protocol/errors.ts';
import { META_SERVER_INFO } from '../../src/protocol/meta.ts';
import { findRevision, revisions } from '../../src/revisions/index.ts';
import type { Revision } from '../../src/revisions/revision.ts';
import { proves } from '../requirements/proves.ts';
import { faults, noSchemas, publishedDefinitions } from './published-schema.ts';
import { answers, blocks, initialised, meta, pathsIn, results, server, tool } from './samples.ts';
import { clientWordsOf } from '../../src/revisions/client-words.ts';

const [newest, d, c, b, a] = revisions as [Revision, Revision, Revision, Revision, Revision];
const handshake = [d, c, b, a];

function write(revision: Revision, method: string, result: JsonObject): JsonObject {
  return revision.writeResult(method, { kind: 'complete', result }, server);
}

function everything(revision: Revision): JsonObject[] {
  return results.map(({ method, result }) => write(revision, method, result));
}

describe.each(revisions)('results written for $id', (revision) => {
  const defs = publishedDefinitions(revision.id);
  const samples =
    revision.family === 'handshake'
      ? [...results, ...answers, { method: 'initialize', definition: 'InitializeResult', result: initialised }]
      : results;
  it.skipIf(!defs).each(samples)(
    defs ? 'use only published words: $method' : `(skipped: ${noSchemas}) $method`,
    ({ method, definition, result }) => {
      if (defs?.[definition] === undefined) return;
      expect(faults(defs, defs[definition], write(revision, method, result))).toEqual([]);
    },
  );

  const isNewest = revision.family === 'per-request' || revision === d;
  // The newest of each family have words for everything.
  it.skipIf(!defs).for(isNewest ? [] : [revision.id])('would be caught using newer words (%s)', () => {
    for (const { method, definition, result } of results) {
      if (method !== 'completion/complete')
        expect(faults(defs ?? {}, defs?.[definition] ?? {}, result), method).not.toEqual([]);
    }
  });

  proves('L-SCHEMA-006').it('keep members nobody knows', () => {
    expect(
      write(revision, 'tools/list', {
        tools: [{ name: 'a', inputSchema: { type: 'object' }, 'x-own': 1 }],
        'x-own': 2,
      }),
    ).toMatchObject({ tools: [{ 'x-own': 1 }], 'x-own': 2 });
    expect(clientWordsOf(revision).readResult('tools/list', { tools: [], 'x-own': 2 })).toMatchObject({
      kind: 'complete',
      result: { 'x-own': 2 },
    });
  });

  it('begin with the content of a call, which is what a reader looks for', () => {
    expect(Object.keys(write(revision, 'tools/call', { content: blocks }))[0]).toBe('content');
  });

  it('do not trip over a method named like a member of objects', () => {
    expect(write(revision, 'constructor', { a: 1 })).toMatchObject({ a: 1 });
    expect(write(revision, '__proto__', { a: 1 })).toMatchObject({ a: 1 });
  });
});

describe('results of 2025-11-25', () => {
  it.each([
    ['tools/list', ListToolsResultSchema],
    ['resources/list', ListResourcesResultSchema],
    ['prompts/list', ListPromptsResultSchema],
    ['prompts/get', GetPromptResultSchema],
    ['tools/call', CallToolResultSchema],
    ['resources/read', ReadResourceResultSchema],
  ] as const)('are read by the official SDK: %s', (method, schema) => {
    for (const sample of results)
      if (sample.method === method) expect(schema.safeParse(write(d, method, sample.result)).error).toBeUndefined();
  });

  it('are read by the official SDK: initialize', () =>
    expect(InitializeResultSchema.safeParse(write(d, 'initialize', initialised)).error).toBeUndefined());

  it('pass a call result through without a copy', () => {
    const result = { content: blocks, structuredContent: { a: 1 } };
    expect(write(d, 'tools/call', result)).toBe(result);
  });

  proves('L-SCHEMA-026').it('nest a created task, and merge the others', () => {
    const task = {
      taskId: 't',
      status: 'working',
      createdAt: '2026-01-01T00:00:00Z',
      lastUpdatedAt: '2026-01-01T00:00:00Z',
      ttlMs: 1000,
      pollIntervalMs: 5,
    };
    const wire = {
      taskId: 't',
      status: 'working',
      createdAt: task.createdAt,
      lastUpdatedAt: task.lastUpdatedAt,
      ttl: 1000,
      pollInterval: 5,
    };
    expect(d.writeResult('tools/call', { kind: 'task', task: { ...task, resultType: 'task' } }, server)).toEqual({
      task: wire,
    });
    expect(clientWordsOf(d).readResult('tools/call', { task: wire })).toEqual({ kind: 'task', task });
    for (const method of ['tasks/get', 'tasks/cancel']) {
      expect(write(d, method, { ...task, resultType: 'complete' })).toEqual(wire);
      expect(clientWordsOf(d).readResult(method, wire)).toEqual({ kind: 'complete', result: task });
    }
    expect(write(d, 'tasks/list', { tasks: [task] })).toEqual({ tasks: [wire] });
    expect(d.writeResult('tools/call', { kind: 'task', task: { taskId: 't' } }, server)).toEqual({
      task: { taskId: 't', ttl: null },
    });
    const defs = publishedDefinitions(d.id);
    if (defs?.['CreateTaskResult']) expect(faults(defs, defs['CreateTaskResult'], { task: wire })).toEqual([]);
  });

  it('withhold structure that is no object from the result of a task, and its result from the news of it', () => {
    expect(write(d, 'tasks/result', { content: [], structuredContent: [1] })).toEqual({
      content: [{ type: 'text', text: '[1]' }],
    });
    const news = { taskId: 't', status: 'completed', ttlMs: 5, result: { content: [] } };
    expect(d.writeNotification('notifications/tasks/status', news)).toEqual({
      taskId: 't',
      status: 'completed',
      ttl: 5,
    });
  });

  it('take a finished result that happens to mention a task as finished', () =>
    expect(clientWordsOf(d).readResult('tools/call', { content: [], task: { taskId: 't' } })).toMatchObject({
      kind: 'complete',
    }));
});

describe('words that a revision lacks', () => {
  proves('L-SCHEMA-004').it.each([b, a])('_meta stands only on the result itself in $id', (revision) => {
    const nested = [...everything(revision), ...answers.map(({ method, result }) => write(revision, method, result))]
      .flatMap((result) => pathsIn(result))
      .filter((path) => path.endsWith('_meta') && path !== '._meta');
    expect(nested).toEqual([]);
    expect(write(revision, 'tools/call', { content: [], _meta: meta })['_meta']).toEqual(meta);
  });

  proves('L-SCHEMA-005').it.each([c, d])(
    '_meta stands on everything that is listed or contained in $id',
    (revision) => {
      const all = everything(revision).flatMap((result) => pathsIn(result));
      for (const path of [
        '.tools[]._meta',
        '.resources[]._meta',
        '.resourceTemplates[]._meta',
        '.prompts[]._meta',
        '.contents[]._meta',
        '.content[]._meta',
        '.content[].resource._meta',
        '.messages[].content._meta',
      ]) {
        expect(all).toContain(path);
      }
      expect(everything(revision)[4]?.['content']).toHaveLength(5);
      expect(
        (write(revision, 'tools/call', { content: blocks })['content'] as JsonObject[]).every(
          (block) => block['_meta'] === meta,
        ),
      ).toBe(true);
      expect(pathsIn(write(revision, 'roots/list', answers[0]?.result ?? {}))).toContain('.roots[]._meta');
    },
  );

  proves('L-SCHEMA-014').it('no completions, tool annotations, audio or progress message in 2024-11-05', () => {
    const all = everything(a);
    expect(all.flatMap((result) => pathsIn(result))).not.toContain('.tools[].annotations');
    expect(JSON.stringify(all)).not.toContain('"type":"audio"');
    expect(a.writeServerCapabilities({ completions: {}, tools: {} })).toEqual({ tools: {} });
    const progress = { progressToken: 1, progress: 2, total: 3, message: 'm' };
    expect(a.writeNotification('notifications/progress', progress)).toEqual({
      progressToken: 1,
      progress: 2,
      total: 3,
    });
    expect(b.writeNotification('notifications/progress', progress)).toEqual(progress);
    expect(write(b, 'tools/list', { tools: [tool] })).toMatchObject({
      tools: [{ annotations: { title: 'Adding', readOnlyHint: true } }],
    });
  });

  proves('L-SCHEMA-015, L-COMPLETION-006').it.each([b, a])(
    'no title, structure, link, lastModified, elicitation or completion context in $id',
    (revision) => {
      const written = [...everything(revision), write(revision, 'initialize', initialised)];
      const paths = written
        .flatMap((result) => pathsIn(result))
        .filter((path) => path !== '.tools[].annotations.title');
      expect(paths.filter((path) => /\.(title|structuredContent|outputSchema|lastModified)$/.test(path))).toEqual([]);
      expect(JSON.stringify(written)).not.toContain('resource_link');
      expect(revision.methods.has('elicitation/create')).toBe(false);
      expect(clientWordsOf(revision).writeClientCapabilities({ elicitation: {} })).toEqual({});
      const params = {
        ref: { type: 'ref/prompt', name: 'p', title: 'P' },
        argument: { name: 'x', value: 'y' },
        context: { arguments: { z: '1' } },
      };
      const call = { method: 'completion/complete', params, facts: { capabilities: {} } };
      expect(clientWordsOf(revision).writeRequest(call)).toEqual({
        ref: { type: 'ref/prompt', name: 'p' },
        argument: { name: 'x', value: 'y' },
      });
      expect(clientWordsOf(c).writeRequest(call)).toEqual(params);
    },
  );

  proves('L-SCHEMA-016').it.each([c, b, a])('no icons, execution, tasks or longer introductions in $id', (revision) => {
    const written = [...everything(revision), write(revision, 'initialize', initialised)];
    const paths = written.flatMap((result) => pathsIn(result));
    expect(
      paths.filter((path) => /\.(icons|execution|websiteUrl|tasks)$/.test(path) || path === '.serverInfo.description'),
    ).toEqual([]);
    expect(
      Object.keys(revision.writeImplementation(server)).filter((key) =>
        ['icons', 'description', 'websiteUrl'].includes(key),
      ),
    ).toEqual([]);
    expect([...revision.methods.keys()].filter((method) => method.includes('tasks'))).toEqual([]);
    expect(() => revision.writeResult('tools/call', { kind: 'task', task: {} }, server)).toThrow(ProtocolError);
    expect(
      clientWordsOf(revision).writeRequest({
        method: 'tools/call',
        params: { name: 'a', task: { ttl: 1 } },
        facts: { capabilities: {} },
      }),
    ).toEqual({ name: 'a' });
  });

  it('titles of prompts and their arguments go with the others', () =>
    expect(write(b, 'prompts/list', results[3]?.result ?? {})).toEqual({
      prompts: [{ name: 'p', description: 'd', arguments: [{ name: 'x', description: 'd', required: true }] }],
    }));
});

describe('content', () => {
  const kinds = (revision: Revision): unknown[] =>
    (write(revision, 'tools/call', { content: blocks })['content'] as JsonObject[]).map((block) => block['type']);

  proves('L-TOOLS-015').it('is text, image or resource in 2024-11-05', () =>
    expect(kinds(a)).toEqual(['text', 'image', 'text', 'resource', 'text']),
  );
  proves('L-TOOLS-016').it('is also audio in 2025-03-26', () =>
    expect(kinds(b)).toEqual(['text', 'image', 'audio', 'resource', 'text']),
  );
  proves('L-TOOLS-017').it.each([c, d])('is also a link in $id, and always there', (revision) => {
    expect(kinds(revision)).toEqual(['text', 'image', 'audio', 'resource', 'resource_link']);
    expect(write(revision, 'tools/call', {})).toEqual({ content: [] });
  });

  it('tells a link and a sound as text', () => {
    const content = write(a, 'tools/call', { content: blocks })['content'] as JsonObject[];
    expect(content[4]).toEqual({
      type: 'text',
      text: 'b: file:///b',
      annotations: { audience: ['user'], priority: 0.5 },
    });
    expect(content[2]?.['text']).toContain('audio/wav');
    expect(content[2]).not.toHaveProperty('data');
  });

  it('keeps sounds out of the prompts of 2024-11-05', () => {
    const messages = [{ role: 'user', content: blocks[2] }];
    expect(write(a, 'prompts/get', { messages })).toMatchObject({
      messages: [{ role: 'user', content: { type: 'text' } }],
    });
    expect(write(b, 'prompts/get', { messages })).toMatchObject({
      messages: [{ role: 'user', content: { type: 'audio' } }],
    });
  });
});

describe('structured content', () => {
  proves('L-TOOLS-022, M-IOP-068').it.each([c, d])('is an object in $id, and anything else withheld', (revision) => {
    const text = [{ type: 'text', text: 'three' }];
    expect(write(revision, 'tools/call', { content: text, structuredContent: { a: 1 } })).toEqual({
      content: text,
      structuredContent: { a: 1 },
    });
    for (const value of [[3], 3, 'x', null, true]) {
      expect(write(revision, 'tools/call', { content: text, structuredContent: value })).toEqual({ content: text });
      expect(write(revision, 'tools/call', { content: [], structuredContent: value })).toEqual({
        content: [{ type: 'text', text: JSON.stringify(value) }],
      });
    }
    const schema = (type: string): JsonObject => ({ tools: [{ ...tool, outputSchema: { type } }] });
    expect(write(revision, 'tools/list', schema('array'))).not.toHaveProperty('tools.0.outputSchema');
    expect(write(revision, 'tools/list', schema('object'))).toHaveProperty('tools.0.outputSchema');
  });

  proves('M-IOP-068').it.each([b, a])(
    'is never there in $id, but its JSON is when there was nothing else',
    (revision) => {
      expect(write(revision, 'tools/call', { content: [], structuredContent: { a: 1 } })).toEqual({
        content: [{ type: 'text', text: '{"a":1}' }],
      });
      expect(write(revision, 'tools/call', { structuredContent: { a: 1 } })).toEqual({
        content: [{ type: 'text', text: '{"a":1}' }],
      });
      expect(
        write(revision, 'tools/call', { content: [blocks[1]], structuredContent: { a: 1 } })['content'],
      ).toHaveLength(1);
    },
  );

  proves('M-TOOL-020').it.each([[[3, 5]], [3], ['x'], [null], [false], [{ a: 1 }]])(
    'may be any JSON value in the per-request family: %j',
    (value) => {
      const wire = write(newest, 'tools/call', { content: [], structuredContent: value });
      expect(wire['structuredContent']).toEqual(value);
      expect(clientWordsOf(newest).readResult('tools/call', wire)).toMatchObject({
        kind: 'complete',
        result: { structuredContent: value },
      });
    },
  );

  it('spells out property schemas that are true or false', () =>
    expect(
      write(d, 'tools/list', {
        tools: [{ name: 'a', inputSchema: { type: 'object', properties: { x: true, y: false } } }],
      }),
    ).toEqual({
      tools: [{ name: 'a', inputSchema: { type: 'object', properties: { x: {}, y: { not: {} } } } }],
    }));
});

describe('the result envelope of the per-request family', () => {
  proves('M-BASE-008').it('names its type on every result', () => {
    for (const { method, result } of results) expect(write(newest, method, result)['resultType']).toBe('complete');
    expect(
      newest.writeResult('tools/call', { kind: 'input-required', asks: {}, state: 's' }, server)['resultType'],
    ).toBe('input_required');
    expect(newest.writeResult('tools/call', { kind: 'task', task: { taskId: 't' } }, server)).toMatchObject({
      resultType: 'task',
      taskId: 't',
    });
    expect(write(newest, 'acme/do', { resultType: 'acme' })['resultType']).toBe('acme');
  });

  it('carries the name of the server beside what the result had', () => {
    expect(write(newest, 'tools/call', { content: [] })['_meta']).toEqual({ [META_SERVER_INFO]: server });
    expect(write(newest, 'tools/call', { content: [], _meta: meta })['_meta']).toEqual({
      ...meta,
      [META_SERVER_INFO]: server,
    });
    expect(write(newest, 'tools/call', { content: [] })['_meta']).toBe(
      write(newest, 'prompts/get', { messages: [] })['_meta'],
    );
  });

  proves('M-CACHE-001, M-CACHE-003, M-CACHE-004').it.each([
    'server/discover',
    'tools/list',
    'prompts/list',
    'resources/list',
    'resources/templates/list',
    'resources/read',
  ])('has cache hints on %s', (method) => {
    expect(write(newest, method, {})).toMatchObject({ ttlMs: 0, cacheScope: 'private' });
    expect(write(newest, method, { ttlMs: 9, cacheScope: 'public' })).toMatchObject({ ttlMs: 9, cacheScope: 'public' });
    for (const ttlMs of [-1, 1.5, '9', Number.NaN])
      expect(write(newest, method, { ttlMs, cacheScope: 'ours' })).toMatchObject({ ttlMs: 0, cacheScope: 'private' });
  });

  proves('M-CACHE-002').it('has no cache hints on questions, nor on other results', () => {
    expect(
      newest.writeResult('resources/read', { kind: 'input-required', asks: {}, state: 's' }, server),
    ).not.toHaveProperty('ttlMs');
    expect(write(newest, 'tools/call', { content: [] })).not.toHaveProperty('ttlMs');
  });

  it('does not say how a tool runs, and copies no content', () => {
    expect(write(newest, 'tools/list', { tools: [tool] })).not.toHaveProperty('tools.0.execution');
    expect(write(newest, 'tools/call', { content: blocks })['content']).toBe(blocks);
  });

  proves('M-BASE-009, M-BASE-011').it('refuses a type that neither the core nor a declared extension has', () => {
    for (const resultType of ['task', 'acme', '', 1, null, {}])
      expect(() => clientWordsOf(newest).readResult('tools/call', { resultType })).toThrow(TransportError);
    expect(() =>
      clientWordsOf(newest).readResult('tools/call', { resultType: 'task' }, () => new Set(['acme'])),
    ).toThrow(expect.objectContaining({ code: 'invalid-result' }));
    expect(
      clientWordsOf(newest).readResult('tools/call', { resultType: 'task', taskId: 't' }, () => new Set(['task'])),
    ).toMatchObject({
      kind: 'task',
      task: { taskId: 't' },
    });
    expect(
      clientWordsOf(newest).readResult('tools/call', { resultType: 'acme' }, () => new Set(['acme'])),
    ).toMatchObject({
      kind: 'complete',
    });
  });

  proves('M-BASE-010').it('reads a missing type as complete', () => {
    const wire = { content: [] };
    expect(clientWordsOf(newest).readResult('tools/call', wire)).toEqual({ kind: 'complete', result: wire });
  });
});

describe('questions in a result', () => {
  const ask = {
    method: 'elicitation/create',
    params: { message: 'm', requestedSchema: { type: 'object', properties: {} } },
  } as const;

  it('go out and come back', () => {
    const outcome = { kind: 'input-required', asks: { ok: ask }, state: 's' } as const;
    const wire = newest.writeResult('tools/call', outcome, server);
    expect(wire).toEqual({
      resultType: 'input_required',
      inputRequests: { ok: ask },
      requestState: 's',
      _meta: { [META_SERVER_INFO]: server },
    });
    expect(clientWordsOf(newest).readResult('tools/call', wire)).toEqual(outcome);
  });

  proves('M-MRTR-025').it('lose a stray id, and need no params to ask for roots', () =>
    expect(
      clientWordsOf(newest).readResult('tools/call', {
        resultType: 'input_required',
        inputRequests: { r: { jsonrpc: '2.0', id: 1, method: 'roots/list' }, ['__proto__']: ask },
      }),
    ).toEqual({
      kind: 'input-required',
      asks: Object.fromEntries([
        ['r', { method: 'roots/list', params: {} }],
        ['__proto__', ask],
      ]),
    }),
  );

  it.each([
    ['nothing to ask and no state', {}],
    ['a state that is no string', { requestState: 1 }],
    ['questions that are no object', { inputRequests: [] }],
    ['a question that is no object', { inputRequests: { a: 'x' } }],
    ['a question without method', { inputRequests: { a: { params: {} } } }],
    ['a method that is no question', { inputRequests: { a: { method: 'tools/call', params: {} } } }],
    ['a question without params', { inputRequests: { a: { method: 'elicitation/create' } } }],
    ['params that are no object', { inputRequests: { a: { method: 'roots/list', params: [] } } }],
  ])('are refused: %s', (_name, members) =>
    expect(() => clientWordsOf(newest).readResult('tools/call', { resultType: 'input_required', ...members })).toThrow(
      expect.objectContaining({ code: 'invalid-result' }),
    ),
  );

  proves('M-MRTR-002').it('belong to three methods only', () => {
    for (const method of ['tools/call', 'prompts/get', 'resources/read'])
      expect(newest.writeResult(method, { kind: 'input-required', asks: { a: ask } }, server)).toHaveProperty(
        'inputRequests.a',
      );
    for (const method of ['tools/list', 'completion/complete', 'server/discover']) {
      expect(() => newest.writeResult(method, { kind: 'input-required', asks: { a: ask } }, server)).toThrow(
        ProtocolError,
      );
      expect(() =>
        clientWordsOf(newest).readResult(method, { resultType: 'input_required', requestState: 's' }),
      ).toThrow(TransportError);
    }
  });

  proves('M-MRTR-005').it('always come with questions or with a state', () => {
    for (const outcome of [{ asks: {} }, { asks: {}, state: 's' }, { asks: { a: ask } }]) {
      const wire = newest.writeResult('tools/call', { kind: 'input-required', ...outcome }, server);
      expect('inputRequests' in wire || 'requestState' in wire).toBe(true);
    }
  });
});

describe('results crossing the families', () => {
  proves('M-IOP-059, M-IOP-060').it.each(handshake)('lose their envelope towards $id', (revision) => {
    const modern = write(newest, 'resources/read', { contents: [] });
    expect(write(revision, 'resources/read', modern)).toEqual({ contents: [] });
    expect(() => revision.writeResult('tools/call', { kind: 'input-required', asks: {}, state: 's' }, server)).toThrow(
      expect.objectContaining({ kind: 'internal' }),
    );
    expect(() => write(revision, 'tools/call', { resultType: 'input_required' })).toThrow(ProtocolError);
    expect(() => write(newest, 'tools/call', { resultType: 'input_required' })).toThrow(ProtocolError);
  });

  proves('M-IOP-059, M-IOP-060').it('gain it towards the per-request family', () =>
    expect(write(newest, 'resources/read', { contents: [] })).toEqual({
      contents: [],
      resultType: 'complete',
      ttlMs: 0,
      cacheScope: 'private',
      _meta: { [META_SERVER_INFO]: server },
    }),
  );

  it('take no notice of result types where there are none', () => {
    const wire = { resultType: 'whatever', content: [] };
    for (const revision of handshake)
      expect(clientWordsOf(revision).readResult('tools/call', wire)).toEqual({ kind: 'complete', result: wire });
  });

  it('keeps several texts of a model together for a client that can send one block', () => {
    const text = (value: string): JsonObject => ({ type: 'text', text: value });
    expect(write(c, 'sampling/createMessage', { content: [text('a'), text('b')] })['content']).toEqual(text('a\nb'));
    expect(() => write(c, 'sampling/createMessage', { content: [text('a'), blocks[1]] })).toThrow(ProtocolError);
  });

  it('finds revisions by id', () => expect(findRevision(d.id)).toBe(d));
});
